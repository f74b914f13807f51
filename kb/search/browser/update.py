"""The browser's index before, turned into that of the rulings now."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import merge
from pathlib import Path
from typing import Any

from kb.core.memo import Memo
from kb.language import FormTable
from kb.records.library import Library
from kb.search.browser import rows
from kb.search.browser.index_writer import (
    SIZES,
    IndexWriter,
    Offline,
    is_small,
    meaning,
    posting_row,
)
from kb.search.browser.rows import Contribution, Posting
from kb.search.browser.shards import Row, Shard, order
from kb.search.browser.table_lines import TableLines
from kb.search.browser.together import Places, is_of_word, read_postings, update_together
from kb.search.browser.word_lines import KINDS, LineChanges, WordLines
from kb.search.browser.write import write_offline

# Where a larger part of the base has changed, the index is made from nothing.
_MUCH = 0.2


@dataclass(frozen=True)
class Before:
    """The index that lies in the folder already.

    `table`: the one that it was made with; `contributions`: what the documents added to it that
    are gone or may have changed. `memo`: keeps what the next index can use again.
    """

    made: Offline
    table: FormTable
    contributions: Mapping[str, Contribution]
    memo: Memo = field(default_factory=lambda: Memo(keep=False))


def update_offline(library: Library, table: FormTable, folder: Path, before: Before) -> Offline:
    """Turns the index in `folder` into that of the library, with the bytes of `write_offline`."""
    many = sum(key in library.rulings for key in before.contributions)
    grew = is_small(len(before.made.keys)) != is_small(len(library.rulings))
    is_little = many <= _MUCH * len(library.rulings) and not grew
    if is_little and set(before.made.shards) == set(SIZES):
        update = _Update(library, table, folder, before)
        if update.has_languages_of_before():
            return update.write()
    return write_offline(library, table, folder, before.memo)


def _differing(old: Mapping[str, object], new: Mapping[str, object]) -> set[str]:
    """The keys whose values differ."""
    return {name for name, _ in old.items() ^ new.items()}


def _by_name(
    documents: Mapping[int, Contribution], but: Mapping[int, Collection[str]]
) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, added in documents.items():
        for name in added.positions.keys() - but.get(number, ()):
            found.setdefault(name, []).append(number)
    return found


class _Update(IndexWriter):
    def __init__(self, library: Library, table: FormTable, folder: Path, before: Before) -> None:
        super().__init__(library, table, folder, before.memo)
        self.before = before
        self.shards = before.made.shards
        # The postings of shards that were read, by the hash of the shard.
        self.read: dict[str, dict[str, Any]] = {}
        self.numbers = {ruling.key: number for number, ruling in enumerate(self.rulings)}
        self.old_numbers = {key: number for number, key in enumerate(before.made.keys)}
        added = [key for key in self.numbers if key not in self.old_numbers]
        present = [key for key in (*before.contributions, *added) if key in self.numbers]
        self.new = {key: self.contribution(key) for key in present}
        # Documents move when others before them come or go: every posting names them anew.
        self.moved = [self.numbers.get(key, -1) for key in before.made.keys]
        self.is_moved = any(old != new for old, new in enumerate(self.moved) if new >= 0)

    def has_languages_of_before(self) -> bool:
        """Whether the index in the folder has the same languages."""
        games = self.files.base()["games"]
        return {lang for langs in games.values() for lang in langs} == set(self.languages)

    def write(self) -> Offline:
        """Cut the changed shards again; return the index as it is now."""
        postings = self._postings()
        lemmas = self._lemmas()
        changed: dict[str, list[int] | str] = {
            name: posting.row() if posting.documents else "" for name, posting in postings.items()
        }
        counted = _differing(self.before.made.lemmas, lemmas)
        come_or_gone = self.before.made.lemmas.keys() ^ lemmas.keys()
        words, meant, shards = self._word_shards(lemmas, come_or_gone)
        for name in counted.union(filter(rows.is_stem, meant)):
            changed[name] = meaning(name, lemmas, words)
        apart = changed
        if self.is_small:
            apart = {name: row for name, row in changed.items() if not is_of_word(name)}
        layouts = [
            self.new[key][1] if key in self.new else self.before.made.layouts[self.old_numbers[key]]
            for key in self.numbers
        ]
        shards = {
            "p": self._again("p", apart),
            "x": self._texts({*self.before.contributions, *self.new}),
            "n": self.cutter("n").all(self.names()),
            "c": self.cards(),
            **shards,
        }
        if self.is_small:
            of_words = {name: row for name, row in changed.items() if is_of_word(name)}
            shards["f"] = update_together(
                self.unwritten, self.files, self.shards["f"], shards["f"], of_words
            )
        offline = self.finish(lemmas, layouts, shards)
        if self.memo.keep:
            self.memo.state("lines", WordLines).made = offline
        return offline

    def _word_shards(
        self, lemmas: Mapping[str, int], come_or_gone: Collection[str]
    ) -> tuple[Mapping[str, str], Collection[str], dict[str, list[Shard]]]:
        """The words that mean each lemma, for which they may be others, and the shards of words."""
        before = self.before
        lines: WordLines | TableLines
        if self.memo.keep:
            lines = self.memo.state("lines", WordLines)
            is_last, lines.made = lines.made == before.made, None
            known = (
                lines.update(self.table, self.languages, lemmas, come_or_gone) if is_last else None
            )
        else:
            lines = TableLines(self.table, self.languages, lemmas)
            known = lines.changes(before.table, come_or_gone)
        if known:
            shards = {kind: self._lines_again(kind, lines, known) for kind in KINDS}
            return lines.words, known.words, shards
        lines = self.lines(lemmas)
        meant = _differing(self.words(before.table), lines.words)
        return lines.words, meant, self.word_shards(lines)

    def _lines_again(
        self, kind: str, lines: WordLines | TableLines, known: LineChanges
    ) -> list[Shard]:
        """The shards of words, cut again where rows may have changed."""

        def present(_: Shard, start: bytes, end: bytes | None) -> Iterator[Row]:
            return lines.rows(kind, start, end)

        cutter = self.line_cutter(kind, lines.words)
        return cutter.again(self.shards[kind], known.keys[kind], present)

    def _lemmas(self) -> dict[str, int]:
        """The lemmas that the documents have now, with their frequencies."""
        lemmas = Counter(self.before.made.lemmas)
        for key, gone in self.before.contributions.items():
            if key in self.old_numbers:
                lemmas.subtract(gone.lemmas)
        for added, _ in self.new.values():
            lemmas.update(added.lemmas)
        known = {name: count for name, count in lemmas.items() if count}
        same = known.keys() <= self.before.made.lemmas.keys()
        return known if same else dict(sorted(known.items()))

    def _postings(self) -> dict[str, Posting]:
        """The postings that have changed."""
        gone = {
            self.old_numbers[key]: added
            for key, added in self.before.contributions.items()
            if key in self.old_numbers
        }
        fresh = {self.numbers[key]: added for key, (added, _) in self.new.items()}
        without, within = self._differing_names(gone, fresh)
        touched = {*without, *within}
        old = self._all() if self.is_moved else self._read(touched)
        postings: dict[str, Posting] = {}
        for name in {*touched, *old}:
            posting = postings[name] = Posting(old.get(name, (0,)))
            for number in without.get(name, ()):
                posting.remove(number)
            if self.is_moved:
                posting.renumber(self.moved)
            for number in within.get(name, ()):
                posting.insert(number, fresh[number].positions[name])
        return postings

    def _differing_names(
        self, gone: Mapping[int, Contribution], fresh: Mapping[int, Contribution]
    ) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """The documents that a posting loses, and those that it gains, by its name."""
        # In a document of the same number most words stand where they stood.
        same = (
            {}
            if self.is_moved
            else {
                number: {
                    name
                    for name, positions in added.positions.items()
                    if gone[number].positions.get(name) == positions
                }
                for number, added in fresh.items()
                if number in gone
            }
        )
        return _by_name(gone, same), _by_name(fresh, same)

    def _all(self) -> dict[str, list[int]]:
        """Every posting of the index before."""
        found: dict[str, list[int]] = {}
        for shard in self.shards["p"]:
            found.update(self.files.read("p", shard.hash))
        if self.is_small:
            found.update(read_postings(self.files, self.shards["f"]))
        return {name: row for name, row in found.items() if not rows.is_lemma(name)}

    def _read(self, names: Collection[str]) -> dict[str, list[int]]:
        """Some postings of the index before."""
        found: dict[str, list[int]] = {}
        if self.is_small:
            of_words = set(filter(is_of_word, names))
            places = Places(self.shards["f"])
            shards = [self.shards["f"][at] for at in sorted(set(map(places.of, of_words)))]
            postings = dict(read_postings(self.files, shards))
            found = {name: postings[name] for name in of_words & postings.keys()}
            names = set(names) - of_words
        starts = [order(shard.first) for shard in self.shards["p"]]
        wanted: dict[int, list[str]] = {}
        for name in names:
            at = max(0, bisect_right(starts, order(rows.key_of(name))) - 1)
            wanted.setdefault(at, []).append(name)
        for at, several in wanted.items() if starts else ():
            hash_ = self.shards["p"][at].hash
            data = self.read[hash_] = self.files.read("p", hash_)
            found.update((name, data[name]) for name in several if name in data)
        return found

    def _again(self, kind: str, changed: Mapping[str, list[int] | str]) -> list[Shard]:
        keys = {rows.key_of(name) for name in changed}
        fresh = sorted((*rows.place_of(name), name) for name, row in changed.items() if row)
        return self.cutter(kind).again(
            self.shards[kind], keys, partial(self._present, kind, changed, fresh)
        )

    def _present(
        self,
        kind: str,
        changed: Mapping[str, list[int] | str],
        fresh: Sequence[tuple[bytes, str, str]],
        shard: Shard,
        start: bytes,
        end: bytes | None,
    ) -> Iterator[Row]:
        """The rows of one shard as they are now."""
        data = self.read.get(shard.hash)
        if data is None:
            data = self.files.read(kind, shard.hash) if shard.hash else {}
        last = len(fresh) if end is None else bisect_left(fresh, (end, "", ""))
        own = fresh[bisect_left(fresh, (start, "", "")) : last]
        names: Iterable[str] = data
        if any(name not in data for _, _, name in own):
            old = ((*rows.place_of(name), name) for name in data if name not in changed)
            names = (name for _, _, name in merge(old, own))
        for name in names:
            row = changed[name] if name in changed else data[name]
            if row:
                yield posting_row((name, row))

    def _texts(self, changed: Iterable[str]) -> list[Shard]:
        places = [order(ruling.key) for ruling in self.rulings]

        def present(_: Shard, start: bytes, end: bytes | None) -> Iterator[Row]:
            last = len(places) if end is None else bisect_left(places, end)
            return map(rows.shown, self.rulings[bisect_left(places, start) : last])

        return self.cutter("x").again(self.shards["x"], changed, present)
