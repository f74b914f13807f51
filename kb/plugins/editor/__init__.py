"""Editing records in the browser."""

from pathlib import Path

from kb.core.plugins import Plugin

PLUGIN = Plugin(
    "editor",
    services={"editor": "kb.plugins.editor.service:SERVICE"},
    guide=Path(__file__).with_name("guide.md"),
)
