"""`kb changes`: the rulings that changed since a date or a revision."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kb.commands.options import Rulings, input_output, notify, paths_for, print_json
from kb.core import urls

if TYPE_CHECKING:
    from kb.records.changed import ChangedRuling

_DAYS = 30


def changes(
    since: Annotated[
        str,
        typer.Option(metavar="DATE|REV", help="A date, or a git revision (default: 30 days ago)."),
    ] = "",
    output_format: Annotated[
        Literal["text", "json", "atom"],
        input_output("--format", "-f", metavar="FORMAT", help="text, json or atom."),
    ] = "text",
    rulings: Rulings = None,
) -> None:
    """List the rulings that changed since a date or a revision, newest first.

    Example:
    kb changes --since 2026-01
    """
    from kb.records.changed import changed_since
    from kb.records.library import load
    from kb.serialize.answers import change_answer

    since = since or (datetime.now(UTC) - timedelta(days=_DAYS)).date().isoformat()
    rows = changed_since(load(paths_for(rulings).rulings), since)
    if output_format == "json":
        print_json([change_answer(row) for row in rows])
    elif output_format == "atom":
        print(_feed(rows), end="")
    else:
        for row in rows:
            title = row.ruling.original.title if row.ruling else ""
            day = row.change.moment[:10]
            print(f"{day:<10}  {row.what:<10}  {row.change.key}  {title}".rstrip())
    if not rows:
        notify(f"nothing has changed since {since}")
        raise typer.Exit(1)


def _feed(rows: Sequence[ChangedRuling]) -> str:
    """Return changes as an Atom feed, without removed rulings."""
    from kb.site.feeds import Channel, Entry, feed, moment_of

    moments = [(row.ruling, row.change.moment) for row in rows if row.ruling]
    entries = [
        Entry(ruling, moment if "T" in moment else moment_of(moment)) for ruling, moment in moments
    ]
    channel = Channel(urls.FEED, urls.HOME, "Changed rulings", "en")
    return feed(entries, channel, "", "1970-01-01")
