"""Editing records in the browser."""

from kb.core.plugins import Plugin

PLUGIN = Plugin("editor", services={"editor": "kb.plugins.editor.service:SERVICE"})
