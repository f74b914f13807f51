"""Changed rulings, in the shape of `kb changes --format json`."""

from __future__ import annotations

from kb.records.changed import changed_ruling
from kb.records.history import Change, LatestChange, latest_changes
from kb.records.validity import sortable_date
from kb.serialize.answers import change_answer
from kb.serialize.api_answers import Changes
from kb.server.pool import OpenBuild, SearchPool
from kb.store import lists
from kb.store.queries import Store


def page_of_changes(pool: SearchPool, since: str, limit: int, offset: int) -> Changes:
    """Return a page of the rulings that changed since a date, each with its latest change.

    By the records' history; where no history is known, by the dates of the rulings.
    """

    def work(build: OpenBuild) -> Changes:
        store = build.searcher.store
        history = build.catalogue.cached("history", pool.builds.history)
        found = _by_dates(store, since) if history is None else latest_changes(history, since)
        page = found[offset : offset + limit]
        keys = [latest.change.key for latest in page]
        rulings = {ruling.key: ruling for ruling in store.rulings(keys)}
        results = []
        for latest in page:
            ruling = rulings.get(latest.change.key)
            status = ruling.status if ruling else None
            results.append(change_answer(changed_ruling(latest, ruling, status)))
        return Changes(len(found), limit, offset, results)

    return pool.run(work)


def _by_dates(store: Store, since: str) -> list[LatestChange]:
    return [
        LatestChange(Change("", moment, key, "", "dated"), False)
        for key, moment in lists.dated_rulings(store)
        if not since or sortable_date(moment, "31") >= sortable_date(since)
    ]
