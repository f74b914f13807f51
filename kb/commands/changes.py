"""`kb changes`, `kb translated` and the lists of `kb check`: what changed since when, what needs a look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kb.build.paths import Paths
from kb.build.staging import write_atomically
from kb.core.problems import KbError, posix_path
from kb.records.header_edit import with_header_key
from kb.records.history import Change, changes, revision_of
from kb.records.library import Library, load
from kb.records.model import Ruling, dated_text, fingerprint
from kb.records.patch import locate
from kb.records.validity import NO_LONGER, sortable_date


@dataclass(frozen=True)
class ChangedRuling:
    """A ruling that changed.

    `what` is created, changed, moved, removed, dated, superseded, reversed or withdrawn; `ruling`,
    from the records or from a store, and `status` are None when it is gone.
    """

    key: str
    what: str
    moment: str
    revision: str
    status: str | None
    ruling: Any


def changed_since(places: Paths, since: str) -> list[ChangedRuling]:
    """Return the rulings that changed since a date or a revision, newest first, each once.

    By the records' git history; without one by the dates in the records. Raises KbError when `since`
    is neither.
    """
    library = load(places.rulings)
    date = _date(since)
    revision = "" if date else revision_of(places.rulings, since)
    history = changes(places.rulings, revision)
    if history is None:
        if not date:
            raise KbError(f"{since!r}: the records have no git history; give a date")
        return _by_dates(library, date)
    return [_changed(change, library) for change in latest_changes(history, date)]


def latest_changes(history: Iterable[Change], since: str = "") -> list[Change]:
    """Return the latest change of each record since a date, newest first.

    Its `what` is created for a record that was created since then, whatever happened to it later.
    """
    start = sortable_date(since) if since else ""
    window = [change for change in history if change.moment[:10].replace("-", "") >= start]
    created = {change.key for change in window if change.what == "created"}
    latest: dict[str, Change] = {}
    for change in window:
        latest.setdefault(change.key, change)
    return [
        replace(change, what="created") if key in created else change
        for key, change in latest.items()
    ]


def changed_ruling(change: Change, ruling: Any, status: str | None) -> ChangedRuling:
    """Describe a change of a ruling that now has this status, None when it is gone."""
    what = change.what
    if status is None:
        what = "removed"
    elif status in NO_LONGER and what != "dated":
        what = status
    return ChangedRuling(change.key, what, change.moment, change.revision, status, ruling)


def _date(since: str) -> str:
    try:
        return dated_text(since)
    except ValueError:
        return ""


def _changed(change: Change, library: Library) -> ChangedRuling:
    ruling = library.rulings.get(change.key)
    return changed_ruling(change, ruling, ruling.header.status if ruling else None)


def _by_dates(library: Library, since: str) -> list[ChangedRuling]:
    dated = []
    for ruling in library.rulings.values():
        moment = max(ruling.header.date or "", ruling.header.effective or "")
        if moment and sortable_date(moment, "31") >= sortable_date(since):
            dated.append(_changed(Change("", moment, ruling.key, "", "dated"), library))
    return sorted(dated, key=lambda change: (change.moment, change.key), reverse=True)


def stale(library: Library) -> Iterator[str]:
    """A line for each translation that was made from another original than the one that stands now."""
    for ruling in library.rulings.values():
        for lang in ruling.stale():
            text = ruling.text(lang)
            line = text.line if text else 1
            yield f"{ruling.path}:{line}: {lang}: the original changed since; look at it, then: kb translated {ruling.key}"


def to_review(library: Library) -> Iterator[str]:
    """A line for each ruling that has not been held against the newest edition of its game's rulebook."""
    for game in library.games.values():
        if game.header.editions:
            newest = game.header.editions[-1].id
            for ruling in library.of_game(game.id):
                if ruling.header.reviewed != newest and ruling.header.status == "current":
                    seen = ruling.header.reviewed or "none"
                    yield f"{ruling.path}:1: reviewed: {seen}; the newest edition is {newest}"


def translated(places: Paths, keys: Sequence[str]) -> list[str]:
    """Notes in the records with these keys or ids (all when none is named) that the translations fit the original as it stands.

    Returns the paths that were written. Raises KbError for an unknown one, or a file that cannot be written.
    """
    library = load(places.rulings)
    chosen = [_one(library, key) for key in keys] or list(library.rulings.values())
    written: dict[str, None] = {}
    # Of a collection the last first: what is written into a ruling moves all that follow.
    for ruling in sorted(chosen, key=lambda one: (one.path, -one.span[0])):
        marks = {text.lang: fingerprint(ruling.original) for text in ruling.texts[1:]}
        if marks == dict(ruling.header.translated_from):
            continue
        path = Path(ruling.path)
        try:
            place = locate(path.read_bytes(), ruling.id)
            if place is None:
                raise KbError(
                    f"{posix_path(path)}: the ruling {ruling.key} is no longer in this file"
                )
            write_atomically(
                path,
                place.file(with_header_key(place.text, "translated-from", marks)).decode("utf-8"),
            )
        except OSError as error:
            raise KbError(f"{posix_path(path)}: {error.strerror}") from error
        except ValueError as error:
            raise KbError(
                f"{posix_path(path)}: changed while it was read ({error}); run it again"
            ) from error
        written[posix_path(path)] = None
    return list(written)


def _one(library: Library, key: str) -> Ruling:
    found = [ruling for ruling in library.rulings.values() if key in (ruling.key, ruling.id)]
    if len(found) != 1:
        raise KbError(
            f"{key}: {'several rulings have this id; write game/id' if found else 'no such ruling'}"
        )
    return found[0]
