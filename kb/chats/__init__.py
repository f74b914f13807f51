"""Answers in chats: Discord and Telegram."""

from kb.core.extras import Extra
from kb.core.plugins import Plugin

EXTRA = Extra("discord", ("nacl.signing",))
DISCORD = Plugin(
    "discord",
    commands={"discord": "kb.chats.command:discord"},
    services={"discord": "kb.chats.services:DISCORD"},
)
TELEGRAM = Plugin("telegram", services={"telegram": "kb.chats.services:TELEGRAM"})
