"""Answers in Discord, by its HTTP interactions."""

from pathlib import Path

from kb.core.plugins import Extra, Plugin

EXTRA = Extra("discord", ("nacl.signing",))
PLUGIN = Plugin(
    "discord",
    commands={"discord": "kb.plugins.discord.command:discord"},
    services={"discord": "kb.plugins.discord.service:SERVICE"},
    guide=Path(__file__).with_name("guide.md"),
)
