"""Which rulings have changed since a date or revision, or been renamed?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from operator import attrgetter

from kb.core.problems import KbError
from kb.records.history import Change, changes, latest_changes, resolve_revision
from kb.records.library import Library
from kb.records.model import Ruling
from kb.records.validity import sortable_date, valid_date
from kb.records.values import id_error


def changed_since(library: Library, since: str) -> list[tuple[Change, Ruling | None]]:
    """Return the latest changes since a date or git revision, newest first, with their rulings.

    Without a git history the dates of rulings decide. Raises KbError when `since` is neither a date
    nor a revision.
    """
    date = ""
    with suppress(ValueError):
        date = valid_date(since)
    revision = "" if date else resolve_revision(library.root, since)
    history = changes(library.root, revision)
    if history is None and not date:
        raise KbError(f"{since!r}: the records have no git history; give a date")
    if history is None:
        latest = dated_changes(ruling_dates(library), date)
    else:
        latest = latest_changes(history, date)
    return [(change, library.rulings.get(change.key)) for change in latest]


def ruling_dates(library: Library) -> Iterator[tuple[str, str | None, str]]:
    """Yield the keys of all rulings with `date` and the `since` of their validity."""
    for key, ruling in library.rulings.items():
        yield key, ruling.header.date, library.validities[key].since


def dated_changes(rulings: Iterable[tuple[str, str | None, str]], since: str) -> list[Change]:
    """Return dates as changes since a date, newest first; see `ruling_dates`."""
    moments = [(max(date or "", begin), key) for key, date, begin in rulings]
    return [
        Change("", moment, key, "", "dated")
        for moment, key in sorted(moments, reverse=True)
        if moment and (not since or sortable_date(moment, "31") >= sortable_date(since))
    ]


def lost_ids(library: Library, history: Iterable[Change]) -> dict[str, str]:
    """Return the keys that rulings had before their records were renamed, with the keys of today.

    Keys that a ruling lists as former ids are left out: their addresses lead to it. `history`:
    newest first.
    """
    known = {*library.readable, *library.left_out}
    for ruling in library.readable.values():
        known.update(f"{ruling.game}/{name}" for name in ruling.header.formerly)
    # The key of today by the key of that time, empty if the record was removed.
    today: dict[str, str] = {}
    lost: dict[str, str] = {}
    for _, changes_at_once in groupby(history, attrgetter("revision")):
        found: dict[str, str] = {}
        for change in changes_at_once:
            if change.what == "removed":
                found[change.key] = ""
            elif change.key_before:
                found[change.key_before] = today.get(change.key, change.key)
        today |= found
        lost = found | lost

    def may_lead_on(before: str, now: str) -> bool:
        game, _, name = before.partition("/")
        return before not in known and now.startswith(f"{game}/") and not id_error(name)

    return {
        before: now
        for before, now in sorted(lost.items())
        if now in library.readable and may_lead_on(before, now)
    }
