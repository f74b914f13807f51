"""Turns the filters of a query into conditions over the values of documents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from operator import contains

from kb.core.similar import did_you_mean
from kb.language import FormTable, fold, words_of
from kb.linking.names import form_meanings
from kb.records.fields import STATUSES, VALUE_FIELDS
from kb.records.validity import latest_day, sortable_date, today, valid_date
from kb.search.document import ANY_RULES, UNDATED, value_term
from kb.search.engines.base import AllOf, AnyOf, Condition, Index, Without
from kb.search.query import Filter, Query, query_words

# Sorts after every value of a field.
LAST = "\U0010ffff"
_DATES = ("before", "after", "asof")
# At most this many words after an unquoted value may belong to it: card:Darth Sidious.
_MORE_WORDS = 3


@dataclass(frozen=True)
class Selection:
    """The documents that meet every condition of `wanted` and none of `unwanted`."""

    wanted: tuple[Condition, ...] = ()
    unwanted: tuple[Condition, ...] = ()

    def of(self, condition: Condition) -> Condition:
        """The condition for the documents of the selection that meet another condition."""
        whole = AllOf((condition, *self.wanted)) if self.wanted else condition
        return Without(whole, AnyOf(self.unwanted)) if self.unwanted else whole


def select(
    index: Index,
    table: FormTable,
    filters: Sequence[Filter],
    languages: Sequence[str],
) -> Selection:
    """The documents that pass the filters; the values of one filter are alternatives.

    Rulings that are not in force today are left out, unless a filter asks for a status or a day.
    """
    wanted: list[Condition] = []
    unwanted: list[Condition] = []
    alternatives: dict[str, list[Condition]] = {}
    for chosen in filters:
        if chosen.name == "status" and chosen.value.lower() == "any":
            continue
        condition = _condition(index, table, chosen, languages)
        if chosen.negated:
            unwanted.append(condition)
        elif chosen.name in _DATES:
            wanted.append(condition)
        else:
            alternatives.setdefault(chosen.name, []).append(condition)
    wanted += [AnyOf(tuple(conditions)) for conditions in alternatives.values()]
    if not any(chosen.name in ("status", "asof") and not chosen.negated for chosen in filters):
        unwanted += _out_of_force(index)
    return Selection(tuple(wanted), tuple(unwanted))


def filter_notes(
    index: Index, table: FormTable, query: Query, languages: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    """Yield a message for each filter of a query with a bad date or an unknown value.

    Queries never fail; the message keeps an empty result from looking like an answer.
    `languages`: those of each game.
    """
    spoken = tuple(dict.fromkeys(code for codes in languages.values() for code in codes))
    known = {
        "game": tuple(languages),
        "lang": tuple(sorted(spoken)),
        **{name: field.choices for name, field in VALUE_FIELDS.items() if field.choices},
        "status": (*STATUSES, "any"),
    }
    for item in query.filters:
        if item.name in _DATES:
            bad = _date_problem(item.value)
            if bad:
                yield f"{item.name}: {bad}"
        elif item.name in known:
            if item.value.lower() not in known[item.name]:
                values = ", ".join(known[item.name])
                yield f"{item.name}:{item.value} matches nothing; choose one of {values}"
        elif not index.total(_condition(index, table, item, spoken)):
            nearest = _nearest(index.values(item.name, "", LAST), item.value, query_words(query))
            hint = did_you_mean([f'{item.name}:"{value}"' for value in nearest])
            yield f"{item.name}:{item.value} matches nothing{hint}"


def _nearest(values: Sequence[str], typed: str, words: Sequence[str]) -> list[str]:
    """The value of a field nearest to a typed one, to which the next words may belong, if any."""
    longer = [" ".join((typed, *words[:more])) for more in range(_MORE_WORDS, -1, -1)]
    near = (get_close_matches(fold(text), values, 1, cut) for cut in (0.9, 0.6) for text in longer)
    holding = sorted((value for value in values if fold(typed) in value), key=len)
    return next(filter(None, (*near, holding[:1])), [])


def _date_problem(value: str) -> str:
    """A message about a text that is not a date; empty for a date."""
    try:
        valid_date(value)
    except ValueError as error:
        return str(error)
    return ""


def _condition(
    index: Index, table: FormTable, given: Filter, languages: Sequence[str]
) -> Condition:
    if given.name in _DATES:
        if _date_problem(given.value):
            return AnyOf(())
        return _in_force(index, given.value) if given.name == "asof" else _dated(index, given)
    if given.name == "card":
        return _about(index, table, given.value, languages)
    value = given.value if given.name == "source" else given.value.lower()
    if given.name == "id":
        return AnyOf((value_term("id", value), value_term("formerly", value)))
    values = [value, ANY_RULES] if given.name == "rules" else [value]
    return _any_value(given.name, values)


def _any_value(name: str, values: Iterable[str]) -> AnyOf:
    return AnyOf(tuple(value_term(name, value) for value in values))


def _dated(index: Index, given: Filter) -> Condition:
    """The rulings earlier than a day, month or year (`before:`), or not earlier (`after:`).

    Undated rulings are neither.
    """
    day = sortable_date(given.value)
    low, high = ("", day) if given.name == "before" else (day, LAST)
    return _any_value("date", (date for date in index.values("date", low, high) if date != UNDATED))


def _out_of_force(index: Index) -> Iterator[Condition]:
    """Yield the conditions of `kb.records.validity.standing` for not being in force today."""
    after_today = today() + "\x01"
    yield _any_value("status", ("reversed", "withdrawn"))
    yield _any_value("ends", index.values("ends", "", after_today))
    yield _any_value("begins", index.values("begins", after_today, LAST))


def _in_force(index: Index, value: str) -> Condition:
    """The documents in force on a day, or on the last day of a month or a year."""
    past = latest_day(value) + "\x01"
    begun = _any_value("begins", index.values("begins", "", past))
    return Without(begun, _any_value("ends", index.values("ends", "", past)))


def _about(index: Index, table: FormTable, value: str, languages: Sequence[str]) -> Condition:
    """The documents with a card of this name, as typed or with its words inflected."""
    exact = value_term("card", fold(value).replace(",", " ").strip())
    if index.frequencies([exact]).get(exact):
        return exact
    meanings = form_meanings(table, languages)
    typed = [{fold(word), *meanings(word)} for word in words_of(value)]

    def is_named(name: str) -> bool:
        words = words_of(name)
        return len(words) == len(typed) and all(map(contains, typed, words))

    names = index.values("card", "", LAST) if typed else ()
    return _any_value("card", filter(is_named, names))
