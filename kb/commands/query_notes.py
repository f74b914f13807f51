"""Filters of a query that can match nothing, as messages for whoever typed them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kb.records.fields import AUTHORITIES, KINDS, STATUSES
from kb.search.query import parse

if TYPE_CHECKING:
    from kb.commands.backend import Backend
    from kb.search.query import Filter

_DATES = ("before", "after", "asof")


def query_notes(query: str, backend: Backend) -> Iterator[str]:
    """Yield a message for each filter whose value is no date, or is not among the known values.

    A query is never an error: such a filter matches nothing, which is easily taken for an answer.
    """
    filters = parse(query).filters
    known = _known_values(backend) if any(item.name not in _DATES for item in filters) else {}
    for item in filters:
        if item.name in _DATES:
            yield from _date_note(item)
        elif item.name in known and item.value.lower() not in known[item.name]:
            values = ", ".join(known[item.name])
            yield f"{item.name}:{item.value} matches nothing; choose one of {values}"


def _date_note(item: Filter) -> Iterator[str]:
    from kb.records.model import valid_date

    try:
        valid_date(item.value)
    except ValueError as error:
        yield f"{item.name}: {error}"


def _known_values(backend: Backend) -> dict[str, tuple[str, ...]]:
    with backend.store() as store:
        languages = store.languages()
    return {
        "game": tuple(languages),
        "lang": tuple(sorted({code for codes in languages.values() for code in codes})),
        "kind": KINDS,
        "authority": AUTHORITIES,
        "status": (*STATUSES, "any"),
    }
