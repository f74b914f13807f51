"""Rulings in plain documents: an importer."""

from pathlib import Path

from kb.core.plugins import Plugin

PLUGIN = Plugin(
    "text",
    importers={"text": "kb.plugins.text.importer:IMPORTER"},
    guide=Path(__file__).with_name("guide.md"),
)
