"""Answers in chats: Discord by HTTP interactions, Telegram by webhook."""

from kb.core.extras import Extra

EXTRA = Extra("discord", ("nacl.signing",))
