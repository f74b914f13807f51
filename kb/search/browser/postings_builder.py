"""All documents of a base as columns, and their postings sorted by term: numpy does for millions of them what would take
Python a step for each.

Analysing is shared among the cores; the same documents give the same postings in whatever parts they were gathered.
"""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, chain
from typing import Any

import numpy as np

from kb.search.browser.postings import field_term
from kb.search.browser.streams import Document, Terms

# So many postings are sorted at a time.
_CHUNK = 1_000_000
_CODES = {1: b"B", 2: b"H", 4: b"I"}
Column = Any  # numpy's arrays of whole numbers


class _Numbers(dict[Terms, int]):
    """Terms that stand together, numbered as they come."""

    def __missing__(self, terms: Terms) -> int:
        self[terms] = number = len(self)
        return number


class PostingsBuilder:
    """Takes in documents, in order."""

    def __init__(self) -> None:
        self.numbers = _Numbers()
        self.keys: list[str] = []
        self.lengths: list[int] = []
        self.values: dict[str, array[int]] = {}
        # By word: its number, its place, its weight; and how many words each document has.
        self.columns = array("I"), array("I"), array("H")
        self.counts = array("I")

    def add(self, document: Document) -> None:
        """Takes in a document."""
        words, places, weights = self.columns
        number, numbers = len(self.keys), self.numbers
        words.extend([numbers[terms] for terms in document.words.terms])
        self.counts.append(len(document.words.terms))
        places.extend(document.words.places)
        weights.extend(document.words.weights)
        self.keys.append(document.key)
        self.lengths.append(document.length)
        for name, value in document.fields:
            self.values.setdefault(field_term(name, value), array("I")).append(number)

    def take(self, other: PostingsBuilder) -> None:
        """Takes in the documents that another has, after its own."""
        numbers = np.array([self.numbers[terms] for terms in other.numbers], dtype=np.uint32)
        base = len(self.keys)
        self.columns[0].frombytes(numbers[_array(other.columns[0])].tobytes())
        for column, piece in zip(
            (*self.columns[1:], self.counts), (*other.columns[1:], other.counts), strict=True
        ):
            column.extend(piece)
        self.keys += other.keys
        self.lengths += other.lengths
        for name, found in other.values.items():
            self.values.setdefault(name, array("I")).extend(base + number for number in found)

    def done(self) -> BuiltPostings:
        """Everything that was taken in."""
        words, places, weights = map(_array, self.columns)
        documents = np.repeat(np.arange(len(self.keys), dtype=np.uint32), _array(self.counts))
        return BuiltPostings(
            self.keys,
            self.lengths,
            self.values,
            list(self.numbers),
            words,
            documents,
            places,
            weights,
        )


def _array(column: array[int]) -> Column:
    """A column for numpy, in the same memory."""
    return np.frombuffer(column, np.dtype(f"u{column.itemsize}"))


@dataclass(frozen=True)
class Sorted:
    """The postings of some terms in order.

    `starts`: where each term's begin, with the end of the last. By posting: `documents`, `weights` (tenths), `counts` (how many
    places). `ends`: where each posting's places begin, with the end of the last; `places`: all of them.
    """

    terms: Sequence[str]
    starts: Column
    documents: Column
    weights: Column
    counts: Column
    ends: Column
    places: Column

    def packed(self, bounds: Column) -> Iterator[tuple[bytes, bytes]]:
        """Postings and places of every piece between two bounds, as `kb.search.postings.pack` gives them."""
        lists = _packed((self.documents, bounds), (self.weights, bounds))
        return zip(
            lists, _packed((self.counts, bounds), (self.places, self.ends[bounds])), strict=True
        )

    def stepped(self) -> Iterator[tuple[str, list[int], list[int]]]:
        """Every term with its documents (differences) and weights in a row, and with its counts and places (of each document
        the first, then differences, none twice)."""
        first, owners = self.starts[:-1], np.repeat(np.arange(len(self.documents)), self.counts)
        once = _differs(owners, self.places)
        counts = np.bincount(owners[once], minlength=len(self.documents))
        ends = np.append(0, np.cumsum(counts))
        documents, weights = _steps(self.documents, first).tolist(), self.weights.tolist()
        many, places = counts.tolist(), _steps(self.places[once], ends[:-1]).tolist()
        starts, reached = self.starts.tolist(), ends[self.starts].tolist()
        for term, start, end, low, high in zip(
            self.terms, starts, starts[1:], reached, reached[1:], strict=False
        ):
            yield (
                term,
                documents[start:end] + weights[start:end],
                many[start:end] + places[low:high],
            )

    def blocks(self, size: int) -> tuple[Column, Column]:
        """The bounds of pieces of which each is of one term and of one block of `size` documents; and the term of each, by its
        place among the terms."""
        owners = np.repeat(np.arange(len(self.terms)), np.diff(self.starts))
        block = self.documents // size
        starts = np.flatnonzero(_differs(owners, block))
        return np.append(starts, len(block)), owners[starts]


