"""The filters of a query -> conditions over the values of documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.language import FormTable, fold, tokenize
from kb.records.validity import EVER, NO_LONGER, latest_day, sortable_date, today
from kb.search.document import ANY_RULES, UNDATED, value_term
from kb.search.engines.base import AllOf, AnyOf, Condition, Index, Without
from kb.search.query import Filter

# Above every value of a field.
LAST = "\U0010ffff"


@dataclass(frozen=True)
class Selection:
    """The documents that may be found.

    Those that meet every condition of `wanted` and none of `unwanted`.
    """

    wanted: tuple[Condition, ...] = ()
    unwanted: tuple[Condition, ...] = ()

    def of(self, condition: Condition) -> Condition:
        """The documents that meet a condition and may be found."""
        whole = AllOf((condition, *self.wanted)) if self.wanted else condition
        return Without(whole, AnyOf(self.unwanted)) if self.unwanted else whole


def select(
    index: Index,
    table: FormTable,
    given: Sequence[Filter],
    languages: Sequence[str],
) -> Selection:
    """The documents that filters leave. Values of one filter are alternatives.

    A ruling that is no longer in force is left out unless the query asks about status, or about a
    day on which it was in force.
    """
    wanted: list[Condition] = []
    unwanted: list[Condition] = []
    alternatives: dict[str, list[Condition]] = {}
    for condition in given:
        if condition.name == "status" and condition.value.lower() == "any":
            continue
        found = _condition(index, table, condition, languages)
        if condition.negated:
            unwanted.append(found)
        elif condition.name in ("before", "after", "asof"):
            wanted.append(found)
        else:
            alternatives.setdefault(condition.name, []).append(found)
    wanted += [AnyOf(tuple(several)) for several in alternatives.values()]
    if not any(one.name in ("status", "asof") and not one.negated for one in given):
        unwanted += [value_term("status", status) for status in NO_LONGER]
        unwanted += [_any_value("ends", index.values("ends", EVER, today() + "\x01"))]
    return Selection(tuple(wanted), tuple(unwanted))


def _condition(
    index: Index, table: FormTable, given: Filter, languages: Sequence[str]
) -> Condition:
    if given.name in ("before", "after"):
        return _dated(index, given)
    if given.name == "asof":
        return _stood(index, given.value)
    if given.name == "card":
        return _about(index, table, given.value, languages)
    value = given.value if given.name == "source" else given.value.lower()
    values = [value, ANY_RULES] if given.name == "rules" else [value]
    return _any_value(given.name, values)


def _any_value(name: str, values: Iterable[str]) -> AnyOf:
    return AnyOf(tuple(value_term(name, value) for value in values))


def _dated(index: Index, given: Filter) -> Condition:
    """`before:` leaves what is earlier than the day, month or year.

    `after:` what is of it or later; undated rulings neither.
    """
    if not given.value[:4].isdigit():
        return AnyOf(())
    day = sortable_date(given.value)
    low, high = ("", day) if given.name == "before" else (day, LAST)
    return _any_value("date", (date for date in index.values("date", low, high) if date != UNDATED))


def _stood(index: Index, value: str) -> Condition:
    """The documents that stood on a day (of a month or a year: on its last)."""
    if not value[:4].isdigit():
        return AnyOf(())
    past = latest_day(value) + "\x01"
    begun = _any_value("begins", index.values("begins", "", past))
    return Without(begun, _any_value("ends", index.values("ends", "", past)))


def _about(index: Index, table: FormTable, value: str, languages: Sequence[str]) -> Condition:
    """The documents with a card of this name, as it is or in any case form of its words."""
    exact = value_term("card", fold(value).replace(",", " ").strip())
    if index.frequencies([exact]).get(exact):
        return exact
    typed = [_meant(table, token.text, languages) for token in tokenize(value)]
    names = []
    for name in index.values("card", "", LAST) if typed else ():
        words = [token.text for token in tokenize(name)]
        if len(words) == len(typed) and all(
            _meant(table, word, languages) & meant for word, meant in zip(words, typed, strict=True)
        ):
            names.append(name)
    return _any_value("card", names)


def _meant(table: FormTable, word: str, languages: Sequence[str]) -> set[str]:
    lemmas = (
        lemma for lang in languages for lemma in table.analyse(word, lang).lemmas if lemma[0] == "^"
    )
    return {"=" + fold(word), *lemmas}
