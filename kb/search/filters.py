"""The filters of a query -> the documents that they leave, as one byte a document."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat

from kb.language import FormTable, fold, tokenize
from kb.records.validity import NO_LONGER, latest_day, sortable_date
from kb.search.document import ANY_RULES, UNDATED
from kb.search.engines.base import Index
from kb.search.postings import Numbers, field_term
from kb.search.query import Filter

# Above every value of a field.
LAST = "\U0010ffff"
_OPPOSITE = bytes([1, *bytes(255)])
Mask = bytes


def select(
    index: Index,
    table: FormTable,
    filters: Sequence[Filter],
    game: str | None,
    lang: str | None,
    languages: Sequence[str],
) -> Mask | None:
    """The documents that may be found: 1 at their numbers; None when all may. Values of one filter are alternatives.

    What no longer stands is left out unless the query asks about status, or about a day on which it stood.
    """
    given = [
        *filters,
        *([Filter("game", game)] if game else []),
        *([Filter("lang", lang)] if lang else []),
    ]
    masks: list[Mask] = []
    excluded: list[Numbers] = []
    wanted: dict[str, list[Numbers]] = {}
    for one in given:
        if one.name == "status" and one.value.lower() == "any":
            continue
        found = list(_documents(index, table, one, languages))
        if one.negated:
            excluded += found
        elif one.name in ("before", "after", "asof"):
            masks.append(_mask(index, found))
        else:
            wanted.setdefault(one.name, []).extend(found)
    masks += [_mask(index, found) for found in wanted.values()]
    if not any(one.name in ("status", "asof") and not one.negated for one in given):
        excluded += [_having(index, "status", status) for status in NO_LONGER]
    if any(excluded):
        masks.append(_mask(index, excluded).translate(_OPPOSITE))
    return _both(masks) if masks else None


def _mask(index: Index, found: Iterable[Numbers]) -> Mask:
    """1 at the numbers of some documents."""
    mask = bytearray(len(index.lengths))
    for docs in found:
        deque(map(mask.__setitem__, docs, repeat(1)), maxlen=0)
    return bytes(mask)


def _both(masks: Sequence[Mask]) -> Mask:
    """What all masks leave."""
    whole = int.from_bytes(masks[0], "little")
    for mask in masks[1:]:
        whole &= int.from_bytes(mask, "little")
    return whole.to_bytes(len(masks[0]), "little")


def _having(index: Index, name: str, value: str) -> Numbers:
    return index.postings(field_term(name, value)).docs


def _documents(
    index: Index, table: FormTable, one: Filter, languages: Sequence[str]
) -> Iterator[Numbers]:
    """The documents that a filter means, in one piece or several."""
    if one.name in ("before", "after"):
        yield from _dated(index, one)
    elif one.name == "asof":
        yield from _stood(index, one.value)
    elif one.name == "card":
        yield from _about(index, table, one.value, languages)
    else:
        yield _having(index, one.name, one.value if one.name == "source" else one.value.lower())
        if one.name == "rules":
            yield _having(index, one.name, ANY_RULES)


def _dated(index: Index, one: Filter) -> Iterator[Numbers]:
    """`before:` leaves what is earlier than the day, month or year; `after:` what is of it or later; undated rulings neither."""
    if one.value[:4].isdigit():
        low, high = (
            ("", sortable_date(one.value))
            if one.name == "before"
            else (sortable_date(one.value), LAST)
        )
        yield from (docs for date, docs in index.between("date", low, high) if date != UNDATED)


def _stood(index: Index, value: str) -> Iterator[Numbers]:
    """The documents that stood on a day (of a month or a year: on its last)."""
    if not value[:4].isdigit():
        return
    past = latest_day(value) + "\0"
    begun = _mask(index, (docs for _, docs in index.between("begins", "", past)))
    ended = _mask(index, (docs for _, docs in index.between("ends", "", past)))
    stood = _both([begun, ended.translate(_OPPOSITE)])
    yield [number for number, here in enumerate(stood) if here]


def _about(
    index: Index, table: FormTable, value: str, languages: Sequence[str]
) -> Iterator[Numbers]:
    """The documents with a card of this name, as it is or in any case form of its words."""
    exact = _having(index, "card", fold(value).replace(",", " ").strip())
    if exact:
        yield exact
        return
    typed = [_meant(table, token.text, languages) for token in tokenize(value)]
    for name, docs in index.between("card", "", LAST) if typed else ():
        words = [token.text for token in tokenize(name)]
        if len(words) == len(typed) and all(
            _meant(table, word, languages) & one for word, one in zip(words, typed, strict=True)
        ):
            yield docs


def _meant(table: FormTable, word: str, languages: Sequence[str]) -> set[str]:
    return {
        "=" + fold(word),
        *(
            lemma
            for lang in languages
            for lemma in table.analyse(word, lang).lemmas
            if lemma[0] in "^"
        ),
    }
