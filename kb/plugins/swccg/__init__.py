"""Rulings of the Star Wars Customizable Card Game: an importer."""

from kb.core.plugins import Plugin

PLUGIN = Plugin("swccg", importers={"swccg": "kb.plugins.swccg.importer:IMPORTER"})
