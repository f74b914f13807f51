"""Rulings of Vampire: The Eternal Struggle: an importer."""

from kb.core.plugins import Plugin

PLUGIN = Plugin("vtes", importers={"vtes": "kb.plugins.vtes.importer:IMPORTER"})
