"""Builds in PostgreSQL: publishing them, and answering from there."""

from pathlib import Path

from kb.core.plugins import Extra, Plugin

EXTRA = Extra("postgres", ("psycopg",))
SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
PLUGIN = Plugin(
    "postgres",
    commands={"publish": "kb.plugins.postgres.command:publish"},
    backends=dict.fromkeys(SCHEMES, "kb.plugins.postgres.published:PublishedBuilds"),
    guide=Path(__file__).with_name("guide.md"),
)
