"""What changed, over HTTP: by the records' history where the builds know it, else by the dates of the rulings."""

from __future__ import annotations

from typing import Any

from kb.core import urls
from kb.records.history import Change
from kb.records.validity import NO_LONGER, sortable_date
from kb.server.pool import Base, Pool
from kb.store import lists
from kb.store.queries import Store, StoredRuling


def page_of_changes(pool: Pool, since: str, limit: int, offset: int) -> dict[str, Any]:
    """A page of the rulings that changed since a date, newest first, each with its latest change.

    The rows are those of `kb changes --format json`, of the build that is published.
    """

    def work(base: Base) -> dict[str, Any]:
        store = base.searcher.store
        history = base.catalogue.once("history", pool.builds.history)
        found = _dated(store, since) if history is None else _window(history, since)
        part = found[offset : offset + limit]
        rulings = {one.key: one for one in store.rulings([one.key for one, _ in part])}
        rows = [_row(one, new, rulings.get(one.key)) for one, new in part]
        return {"total": len(found), "limit": limit, "offset": offset, "results": rows}

    return pool.ask(work)


def _window(history: list[Change], since: str) -> list[tuple[Change, bool]]:
    """The latest change of each record since a day, and whether it was made within that time."""
    window = [
        one
        for one in history
        if not since or one.moment[:10].replace("-", "") >= sortable_date(since)
    ]
    new = {one.key for one in window if one.what == "created"}
    latest: dict[str, Change] = {}
    for one in window:
        latest.setdefault(one.key, one)
    return [(one, key in new) for key, one in latest.items()]


def _dated(store: Store, since: str) -> list[tuple[Change, bool]]:
    return [
        (Change("", moment, key, "", "dated"), False)
        for key, moment in lists.dated_rulings(store)
        if not since or sortable_date(moment, "31") >= sortable_date(since)
    ]


def _row(one: Change, new: bool, ruling: StoredRuling | None) -> dict[str, Any]:
    game, _, ruling_id = one.key.partition("/")
    if ruling is None:
        what = "removed"
    elif ruling.status in NO_LONGER and one.what != "dated":
        what = ruling.status
    else:
        what = "created" if new else one.what
    return {
        "id": ruling_id,
        "game": game,
        "what": what,
        "moment": one.moment,
        "revision": one.revision or None,
        "status": ruling.status if ruling else None,
        "title": {text.lang: text.title for text in ruling.texts} if ruling else {},
        "url": urls.ruling(game, ruling_id) if ruling else None,
    }