@dataclass(frozen=True)
class BuiltPostings:
    """Documents as columns: `keys` and `lengths` by document; `values`: documents by the term of a field's value; `words`: terms
    that stand together, by number. By word of a text: its number, its document, its place there and its weight in tenths."""

    keys: list[str]
    lengths: list[int]
    values: dict[str, array[int]]
    words: list[Terms]
    word: Column
    document: Column
    place: Column
    weight: Column

    @cached_property
    def terms(self) -> set[str]:
        """The terms of all texts, without those of fields."""
        return set(chain.from_iterable(self.words))

    def sorted(self, order: Sequence[str]) -> Iterator[Sorted]:
        """The postings of all texts' terms, which `order` gives in the order that is wanted, some terms at a time."""
        flat, owners = self._flat({term: rank for rank, term in enumerate(order)})
        each = np.bincount(self.word, minlength=len(self.words))
        reached = np.cumsum(np.bincount(flat, weights=each[owners], minlength=len(order)))
        low = 0
        while low < len(order):
            before = reached[low - 1] if low else 0
            high = max(low + 1, int(np.searchsorted(reached, before + _CHUNK, side="right")))
            chosen = (flat >= low) & (flat < high)
            yield self._some(order[low:high], flat[chosen] - low, owners[chosen])
            low = high

    def _flat(self, numbers: dict[str, int]) -> tuple[Column, Column]:
        """The terms of all words by their numbers, one word after the other, and the word of each."""
        flat = np.array([numbers[term] for terms in self.words for term in terms], dtype=np.int64)
        return flat, np.repeat(np.arange(len(self.words)), [len(terms) for terms in self.words])

    def _some(self, terms: Sequence[str], flat: Column, owners: Column) -> Sorted:
        at, ranks = self._spread(flat, owners, self.word)
        order = np.argsort(ranks, kind="stable")
        at, ranks = at[order], ranks[order]
        documents = self.document[at]
        starts = np.flatnonzero(_differs(ranks, documents))
        ends = np.append(starts, len(at))
        return Sorted(
            terms,
            np.searchsorted(ranks[starts], np.arange(len(terms) + 1)),
            documents[starts],
            np.add.reduceat(self.weight[at].astype(np.uint32), starts),
            np.diff(ends),
            ends,
            self.place[at],
        )

    def _spread(self, flat: Column, owners: Column, word: Column) -> tuple[Column, Column]:
        """The terms of words that stand one after the other: the place of each word, and the term, as often as there is one."""
        many = np.bincount(owners, minlength=len(self.words))
        first = np.cumsum(many) - many
        each = many[word]
        at = np.repeat(np.arange(len(word)), each)
        within = np.arange(len(at)) - np.repeat(np.cumsum(each) - each, each)
        return at, flat[first[word[at]] + within]

    def terms_of_documents(self, numbers: dict[str, int]) -> Iterator[bytes]:
        """For every document the numbers of its terms, of texts and fields, ascending, as differences and packed."""
        flat, owners = self._flat(numbers)
        fields = sorted((doc, numbers[name]) for name, docs in self.values.items() for doc in docs)
        field_docs, field_terms = (
            np.array([pair[one] for pair in fields], dtype=np.int64) for one in (0, 1)
        )
        step = max(1, _CHUNK * len(self.keys) // max(1, len(self.word) * 4))
        for low in range(0, len(self.keys), step):
            high = min(low + step, len(self.keys))
            words, values = (
                slice(*np.searchsorted(column, (low, high)))
                for column in (self.document, field_docs)
            )
            at, terms = self._spread(flat, owners, self.word[words])
            docs = np.append(self.document[words][at], field_docs[values])
            both = np.sort((docs - low) * len(numbers) + np.append(terms, field_terms[values]))
            docs, terms = np.divmod(both[_differs(both)], len(numbers))
            bounds = np.searchsorted(docs, np.arange(high - low + 1))
            yield from _packed((_steps(terms, bounds[:-1][np.diff(bounds) > 0]), bounds))


def _differs(*columns: Column) -> Column:
    """Whether a row differs from the one before; the first does."""
    found = np.ones(len(columns[0]), dtype=bool)
    found[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in columns])
    return found


def _steps(column: Column, starts: Column) -> Column:
    """Every number as the difference to the one before; those at some places stay."""
    steps = np.diff(column.astype(np.int64), prepend=0)
    steps[starts] = column[starts]
    return steps


def _packed(*columns: tuple[Column, Column]) -> Iterator[bytes]:
    """What `kb.search.postings.pack` gives for every piece of some columns, each with the bounds of its pieces."""
    for pieces in zip(*(_narrowed(column, bounds) for column, bounds in columns), strict=True):
        data = b"".join(pieces)
        yield zlib.crc32(data).to_bytes(4, "little") + data


def _narrowed(column: Column, bounds: Column) -> Iterator[bytes]:
    """Every piece of a column, as narrow as its largest number allows; the whole is made narrow once for each width."""
    most = [0] * (len(bounds) - 1)
    full = np.flatnonzero(np.diff(bounds))
    if len(full):
        for at, value in zip(
            full.tolist(), np.maximum.reduceat(column, bounds[full]).tolist(), strict=True
        ):
            most[at] = value
    widths = [1 if one <= 0xFF else 2 if one <= 0xFFFF else 4 for one in most]
    whole = {width: column.astype(f"<u{width}").tobytes() for width in set(widths)}
    places = bounds.tolist()
    for start, end, width in zip(places, places[1:], widths, strict=False):
        yield (
            _CODES[width]
            + (end - start).to_bytes(4, "little")
            + whole[width][start * width : end * width]
        )


def gathered(documents: Iterable[Document]) -> BuiltPostings:
    """Documents, in order."""
    made = PostingsBuilder()
    for one in documents:
        made.add(one)
    return made.done()


def contiguous(sizes: Sequence[int], parts: int) -> list[slice]:
    """Cuts things of some sizes into at most so many parts of neighbours that are about as large as each other."""
    reached = list(accumulate(sizes))
    bounds = [0]
    for part in range(1, parts):
        at = (
            next(
                (at for at, size in enumerate(reached) if size * parts >= reached[-1] * part),
                len(sizes) - 1,
            )
            + 1
        )
        bounds.append(min(at, len(sizes)))
    return [
        slice(start, end)
        for start, end in zip(bounds, [*bounds[1:], len(sizes)], strict=True)
        if start < end
    ]
