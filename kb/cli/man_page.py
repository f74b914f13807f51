"""The manual page kb(1), generated from the options that commands declare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import typer

from kb.cli.help_text import CommandHelp, describe, describe_group
from kb.commands.guides import guide_purposes

EXIT_CODES = (
    ("0", "Done."),
    ("1", "Problems found, or nothing found."),
    ("2", "Wrong usage: an unknown option, or a value that cannot be."),
    ("130", "Interrupted with Ctrl-C."),
)
ENVIRONMENT = (
    ("KB_RULINGS", "The folder of records, as with --rulings."),
    ("KB_DATA", "The folder for what kb build derives from the records for searching."),
    ("KB_DATABASE", "The URL of a PostgreSQL database, as with --database."),
    ("KB_TOKEN", "The token that editors log in with, as with kb serve --token."),
    ("KB_BROWSER", "The browser that kb pack prints PDF with."),
    ("NO_COLOR", "Switches colours off."),
)


def man_page(group: Any, ctx: typer.Context) -> str:
    """Return the manual page as troff source."""
    return "\n".join(_lines(group, ctx)) + "\n"


def _lines(group: Any, ctx: typer.Context) -> Iterator[str]:
    program = describe_group(group, ctx)
    yield '.TH KB 1 "" "kb" "User Commands"'
    yield ".SH NAME"
    yield r"kb \- rulings of trading card games: check, search and publish them"
    yield ".SH SYNOPSIS"
    yield f".B {_escape(program.usage)}"
    yield ".SH DESCRIPTION"
    for paragraph in program.paragraphs:
        yield from (".PP", _escape(paragraph))
    yield ".SH COMMANDS"
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        child = type(ctx)(command, info_name=name, parent=ctx)
        yield from _command(describe(command, child))
    yield ".SH EXIT STATUS"
    yield from _terms(EXIT_CODES)
    yield ".SH ENVIRONMENT"
    yield from _terms(ENVIRONMENT)
    yield ".SH GUIDES"
    yield from (".PP", "Shown by kb help and the name of a guide:")
    yield from _terms(tuple(guide_purposes().items()))


def _command(described: CommandHelp) -> Iterator[str]:
    yield f'.SS "{_escape(described.usage)}"'
    for paragraph in described.paragraphs:
        yield from (".PP", _escape(paragraph))
    for title, rows in described.sections:
        yield from (".PP", f".I {_escape(title)}")
        yield from _terms(rows)
    if described.examples:
        yield from (".PP", ".I Examples", ".EX")
        yield from (f"    {_escape(example)}" for example in described.examples)
        yield ".EE"


def _terms(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    for term, text in rows:
        yield from (".TP", f".B {_escape(term)}", _escape(text))


def _escape(text: str) -> str:
    """Escape what troff would take for its own: backslashes, hyphens, quotes, leading dots."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
    return rf"\&{text}" if text.startswith((".", "'")) else text
