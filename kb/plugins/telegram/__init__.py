"""Answers in Telegram, by its webhook."""

from pathlib import Path

from kb.core.plugins import Plugin

PLUGIN = Plugin(
    "telegram",
    services={"telegram": "kb.plugins.telegram.service:SERVICE"},
    guide=Path(__file__).with_name("guide.md"),
)
