"""Rulings of the Star Wars Customizable Card Game: an importer."""

from pathlib import Path

from kb.core.plugins import Plugin

PLUGIN = Plugin(
    "swccg",
    importers={"swccg": "kb.plugins.swccg.importer:IMPORTER"},
    guide=Path(__file__).with_name("guide.md"),
)
