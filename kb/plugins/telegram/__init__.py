"""Answers in Telegram, by its webhook."""

from kb.core.plugins import Plugin

PLUGIN = Plugin("telegram", services={"telegram": "kb.plugins.telegram.service:SERVICE"})
