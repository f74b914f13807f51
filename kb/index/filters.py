"""The filters of a query -> the documents that they leave."""

from __future__ import annotations

from collections.abc import Sequence

from kb.index.build import ANY_RULES
from kb.index.engine import Engine
from kb.index.query import Filter
from kb.language import Table, fold, tokenize
from kb.records.standing import NO_LONGER, day, on


def select(
    engine: Engine, table: Table, filters: Sequence[Filter], game: str | None, lang: str | None, languages: Sequence[str]
) -> tuple[set[int] | None, set[int]]:
    """The documents that may be found (None: all) and those that may not. Values of one filter are alternatives.

    What no longer stands is left out unless the query asks about status, or about a day on which it stood.
    """
    given = [*filters, *([Filter("game", game)] if game else []), *([Filter("lang", lang)] if lang else [])]
    allowed: set[int] | None = None
    excluded: set[int] = set()
    wanted: dict[str, set[int]] = {}
    for one in given:
        if one.name == "status" and one.value.lower() == "any":
            continue
        found = _documents(engine, table, one, languages)
        if one.negated:
            excluded |= found
        elif one.name in ("before", "after", "asof"):
            allowed = found if allowed is None else allowed & found
        else:
            wanted[one.name] = wanted.get(one.name, set()) | found
    for found in wanted.values():
        allowed = found if allowed is None else allowed & found
    if not any(one.name in ("status", "asof") and not one.negated for one in given):
        for status in NO_LONGER:
            excluded |= engine.having("status", status)
    return allowed, excluded


def _documents(engine: Engine, table: Table, one: Filter, languages: Sequence[str]) -> set[int]:
    if one.name in ("before", "after"):
        return _dated(engine, one)
    if one.name == "asof":
        return _stood(engine, one.value)
    if one.name == "rules":
        return engine.having("rules", one.value.lower()) | engine.having("rules", ANY_RULES)
    if one.name == "card":
        return _about(engine, table, one.value, languages)
    value = one.value if one.name == "source" else one.value.lower()
    return engine.having(one.name, value)


def _dated(engine: Engine, one: Filter) -> set[int]:
    """`before:` leaves what is earlier than the day, month or year; `after:` what is of it or later; undated rulings neither."""
    if not one.value[:4].isdigit():
        return set()
    limit = day(one.value)
    dates = [
        date
        for date in engine.values("date")
        if date != "00000000" and ((date < limit) if one.name == "before" else (date >= limit))
    ]
    return {doc for date in dates for doc in engine.having("date", date)}


def _stood(engine: Engine, value: str) -> set[int]:
    """The documents that stood on a day (of a month or a year: on its last)."""
    if not value[:4].isdigit():
        return set()
    wanted = on(value)
    begun = {doc for date in engine.values("begins") if date <= wanted for doc in engine.having("begins", date)}
    return begun - {doc for date in engine.values("ends") if date <= wanted for doc in engine.having("ends", date)}


def _about(engine: Engine, table: Table, value: str, languages: Sequence[str]) -> set[int]:
    """The documents with a card of this name, as it is or in any case form of its words."""
    exact = engine.having("card", fold(value).replace(",", " ").strip())
    if exact:
        return exact
    typed = [_meant(table, token.text, languages) for token in tokenize(value)]
    found: set[int] = set()
    for name in engine.values("card") if typed else ():
        words = [token.text for token in tokenize(name)]
        if len(words) == len(typed) and all(_meant(table, word, languages) & one for word, one in zip(words, typed, strict=True)):
            found |= engine.having("card", name)
    return found


def _meant(table: Table, word: str, languages: Sequence[str]) -> set[str]:
    return {"=" + fold(word), *(lemma for lang in languages for lemma in table.analyse(word, lang).lemmas if lemma[0] in "^")}
