"""A whole browser's index, from nothing or from the one before."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import merge
from operator import sub
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.core import urls
from kb.language import FormTable
from kb.records.library import Library
from kb.records.model import Ruling
from kb.search.analyzer import Analyzer
from kb.search.browser import rows
from kb.search.browser.rows import Contribution, Posting, contribution
from kb.search.browser.settings import settings
from kb.search.browser.shards import (
    HASH_LENGTH,
    Cutter,
    Files,
    Row,
    Shard,
    order,
    ranges,
    script,
)
from kb.search.indexing import folded_cards, gather, stored_length
from kb.search.postings import ONCE, field_term

if TYPE_CHECKING:
    from kb.search.postings_builder import BuiltPostings

# Characters a shard: smaller ones are more files for a query, larger ones more bytes (measured: tests/benchmarks/browser.py).
SIZES = {"f": 22_000, "p": 20_000, "w": 44_000, "s": 15_000, "c": 15_000, "x": 7_000}
BLOCK = 4096
BASE = "base.js"
# Where more of the base than this has changed, it is made from nothing.
_MUCH = 0.2
_JOINED: dict[str, Callable[[list[Any]], object]] = {
    "f": "\n".join,
    "s": "\n".join,
    "c": list,
    "x": list,
    "p": dict,
    "w": dict,
}


@dataclass(frozen=True)
class Offline:
    """What an index was made of, kept for the next one: the documents in order, how long each is, the lemmas that they have,
    and the shards by kind."""

    keys: list[str]
    lengths: list[int]
    lemmas: list[str]
    shards: dict[str, list[Shard]]

    def save(self, path: Path) -> None:
        """Writes it as JSON."""
        path.write_text(
            rows.dumped([self.keys, self.lengths, self.lemmas, self.shards]), encoding="utf-8"
        )

    @classmethod
    def read(cls, path: Path) -> Offline | None:
        """What `save` wrote; None where there is nothing, or nothing whole."""
        try:
            keys, lengths, lemmas, shards = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                keys,
                lengths,
                lemmas,
                {kind: [Shard(*one) for one in found] for kind, found in shards.items()},
            )
        except (OSError, ValueError, TypeError, AttributeError):
            return None


@dataclass(frozen=True)
class Before:
    """The index that lies in the folder already: `table` is the one that it was made with, `contributions` what the documents
    added to it that are gone or may have changed."""

    made: Offline
    table: FormTable
    contributions: Mapping[str, Contribution]


class _Writer:
    """What both ways of making an index share."""

    def __init__(self, library: Library, table: FormTable, folder: Path) -> None:
        self.library, self.table, self.folder = library, table, folder
        self.files = Files(folder)
        self.rulings = list(library.rulings.values())
        self.analysers = {game.id: Analyzer(game, table) for game in library.games.values()}
        self.games = {game: list(analyser.languages) for game, analyser in self.analysers.items()}
        self.languages = sorted({lang for group in self.games.values() for lang in group})

    def cutter(self, kind: str) -> Cutter:
        return Cutter(self.files, kind, SIZES[kind], _JOINED[kind])

    def contribution(self, ruling: Ruling) -> Contribution:
        return contribution(ruling, self.library.games[ruling.game], self.analysers[ruling.game])

    def names(self) -> Iterator[Row]:
        found = {
            name
            for ruling in self.rulings
            for name in folded_cards(ruling, self.library.games[ruling.game])
        }
        return ((name, name, len(name)) for name in sorted(found, key=order))

    def finish(
        self, lengths: list[int], lemmas: list[str], shards: dict[str, list[Shard]]
    ) -> Offline:
        """Writes the columns and base.js, and deletes what the index no longer has."""
        blocks = [
            self.files.write(
                "d",
                rows.columns(
                    self.rulings[at : at + BLOCK],
                    lengths[at : at + BLOCK],
                    self.library.spans,
                    self.library.games,
                ),
            )
            for at in range(0, len(self.rulings), BLOCK)
        ]
        numbers = {ruling.key: number for number, ruling in enumerate(self.rulings)}
        base: dict[str, object] = {
            "count": len(self.rulings),
            "average": sum(lengths) / len(lengths) if lengths else 1.0,
            "block": BLOCK,
            "games": self.games,
            "address": urls.ruling("{game}", "{id}"),
            "hashLength": HASH_LENGTH,
            "shards": {kind: ranges(shards[kind]) for kind in "fpwsc"},
            "columns": blocks,
            "records": [
                [numbers[shard.first] for shard in shards["x"]],
                "".join(shard.hash for shard in shards["x"]),
            ],
            **settings(),
        }
        text = f'KB_SHARD("base",{script(base)});\n'.encode()
        path = self.folder / BASE
        if not path.exists() or path.read_bytes() != text:
            path.unlink(missing_ok=True)
            path.write_bytes(text)
        self.files.keep(
            [f"d-{name}" for name in blocks]
            + [f"{kind}-{one.hash}" for kind in shards for one in shards[kind]]
        )
        return Offline([ruling.key for ruling in self.rulings], lengths, lemmas, shards)


def write_offline(
    library: Library, table: FormTable, folder: Path, gathered: BuiltPostings | None = None
) -> Offline:
    """Writes base.js and the shards into `folder`. The same library gives the same bytes. `gathered`: its documents, when they
    were gathered already."""
    folder.mkdir(parents=True, exist_ok=True)
    writer = _Writer(library, table, folder)
    found = gathered or gather(library, table)
    words = rows.words_by_lemma(table, writer.languages)
    postings, places = writer.cutter("p"), writer.cutter("w")
    for term, row, standing in merge(_of_texts(found), _of_fields(found), key=_place):
        key = rows.key_of(term)
        for name, value, length in _with_words(term, row, words):
            postings.add(key, (name, value), length)
        if standing:
            places.add(key, (term, standing), _length(term, standing))
    postings.end()
    places.end()
    lemmas = sorted(filter(rows.is_lemma, found.terms))
    return writer.finish(
        list(map(stored_length, found.lengths)),
        lemmas,
        {
            "p": postings.shards,
            "w": places.shards,
            "f": writer.cutter("f").all(rows.forms(table, writer.languages, set(lemmas))),
            "s": writer.cutter("s").all(rows.tails(table, writer.languages)),
            "c": writer.cutter("c").all(writer.names()),
            "x": writer.cutter("x").all(map(rows.shown, writer.rulings)),
        },
    )


def _place(one: tuple[str, list[int], list[int]]) -> tuple[bytes, str]:
    return order(rows.key_of(one[0])), one[0]


def _of_texts(found: BuiltPostings) -> Iterator[tuple[str, list[int], list[int]]]:
    """The terms of all texts in order, each with its posting and its places."""
    for some in found.sorted(
        sorted(found.terms, key=lambda term: (order(rows.key_of(term)), term))
    ):
        yield from some.stepped()


def _of_fields(found: BuiltPostings) -> Iterator[tuple[str, list[int], list[int]]]:
    """The values that the browser filters by through postings, in order."""
    names = [
        name
        for name in found.values
        if name.startswith((field_term("card", ""), field_term("source", "")))
    ]
    for name in sorted(names, key=lambda name: (order(name), name)):
        docs = found.values[name]
        yield name, [*map(sub, docs, (0, *docs)), *[ONCE] * len(docs)], []


def _length(term: str, row: Sequence[int]) -> int:
    return len(term) + 4 * len(row)


def _with_words(
    term: str, row: list[int], words: Mapping[str, str]
) -> Iterator[tuple[str, Any, int]]:
    yield term, row, _length(term, row)
    if rows.is_lemma(term):
        name = term.replace(":", ";", 1)
        if name in words:
            yield name, words[name], len(name) + len(words[name])


def update_offline(
    library: Library,
    table: FormTable,
    folder: Path,
    before: Before,
    gathered: Callable[[], BuiltPostings] | None = None,
) -> Offline:
    """Makes the index in `folder`, which holds the one before, that of the library. The bytes are those of `write_offline`."""
    many = sum(key in library.rulings for key in before.contributions)
    if many > _MUCH * len(library.rulings) or set(before.made.shards) != set(SIZES):
        return write_offline(library, table, folder, gathered() if gathered else None)
    return _Update(library, table, folder, before).made()


def _by_term(documents: Mapping[int, Contribution]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, one in documents.items():
        for term in one.weights:
            found.setdefault(term, []).append(number)
    return found


class _Update(_Writer):
    def __init__(self, library: Library, table: FormTable, folder: Path, before: Before) -> None:
        super().__init__(library, table, folder)
        self.before = before
        self.shards = before.made.shards
        self.numbers = {ruling.key: number for number, ruling in enumerate(self.rulings)}
        self.old_numbers = {key: number for number, key in enumerate(before.made.keys)}
        added = [key for key in self.numbers if key not in self.old_numbers]
        present = [key for key in (*before.contributions, *added) if key in self.numbers]
        self.new = {key: self.contribution(library.rulings[key]) for key in present}
        # Documents that moved, because others before them came or went: every posting names them anew.
        self.moved = [self.numbers.get(key, -1) for key in before.made.keys]
        self.is_moved = any(old != new for old, new in enumerate(self.moved) if new >= 0)
        self.words = rows.words_by_lemma(table, self.languages)
        self.known: set[str] = set()

    def made(self) -> Offline:
        """Cuts the changed shards again."""
        postings, places = self._rows()
        lemmas = self._lemmas(postings)
        same_table = self.before.table is self.table
        # The words of a lemma stand behind its postings: where they changed, the row is cut again too.
        known = self.words if same_table else rows.words_by_lemma(self.before.table, self.languages)
        reworded = {
            name
            for name in known.keys() | self.words.keys()
            if known.get(name) != self.words.get(name)
        }
        lengths = [
            self.new[key].length
            if key in self.new
            else self.before.made.lengths[self.old_numbers[key]]
            for key in self.numbers
        ]
        same_forms = same_table and lemmas == self.before.made.lemmas
        names = [
            term
            for term, row in postings.items()
            if term.startswith("@card:") and (not row or term not in self.known)
        ]
        return self.finish(
            lengths,
            lemmas,
            {
                "p": self._again("p", postings, reworded),
                "w": self._again("w", places, set()),
                "x": self._texts({*self.before.contributions, *self.new}),
                "c": self.cutter("c").all(self.names()) if names else self.shards["c"],
                "f": self.shards["f"]
                if same_forms
                else self.cutter("f").all(rows.forms(self.table, self.languages, set(lemmas))),
                "s": self.shards["s"]
                if same_table
                else self.cutter("s").all(rows.tails(self.table, self.languages)),
            },
        )

    def _lemmas(self, postings: Mapping[str, list[int]]) -> list[str]:
        """The lemmas that the documents have now."""
        changed = [term for term in postings if rows.is_lemma(term)]
        gone = {term for term in changed if not postings[term]}
        come = {term for term in changed if postings[term] and term not in self.known}
        return (
            sorted((set(self.before.made.lemmas) - gone) | come)
            if gone or come
            else self.before.made.lemmas
        )

    def _rows(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """The new rows of every term whose documents changed: its posting and its places; empty where it has none any more."""
        gone = {
            self.old_numbers[key]: one
            for key, one in self.before.contributions.items()
            if key in self.old_numbers
        }
        fresh = {self.numbers[key]: one for key, one in self.new.items()}
        without, within = _by_term(gone), _by_term(fresh)
        touched = {*without, *within}
        old_postings = self._all("p") if self.is_moved else self._read("p", touched)
        old_places = self._read("w", touched)
        self.known = set(old_postings)
        postings: dict[str, list[int]] = {}
        places: dict[str, list[int]] = {}
        for term in {*touched, *old_postings}:
            one = Posting(old_postings.get(term, ()), old_places.get(term, ()))
            for number in without.get(term, ()):
                one.remove(number)
            if self.is_moved:
                one.move(self.moved)
            for number in within.get(term, ()):
                one.insert(number, fresh[number].weights[term], fresh[number].places.get(term))
            postings[term] = one.row()
            if term in touched:
                places[term] = one.standing()
        return postings, places

    def _all(self, kind: str) -> dict[str, list[int]]:
        """Every row of the index before."""
        found: dict[str, list[int]] = {}
        for shard in self.shards[kind]:
            found.update(
                (name, row)
                for name, row in self.files.read(kind, shard.hash).items()
                if not rows.is_words(name)
            )
        return found

    def _read(self, kind: str, terms: Collection[str]) -> dict[str, list[int]]:
        """The rows of some terms in the index before."""
        starts = [order(shard.first) for shard in self.shards[kind]]
        wanted: dict[int, list[str]] = {}
        for term in terms:
            wanted.setdefault(
                max(0, bisect_right(starts, order(rows.key_of(term))) - 1), []
            ).append(term)
        found: dict[str, list[int]] = {}
        for number, names in wanted.items():
            if starts:
                data = self.files.read(kind, self.shards[kind][number].hash)
                found.update((name, data[name]) for name in names if name in data)
        return found

    def _again(
        self, kind: str, changed: Mapping[str, list[int]], reworded: Collection[str]
    ) -> list[Shard]:
        keys = {rows.key_of(name) for name in (*changed, *reworded)}
        fresh = sorted((*rows.place_of(term), term) for term, row in changed.items() if row)
        return self.cutter(kind).again(
            self.shards[kind], keys, partial(self._present, kind, changed, fresh)
        )

    def _present(
        self,
        kind: str,
        changed: Mapping[str, list[int]],
        fresh: Sequence[tuple[bytes, str, int, str]],
        shard: Shard,
        start: bytes,
        end: bytes | None,
    ) -> Iterator[Row]:
        """The rows of one shard as they are now."""
        data = self.files.read(kind, shard.hash) if shard.hash else {}
        old = (
            (*rows.place_of(name), name)
            for name in data
            if not rows.is_words(name) and name not in changed
        )
        last = len(fresh) if end is None else bisect_left(fresh, (end, "", 0, ""))
        for _, term, _, _ in merge(old, fresh[bisect_left(fresh, (start, "", 0, "")) : last]):
            row = changed[term] if term in changed else data[term]
            key = rows.key_of(term)
            if kind == "w":
                yield key, (term, row), _length(term, row)
            else:
                for name, value, length in _with_words(term, row, self.words):
                    yield key, (name, value), length

    def _texts(self, changed: Iterable[str]) -> list[Shard]:
        places = [order(ruling.key) for ruling in self.rulings]

        def present(_: Shard, start: bytes, end: bytes | None) -> Iterator[Row]:
            last = len(places) if end is None else bisect_left(places, end)
            return map(rows.shown, self.rulings[bisect_left(places, start) : last])

        return self.cutter("x").again(self.shards["x"], changed, present)
