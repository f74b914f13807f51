"""Postings in memory and packed: which documents have a term, how heavy it is there and where it stands.

Whoosh's segments and the store keep the same packed form, so that both engines read arrays and nothing is decoded number by
number. Weights are tenths. A packed piece bears a checksum: what is read is what was written, and damage is found where it is.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from kb.core.problems import NotBuilt
from kb.search.browser.streams import Document

Numbers = Sequence[int]
_WIDTHS = (("B", 0xFF), ("H", 0xFFFF), ("I", 0xFFFFFFFF))
# A field's value is a term beside those of the texts, none of which begins so.
FIELD = "@"
KEY = "key"
# The weight of a field's value, in tenths.
ONCE = 10


@dataclass(frozen=True, slots=True)
class Postings:
    """The documents with a term, in order, and its weight in each, in tenths."""

    docs: Numbers
    weights: Numbers


NOTHING = Postings((), ())


@dataclass(frozen=True, slots=True)
class Places:
    """How often a term stands in each document of its postings, and where: all positions in a row."""

    counts: Numbers
    places: Numbers


class Entry:
    """The postings of one term, with its number, while an index is written."""

    __slots__ = ("counts", "docs", "last", "number", "places", "weights")

    def __init__(self, number: int) -> None:
        self.number = number
        self.last = -1
        self.docs, self.weights, self.counts, self.places = (
            array("I"),
            array("I"),
            array("I"),
            array("I"),
        )

    def extend(self, docs: Numbers, weights: Numbers, counts: Numbers, places: Numbers) -> None:
        """Adds postings of documents after all that are there."""
        self.docs.extend(wide(docs))
        self.weights.extend(wide(weights))
        self.counts.extend(wide(counts))
        self.places.extend(wide(places))


class Packed(NamedTuple):
    """A term with its postings and its places, packed, and how many documents have it."""

    term: bytes
    lists: bytes
    places: bytes
    documents: int


class Inverted:
    """A few documents turned into postings by term; numbers must rise from document to document."""

    def __init__(self) -> None:
        self.terms: dict[str, Entry] = {}

    def value(self, number: int, name: str, value: str) -> int:
        """Takes in a value of a document's field; gives the number of its term."""
        entry = self.entry(field_term(name, value))
        entry.docs.append(number)
        entry.weights.append(ONCE)
        return entry.number

    def entry(self, term: str) -> Entry:
        """The postings of a term, new ones where there are none."""
        found = self.terms.get(term)
        if found is None:
            found = self.terms[term] = Entry(len(self.terms))
        return found

    def packed(self) -> Iterator[Packed]:
        """All terms in order."""
        for term, name in sorted(
            (name.encode("utf-8", "surrogatepass"), name) for name in self.terms
        ):
            entry = self.terms[name]
            yield Packed(
                term,
                pack(entry.docs, entry.weights),
                pack(entry.counts, entry.places),
                len(entry.docs),
            )

    def add(self, number: int, document: Document) -> list[int]:
        """Takes in a document; gives the numbers of its terms."""
        made: list[int] = []
        for terms, place, weight in zip(*document.words, strict=True):
            for term in terms:
                entry = self.entry(term)
                if entry.last == number:
                    entry.weights[-1] += weight
                    entry.counts[-1] += 1
                else:
                    entry.last = number
                    made.append(entry.number)
                    entry.docs.append(number)
                    entry.weights.append(weight)
                    entry.counts.append(1)
                entry.places.append(place)
        made += [self.value(number, name, value) for name, value in document.fields]
        return made


def field_term(name: str, value: str) -> str:
    """The term of a field's value."""
    return f"{FIELD}{name}:{value}"


def pack(*columns: Numbers) -> bytes:
    """Numbers as bytes, each column as narrow as its largest allows, after a checksum."""
    pieces = [b""]
    for column in columns:
        most = max(column, default=0)
        code = next(code for code, limit in _WIDTHS if most <= limit)
        narrow = array(code, column)
        if sys.byteorder != "little":
            narrow.byteswap()
        pieces += (code.encode(), len(column).to_bytes(4, "little"), narrow.tobytes())
    data = b"".join(pieces)
    return zlib.crc32(data).to_bytes(4, "little") + data


def unpack(data: bytes) -> list[array[int]]:
    """The columns of what `pack` gave. Raises NotBuilt when it is not as it was written."""
    if len(data) < 4 or zlib.crc32(memoryview(data)[4:]).to_bytes(4, "little") != data[:4]:
        raise NotBuilt("the index is damaged")
    columns = []
    place = 4
    while place < len(data):
        column = array(chr(data[place]))
        size = int.from_bytes(data[place + 1 : place + 5], "little") * column.itemsize
        column.frombytes(data[place + 5 : place + 5 + size])
        if sys.byteorder != "little":
            column.byteswap()
        columns.append(column)
        place += 5 + size
    return columns


def joined(pieces: Sequence[Numbers]) -> Numbers:
    """Several columns one after the other."""
    if len(pieces) == 1:
        return pieces[0]
    whole = wide(())
    for piece in pieces:
        whole.extend(wide(piece))
    return whole


def wide(numbers: Numbers) -> array[int]:
    """Numbers in a column that holds any."""
    return array("I", numbers)


def placed(postings: Postings, places: Places, wanted: Iterable[int]) -> dict[int, Numbers]:
    """Where a term stands in those of some documents that have it."""
    ends = list(accumulate(places.counts))
    found: dict[int, Numbers] = {}
    for doc in wanted:
        at = bisect_left(postings.docs, doc)
        if at < len(postings.docs) and postings.docs[at] == doc:
            found[doc] = places.places[ends[at] - places.counts[at] : ends[at]]
    return found


def without(
    entry: tuple[Numbers, ...], gone: Container[int]
) -> tuple[array[int], array[int], array[int], array[int]]:
    """Documents, weights, counts and places but those of some documents."""
    docs, weights, counts, places = entry
    kept = Entry(0)
    end = 0
    for at, doc in enumerate(docs):
        count = counts[at] if counts else 0
        end += count
        if doc not in gone:
            kept.extend(
                (doc,), weights[at : at + 1], counts[at : at + 1], places[end - count : end]
            )
    return kept.docs, kept.weights, kept.counts, kept.places
