"""`kb changes`: the rulings that changed since a date or a revision."""

from __future__ import annotations

from collections.abc import Sequence

from kb.records.changed import ChangedRuling


def changes_feed(rows: Sequence[ChangedRuling]) -> str:
    """Return changes as an Atom feed, without removed rulings."""
    from kb.site.feeds import Entry, feed, moment_of

    entries = [
        Entry(row.ruling, row.moment if "T" in row.moment else moment_of(row.moment))
        for row in rows
        if row.ruling
    ]
    return feed(entries, "", "Changed rulings", "1970-01-01")
