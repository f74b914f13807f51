"""Builds in PostgreSQL: publishing them, and answering from there."""

from kb.core.extras import Extra
from kb.core.plugins import Plugin

EXTRA = Extra("postgres", ("psycopg",))
SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
PLUGIN = Plugin(
    "postgres",
    commands={"publish": "kb.plugins.postgres.command:publish"},
    backends=dict.fromkeys(SCHEMES, "kb.plugins.postgres.published:PublishedBuilds"),
)
