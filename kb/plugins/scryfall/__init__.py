"""Rulings of Magic: The Gathering, from Scryfall: an importer."""

from pathlib import Path

from kb.core.plugins import Plugin

PLUGIN = Plugin(
    "scryfall",
    importers={"scryfall": "kb.plugins.scryfall.importer:IMPORTER"},
    guide=Path(__file__).with_name("guide.md"),
)
