"""Answers for language models: tools of the Model Context Protocol."""

from pathlib import Path

from kb.core.plugins import Extra, Plugin

EXTRA = Extra("mcp", ("mcp.server.mcpserver",))
PLUGIN = Plugin(
    "mcp",
    commands={"mcp": "kb.plugins.mcp.command:mcp"},
    services={"mcp": "kb.plugins.mcp.service:SERVICE"},
    guide=Path(__file__).with_name("guide.md"),
)
