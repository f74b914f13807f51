"""`kb changes`: the rulings that changed since a date or a revision."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.options import notify, paths_for, print_json

if TYPE_CHECKING:
    from kb.records.history import Change
    from kb.records.library import Library

_DAYS = 30


@click.command()
@click.option(
    "--since",
    default="",
    metavar="DATE|REV",
    help="A date, or a git revision (default: 30 days ago).",
)
@options.output_format(words=["text", "json"], default="text")
@options.rulings()
def changes(since: str, output_format: str, rulings: Path | None) -> None:
    """List the rulings that changed since a date or a revision, newest first.

    \b
    Example:
    kb changes --since 2026-01
    """
    from kb.records.changed import changed_since
    from kb.records.library import load
    from kb.serialize.answers import change_answer

    since = since or (datetime.now(UTC) - timedelta(days=_DAYS)).date().isoformat()
    library = load(paths_for(rulings).rulings)
    rows = changed_since(library, since)
    if output_format == "json":
        print_json([change_answer(*row, _status(row[0], library)) for row in rows])
    else:
        for change, ruling in rows:
            title = ruling.original.title if ruling else ""
            what = change.outcome(_status(change, library))
            print(f"{change.moment[:10]:<10}  {what:<10}  {change.key}  {title}".rstrip())
    if not rows:
        notify(f"nothing has changed since {since}")
        sys.exit(1)


def _status(change: Change, library: Library) -> str | None:
    """The status of the ruling; None if it was removed, empty if its record has problems."""
    if change.key in library.rulings:
        return library.rulings[change.key].header.status
    return "" if change.key in library.left_out else None
