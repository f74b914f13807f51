"""The engine `database`: the index in the store's own file.

A new index is written piece by piece; a change reads and writes the pieces of the terms that it touches.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from heapq import merge
from itertools import accumulate, count, groupby
from operator import sub
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.problems import NotBuilt
from kb.search.document import Document, length_step
from kb.search.engines.posting_tables import (
    BLOCK,
    BLOCKS,
    Piece,
    PostingRows,
    PostingWriter,
    about,
    clean,
)
from kb.search.postings import (
    KEY,
    NOTHING,
    ONCE,
    Inverted,
    Numbers,
    Places,
    Postings,
    field_term,
    joined,
    pack,
    placed,
    unpack,
    wide,
)

if TYPE_CHECKING:
    from kb.search.postings_builder import BuiltPostings

_STORE = "kb.sqlite"
Columns = list["array[int]"]


def build(folder: Path, gathered: BuiltPostings) -> int:
    """Writes an index of all the documents; see kb.search.engines.base.Engine."""
    numbers = {
        term: number
        for number, term in enumerate(sorted(gathered.terms | gathered.values.keys(), key=clean))
    }
    steps = bytes(map(length_step, gathered.lengths))
    documents = zip(
        count(), gathered.keys, gathered.lengths, gathered.terms_of_documents(numbers), strict=False
    )
    with PostingWriter(folder / _STORE) as writer:
        writer.create()
        writer.add_terms(numbers.items())
        writer.put(merge(_texts(gathered, numbers), _values(gathered, numbers)))
        writer.add_documents(documents)
        writer.put_blocks(
            (start // BLOCK, part, b"\1" * len(part))
            for start in range(0, len(steps), BLOCK)
            for part in (steps[start : start + BLOCK],)
        )
        writer.commit({"documents": len(steps), "terms": sum(gathered.lengths)})
    return len(steps)


def _texts(gathered: BuiltPostings, numbers: Mapping[str, int]) -> Iterator[Piece]:
    """The postings of all texts' terms, block by block."""
    for some in gathered.sorted(sorted(gathered.terms, key=numbers.__getitem__)):
        bounds, owners = some.blocks(BLOCK)
        blocks = (some.documents[bounds[:-1]] // BLOCK).tolist()
        for owner, block, (lists, places) in zip(
            owners.tolist(), blocks, some.packed(bounds), strict=True
        ):
            yield numbers[some.terms[owner]] * BLOCKS + block, lists, places


def _values(gathered: BuiltPostings, numbers: Mapping[str, int]) -> Iterator[Piece]:
    """The documents of all fields' values, block by block."""
    nowhere = pack((), ())
    for number, docs in sorted((numbers[name], docs) for name, docs in gathered.values.items()):
        for block, some in groupby(docs, lambda doc: doc // BLOCK):
            here = list(some)
            yield number * BLOCKS + block, pack(here, [ONCE] * len(here)), nowhere


def _packed_terms(terms: Iterable[int]) -> bytes:
    """The numbers of a document's terms, as differences: what is to be changed when it goes."""
    numbers = sorted(terms)
    return pack(list(map(sub, numbers, [0, *numbers])))


def _pieces(inverted: Inverted) -> Iterator[Piece]:
    """The postings of all terms, block by block."""
    for entry in inverted.terms.values():
        ends = [0, *accumulate(entry.counts)] if entry.counts else []
        start = 0
        while start < len(entry.docs):
            block = entry.docs[start] // BLOCK
            end = bisect_left(entry.docs, (block + 1) * BLOCK, start)
            places = entry.places[ends[start] : ends[end]] if ends else ()
            yield (
                entry.number * BLOCKS + block,
                pack(entry.docs[start:end], entry.weights[start:end]),
                pack(entry.counts[start:end], places),
            )
            start = end


def update(folder: Path, documents: Iterable[Document], removed: Collection[str]) -> None:
    """Takes documents in and out; see kb.search.engines.base.Engine."""
    told = about(folder / _STORE)
    with PostingWriter(folder / _STORE) as writer:
        change = _Change(writer)
        new = {one.key: one for one in documents}
        for key in (*new, *(key for key in removed if key not in new)):
            change.take_out(key)
        change.take_in(new.values())
        change.write()
        writer.commit(
            {
                "documents": told["documents"] + change.documents,
                "terms": told["terms"] + change.terms,
            }
        )


class _Change:
    """Documents on their way in and out."""

    def __init__(self, writer: PostingWriter) -> None:
        self.writer = writer
        self.documents = self.terms = 0
        self.gone: dict[int, list[int]] = defaultdict(list)
        self.come = Inverted()
        self.steps: dict[int, tuple[bytearray, bytearray]] = {}

    def take_out(self, key: str) -> None:
        """Marks what there is of the document with a key."""
        found = self.writer.document(key)
        if found is None:
            return
        number, length, terms = found
        for term in accumulate(unpack(terms)[0]):
            self.gone[term * BLOCKS + number // BLOCK].append(number)
        self.writer.drop_document(number)
        self._set(number, 0, 0)
        self.documents -= 1
        self.terms -= length

    def take_in(self, documents: Iterable[Document]) -> None:
        """Gathers new documents; they get the numbers that are free, and then those above all."""
        free = self._free()
        rows = []
        for number, one in sorted(zip(free, documents, strict=False), key=lambda pair: pair[0]):
            terms = self.come.add(number, one)
            self._set(number, length_step(one.length), 1)
            self.documents += 1
            self.terms += one.length
            rows.append((number, one.key, one.length, terms))
        known = self.writer.term_numbers(self.come.terms)
        last = self.writer.next_term()
        numbers = {}
        for at, (term, entry) in enumerate(self.come.terms.items()):
            numbers[entry.number] = known.get(term, last + at)
            entry.number = numbers[entry.number]
        self.writer.add_terms(
            (term, entry.number) for term, entry in self.come.terms.items() if term not in known
        )
        self.writer.add_documents(
            (number, key, length, _packed_terms(numbers[term] for term in terms))
            for number, key, length, terms in rows
        )

    def _free(self) -> Iterator[int]:
        """Numbers without a document, ascending."""
        blocks = dict(self.writer.blocks())
        blocks.update((block, bytes(live)) for block, (_, live) in self.steps.items())
        for block in range(BLOCKS):
            live = blocks.get(block, b"").ljust(BLOCK, b"\0")
            at = live.find(0)
            while at >= 0:
                yield block * BLOCK + at
                at = live.find(0, at + 1)

    def _set(self, number: int, step: int, live: int) -> None:
        block, at = divmod(number, BLOCK)
        if block not in self.steps:
            held = self.writer.block(block) or (b"", b"")
            self.steps[block] = (bytearray(held[0]), bytearray(held[1]))
        for column, value in zip(self.steps[block], (step, live), strict=True):
            column.extend(bytes(max(0, at + 1 - len(column))))
            column[at] = value

    def write(self) -> None:
        """Writes the pieces that change."""
        new = {
            number: (unpack(lists), unpack(places)) for number, lists, places in _pieces(self.come)
        }
        changed: list[Piece] = []
        empty: list[int] = []
        for number in self.gone.keys() | new.keys():
            held = self.writer.piece(number)
            columns = (
                [wide(column) for part in held for column in unpack(part)]
                if held
                else [wide(()) for _ in range(4)]
            )
            for doc in self.gone.get(number, ()):
                _cut(columns, doc)
            if number in new:
                _insert(columns, new[number])
            if columns[0]:
                changed.append((number, pack(*columns[:2]), pack(*columns[2:])))
            else:
                empty.append(number)
        self.writer.put(changed)
        self.writer.drop_pieces(empty)
        self.writer.put_blocks(
            (block, bytes(lengths), bytes(live)) for block, (lengths, live) in self.steps.items()
        )


def _cut(columns: Columns, doc: int) -> None:
    """Takes a document out of a piece."""
    docs, weights, counts, places = columns
    at = bisect_left(docs, doc)
    if at == len(docs) or docs[at] != doc:
        raise NotBuilt("the index is damaged")
    if counts:
        start = sum(counts[:at])
        del places[start : start + counts[at]], counts[at]
    del docs[at], weights[at]


def _insert(columns: Columns, new: tuple[Columns, Columns]) -> None:
    """Puts documents that are not there into a piece."""
    docs, weights, counts, places = columns
    (new_docs, new_weights), (new_counts, new_places) = new
    end = 0
    for place, doc in enumerate(new_docs):
        at = bisect_left(docs, doc)
        if new_counts:
            start = sum(counts[:at])
            end += new_counts[place]
            places[start:start] = wide(new_places[end - new_counts[place] : end])
            counts.insert(at, new_counts[place])
        docs.insert(at, doc)
        weights.insert(at, new_weights[place])


class DatabaseIndex:
    """An index opened for reading; see kb.search.engines.base.Index."""

    def __init__(self, rows: PostingRows) -> None:
        self._rows = rows
        self.count = self._rows.about["documents"]
        self.average_length = self._rows.about["terms"] / self.count if self.count else 1.0
        blocks = self._rows.blocks()
        self.lengths = b"".join(lengths for lengths, _ in blocks)
        self.live = b"".join(live for _, live in blocks)
        self.postings = lru_cache(maxsize=2048)(self._postings)

    def _postings(self, term: str) -> Postings:
        pieces = [unpack(piece) for piece in self._rows.postings(term)]
        return (
            Postings(
                joined([docs for docs, _ in pieces]), joined([weights for _, weights in pieces])
            )
            if pieces
            else NOTHING
        )

    def places(self, term: str, documents: Iterable[int]) -> dict[int, Numbers]:
        pieces = [unpack(piece) for piece in self._rows.places(term)]
        whole = Places(
            joined([counts for counts, _ in pieces]), joined([places for _, places in pieces])
        )
        return placed(self.postings(term), whole, documents)

    def between(self, name: str, low: str, high: str) -> Iterator[tuple[str, Numbers]]:
        if name == KEY:
            for key, doc in self._rows.documents(low, high):
                yield key, (doc,)
            return
        start = field_term(name, "")
        for term in self._rows.terms(start + low, start + high):
            yield term[len(start) :], self.postings(term).docs

    def keys(self, documents: Iterable[int]) -> dict[int, str]:
        wanted = list(documents)
        found = {}
        for start in range(0, len(wanted), 500):
            found.update(self._rows.keys(wanted[start : start + 500]))
        return found

    def close(self) -> None:
        self._rows.close()


def open_index(folder: Path) -> DatabaseIndex:
    """The index of a build; see kb.search.engines.base.Engine."""
    return DatabaseIndex(PostingRows(folder / _STORE))


def words(folder: Path) -> Iterator[tuple[int, list[str]]]:
    """The terms of every document of a build's index, by its number. Raises NotBuilt when there is no index."""
    with PostingRows(folder / _STORE) as rows:
        names = rows.term_names()
        for number, terms in rows.document_terms():
            yield number, sorted(names[term] for term in accumulate(unpack(terms)[0]))
