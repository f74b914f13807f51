"""Rulings in plain documents: an importer."""

from kb.core.plugins import Plugin

PLUGIN = Plugin("text", importers={"text": "kb.plugins.text.importer:IMPORTER"})
