"""Rulings of Vampire: The Eternal Struggle: an importer."""

from pathlib import Path

from kb.core.plugins import Plugin

PLUGIN = Plugin(
    "vtes",
    importers={"vtes": "kb.plugins.vtes.importer:IMPORTER"},
    guide=Path(__file__).with_name("guide.md"),
)
