"""Rulings of Magic: The Gathering, from Scryfall: an importer."""

from kb.core.plugins import Plugin

PLUGIN = Plugin("scryfall", importers={"scryfall": "kb.plugins.scryfall.importer:IMPORTER"})
