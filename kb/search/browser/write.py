"""A whole browser's index, from nothing or from the one before."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import merge
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from kb.core import urls
from kb.core.memo import Memo
from kb.core.parallel import cpu_count, parallel_map
from kb.language import LANGUAGES, FormTable
from kb.records.library import Library
from kb.search.analyzer import Analyzer
from kb.search.browser import rows
from kb.search.browser.modules import version
from kb.search.browser.rows import Contribution, Lines, Posting, contribution
from kb.search.browser.settings import settings
from kb.search.browser.shards import (
    HASH_LENGTH,
    Cutter,
    Files,
    Row,
    Shard,
    in_order,
    order,
    ranges,
    script,
)
from kb.search.document import folded_cards
from kb.search.jargon import patterns

# Characters of a shard: smaller ones are more files for a query, larger ones more bytes.
SIZES = {
    "f": 4_000,
    "k": 5_000,
    "w": 15_000,
    "p": 1_200,
    "s": 1_500,
    "n": 15_000,
    "c": 2_500,
    "x": 600,
}
# Documents of a shard of columns, and of one of segments.
BLOCK, LAYOUT_BLOCK = 4096, 256
BASE = "base.js"
# Where a larger part of the base has changed, the index is made from nothing.
_MUCH = 0.2
# So many rulings are analysed sooner by one process than a second one is started.
_FEW = 500
# What makes a row, by the kind of shards that depend on the forms.
_ROWS: dict[str, Callable[[str, list[Any]], Row]] = {
    "f": rows.form_row,
    "k": rows.form_row,
    "w": rows.word_row,
    "s": rows.tail_row,
}
_JOINED: dict[str, Callable[[list[Any]], object]] = {
    "f": rows.packed_forms,
    "k": rows.packed_forms,
    "w": rows.packed_words,
    "s": "\n".join,
    "n": list,
    "c": dict,
    "x": list,
    "p": dict,
}


@dataclass(frozen=True)
class Offline:
    """What an index was made of, kept for the next one.

    The documents in order, the lemmas that they have with their numbers of documents, the layout
    of each document's segments, and the shards by kind.
    """

    keys: list[str]
    lemmas: dict[str, int]
    layouts: list[str]
    shards: dict[str, list[Shard]]

    def save(self, path: Path) -> None:
        """Writes it as JSON."""
        path.write_text(
            rows.dumped([self.keys, self.lemmas, self.layouts, self.shards]), encoding="utf-8"
        )

    @classmethod
    def read(cls, path: Path) -> Offline | None:
        """What `save` wrote; None where there is nothing, or nothing whole."""
        try:
            keys, lemmas, layouts, shards = json.loads(path.read_text(encoding="utf-8"))
            by_kind = {kind: [Shard(*row) for row in listed] for kind, listed in shards.items()}
            return cls(keys, dict(lemmas.items()), layouts, by_kind)
        except (OSError, ValueError, TypeError, AttributeError):
            return None


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


class _Writer:
    """What both ways of making an index share."""

    def __init__(self, library: Library, table: FormTable, folder: Path, memo: Memo) -> None:
        self.library, self.table, self.folder, self.memo = library, table, folder, memo
        self.files = Files(folder)
        self.rulings = list(library.rulings.values())
        self.analyzers = {game.id: Analyzer(game, table) for game in library.games.values()}
        self.games = {game: list(analyzer.languages) for game, analyzer in self.analyzers.items()}
        self.languages = sorted({lang for group in self.games.values() for lang in group})

    def cutter(self, kind: str) -> Cutter:
        return Cutter(self.files, kind, SIZES[kind], _JOINED[kind])

    def contribution(self, key: str) -> tuple[Contribution, str]:
        """What a document adds to the index, and the layout of its segments."""
        ruling = self.library.rulings[key]
        analyzer = self.analyzers[ruling.game]
        segments = list(analyzer.segments(ruling))
        added = contribution(ruling, self.library.games[ruling.game], analyzer, segments)
        return added, rows.layout(segments)

    def names(self) -> Iterator[Row]:
        games = self.library.games
        call = self.memo.call
        found = {
            name
            for ruling in self.rulings
            for name in call(ruling.key, folded_cards, ruling, games[ruling.game])
        }
        return ((name, name, len(name)) for name in in_order(found))

    def cards(self) -> list[Shard]:
        """The shards of all cards."""
        games, naming = tuple(self.library.games.values()), rows.naming_rulings(self.rulings)
        return self.cutter("c").all(self.memo.call("", rows.cards, games, naming))

    def blocks(self, kind: str, size: int, values: Callable[[int, int], object]) -> list[str]:
        """Shards of so many documents each."""
        starts = range(0, len(self.rulings), size)
        return [self.files.write(kind, values(start, start + size)) for start in starts]

    def finish(
        self, lemmas: dict[str, int], layouts: list[str], shards: dict[str, list[Shard]]
    ) -> Offline:
        """Writes what is not cut by keys and base.js, and deletes what the index no longer has."""
        library, rulings = self.library, self.rulings
        blocks = {
            "d": self.blocks(
                "d",
                BLOCK,
                lambda start, end: rows.columns(rulings[start:end], library.spans, library.games),
            ),
            "g": self.blocks("g", LAYOUT_BLOCK, lambda start, end: layouts[start:end]),
            "j": [
                self.files.write("j", [lang, patterns(lang)])
                for lang in sorted({*self.languages, "en"})
            ],
        }
        numbers = {ruling.key: number for number, ruling in enumerate(rulings)}
        spoken = Counter(text.lang for ruling in rulings for text in ruling.texts)
        base: dict[str, object] = {
            "version": version(),
            "count": len(rulings),
            "documents": dict(sorted(spoken.items())),
            "block": BLOCK,
            "layoutBlock": LAYOUT_BLOCK,
            "games": self.games,
            "address": urls.ruling("{game}", "{id}"),
            "cardAddress": urls.card("{game}", "{id}"),
            "hashLength": HASH_LENGTH,
            "shards": {kind: ranges(shards[kind]) for kind in "fkwpsnc"},
            "columns": blocks["d"],
            "layouts": blocks["g"],
            "jargon": dict(zip(sorted({*self.languages, "en"}), blocks["j"], strict=True)),
            "records": [
                [numbers[shard.first] for shard in shards["x"]],
                "".join(shard.hash for shard in shards["x"]),
            ],
            "order": [lang for lang in LANGUAGES if lang in self.languages]
            + [lang for lang in self.languages if lang not in LANGUAGES],
            **settings(self.languages),
        }
        text = f'KB_SHARD("base",{script(base)});\n'.encode()
        path = self.folder / BASE
        if not path.exists() or path.read_bytes() != text:
            path.unlink(missing_ok=True)
            path.write_bytes(text)
        self.files.keep(
            [f"{kind}-{name}" for kind, names in blocks.items() for name in names]
            + [f"{kind}-{shard.hash}" for kind in shards for shard in shards[kind]]
        )
        return Offline([ruling.key for ruling in rulings], lemmas, layouts, shards)

    def words(self, table: FormTable) -> dict[str, str]:
        """The words of the texts that may mean a lemma, by `lang:lemma`."""
        words: dict[str, str] = {}
        for lang in self.languages:
            words |= self.memo.call(lang, rows.words_by_lemma, table.language(lang))
        return words

    def word_lines(
        self, table: FormTable, lemmas: Iterable[str], words: Iterable[str]
    ) -> dict[str, list[Lines]]:
        """What the shards have that depend on a table of forms, by kind, for each language.

        `lemmas`: those that documents have; `words`: those that a word of the texts may mean.
        """
        meant: dict[str, set[str]] = defaultdict(set)
        for name in chain(lemmas, words):
            meant[name.partition(":")[0]].add(name)
        call, languages = self.memo.call, [table.language(lang) for lang in self.languages]
        forms = [call(one.lang, rows.forms, one, frozenset(meant[one.lang])) for one in languages]
        needed = frozenset().union(*(one.needed for one in forms))
        by_language = list(zip(self.languages, forms, strict=True))
        return {
            "f": [
                call((lang, "f"), rows.chosen, one.lines, needed, True) for lang, one in by_language
            ],
            "k": [
                call((lang, "k"), rows.chosen, one.lines, needed, False)
                for lang, one in by_language
            ],
            "w": [call(one.lang, rows.word_list, one) for one in languages],
            "s": [call(one.lang, rows.tails, one) for one in languages],
        }

    def word_shards(self, lemmas: Iterable[str], words: Iterable[str]) -> dict[str, list[Shard]]:
        """The shards that depend on the table of forms."""
        return {
            kind: self.cutter(kind).all(_rows_within(kind, lines))
            for kind, lines in self.word_lines(self.table, lemmas, words).items()
        }


def _rows_within(
    kind: str, several: Sequence[Lines], start: bytes = b"", end: bytes | None = None
) -> Iterator[Row]:
    """The rows of all languages, or those with keys from `start` up to but not including `end`."""
    found: set[str] = set()
    for lines in several:
        keys = list(lines)
        first = bisect_left(keys, start, key=order) if start else 0
        last = len(keys) if end is None else bisect_left(keys, end, key=order)
        found.update(keys[first:last])
    for key in in_order(found):
        yield _ROWS[kind](key, [one for lines in several for one in lines.get(key, ())])


def write_offline(
    library: Library, table: FormTable, folder: Path, memo: Memo | None = None
) -> Offline:
    """Writes base.js and the shards into `folder`. The same library gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    writer = _Writer(library, table, folder, memo or Memo(keep=False))
    postings, lemmas, layouts = _gather(writer)
    words = writer.words(table)
    cutter = writer.cutter("p")
    for name in sorted({*postings, *lemmas, *words}, key=rows.place_of):
        value = postings[name].row() if name in postings else _meaning(name, lemmas, words)
        cutter.add(rows.key_of(name), (name, value), _length(name, value))
    cutter.end()
    shards = {
        "p": cutter.shards,
        "n": writer.cutter("n").all(writer.names()),
        "c": writer.cards(),
        "x": writer.cutter("x").all(map(rows.shown, writer.rulings)),
        **writer.word_shards(lemmas, words),
    }
    return writer.finish(lemmas, layouts, shards)


class _Gathered(NamedTuple):
    """What some documents add: postings, lemmas with their frequencies, layouts of segments."""

    postings: dict[str, Posting]
    lemmas: Counter[str]
    layouts: list[str]


def _gather(writer: _Writer) -> tuple[dict[str, Posting], dict[str, int], list[str]]:
    """The postings of all documents, the lemmas with their frequencies, and the layouts."""
    keys = [ruling.key for ruling in writer.rulings]
    size = max(1, -(-len(keys) // (cpu_count() if len(keys) > _FEW else 1)))
    starts = range(0, len(keys), size)
    parts = dict(
        parallel_map(
            lambda start: (start, _gather_some(writer, keys[start : start + size], start)), starts
        )
    )
    postings: dict[str, Posting] = {}
    lemmas: Counter[str] = Counter()
    layouts: list[str] = []
    for start in starts:
        part = parts.pop(start)
        for name, posting in part.postings.items():
            if name in postings:
                postings[name].extend(posting)
            else:
                postings[name] = posting
        lemmas.update(part.lemmas)
        layouts += part.layouts
    return postings, dict(sorted(lemmas.items())), layouts


def _gather_some(writer: _Writer, keys: Sequence[str], first: int) -> _Gathered:
    """What documents add whose numbers begin with `first`."""
    postings: dict[str, Posting] = defaultdict(Posting)
    lemmas: Counter[str] = Counter()
    layouts: list[str] = []
    for number, key in enumerate(keys, first):
        added, layout = writer.contribution(key)
        for name, positions in added.positions.items():
            postings[name].append(number, positions)
        lemmas.update(added.lemmas)
        layouts.append(layout)
    return _Gathered(postings, lemmas, layouts)


def _meaning(name: str, lemmas: Mapping[str, int], words: Mapping[str, str]) -> str:
    """The row of a lemma: how many documents have it, and the words of the texts that mean it."""
    return f"{lemmas.get(name, 0)} {words.get(name, '')}".rstrip()


def _length(name: str, value: str | Sequence[int]) -> int:
    return len(name) + (len(value) if isinstance(value, str) else 3 * len(value))


def update_offline(library: Library, table: FormTable, folder: Path, before: Before) -> Offline:
    """Turns the index in `folder` into that of the library, with the bytes of `write_offline`."""
    many = sum(key in library.rulings for key in before.contributions)
    if many > _MUCH * len(library.rulings) or set(before.made.shards) != set(SIZES):
        return write_offline(library, table, folder, before.memo)
    return _Update(library, table, folder, before).made()


def _by_name(documents: Mapping[int, Contribution]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, added in documents.items():
        for name in added.positions:
            found.setdefault(name, []).append(number)
    return found


class _Update(_Writer):
    def __init__(self, library: Library, table: FormTable, folder: Path, before: Before) -> None:
        super().__init__(library, table, folder, before.memo)
        self.before = before
        self.shards = before.made.shards
        self.numbers = {ruling.key: number for number, ruling in enumerate(self.rulings)}
        self.old_numbers = {key: number for number, key in enumerate(before.made.keys)}
        added = [key for key in self.numbers if key not in self.old_numbers]
        present = [key for key in (*before.contributions, *added) if key in self.numbers]
        self.new = {key: self.contribution(key) for key in present}
        # Documents move when others before them come or go: every posting names them anew.
        self.moved = [self.numbers.get(key, -1) for key in before.made.keys]
        self.is_moved = any(old != new for old, new in enumerate(self.moved) if new >= 0)
        # The older table first, since only what is asked for last is remembered.
        self.old_words = self.words(before.table)
        self.new_words = self.old_words if before.table is table else self.words(table)

    def made(self) -> Offline:
        """Cuts the changed shards again."""
        postings = self._postings()
        lemmas = self._lemmas()
        changed: dict[str, list[int] | str] = {
            name: posting.row() if posting.documents else "" for name, posting in postings.items()
        }
        changed |= self._meanings(lemmas)
        layouts = [
            self.new[key][1] if key in self.new else self.before.made.layouts[self.old_numbers[key]]
            for key in self.numbers
        ]
        shards = {
            "p": self._again("p", changed),
            "x": self._texts({*self.before.contributions, *self.new}),
            "n": self.cutter("n").all(self.names()),
            "c": self.cards(),
            **self._word_shards_again(lemmas),
        }
        return self.finish(lemmas, layouts, shards)

    def _word_shards_again(self, lemmas: Mapping[str, int]) -> dict[str, list[Shard]]:
        """The shards that depend on the table of forms, cut again where lines have changed."""
        before = self.before
        if before.table is self.table and lemmas.keys() == before.made.lemmas.keys():
            return {kind: self.shards[kind] for kind in _ROWS}
        if not self.memo.keep:
            return self.word_shards(lemmas, self.new_words)
        old = self.word_lines(before.table, before.made.lemmas, self.old_words)
        new = self.word_lines(self.table, lemmas, self.new_words)
        return {kind: self._lines_again(kind, old[kind], new[kind]) for kind in _ROWS}

    def _lines_again(self, kind: str, old: list[Lines], new: list[Lines]) -> list[Shard]:
        keys = {
            key
            for lines, others in zip(old, new, strict=True)
            if lines is not others
            for key in lines.keys() | others.keys()
            if lines.get(key) != others.get(key)
        }

        def present(_: Shard, start: bytes, end: bytes | None) -> Iterator[Row]:
            return _rows_within(kind, new, start, end)

        return self.cutter(kind).again(self.shards[kind], keys, present)

    def _lemmas(self) -> dict[str, int]:
        """The lemmas that the documents have now, with their frequencies."""
        lemmas = Counter(self.before.made.lemmas)
        for key, gone in self.before.contributions.items():
            if key in self.old_numbers:
                lemmas.subtract(gone.lemmas)
        for added, _ in self.new.values():
            lemmas.update(added.lemmas)
        return {name: count for name, count in sorted(lemmas.items()) if count}

    def _meanings(self, lemmas: Mapping[str, int]) -> dict[str, list[int] | str]:
        """The rows of lemmas that are others now; empty where one is gone."""
        old, known, words = self.before.made.lemmas, self.old_words, self.new_words
        return {
            name: _meaning(name, lemmas, words) if name in lemmas or name in words else ""
            for name in {*old, *known, *lemmas, *words}
            if old.get(name) != lemmas.get(name) or known.get(name) != words.get(name)
        }

    def _postings(self) -> dict[str, Posting]:
        """The postings that have changed."""
        gone = {
            self.old_numbers[key]: added
            for key, added in self.before.contributions.items()
            if key in self.old_numbers
        }
        fresh = {self.numbers[key]: added for key, (added, _) in self.new.items()}
        without, within = _by_name(gone), _by_name(fresh)
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

    def _all(self) -> dict[str, list[int]]:
        """Every posting of the index before."""
        found: dict[str, list[int]] = {}
        for shard in self.shards["p"]:
            data = self.files.read("p", shard.hash)
            found.update((name, row) for name, row in data.items() if not rows.is_lemma(name))
        return found

    def _read(self, names: Collection[str]) -> dict[str, list[int]]:
        """Some postings of the index before."""
        starts = [order(shard.first) for shard in self.shards["p"]]
        wanted: dict[int, list[str]] = {}
        for name in names:
            at = max(0, bisect_right(starts, order(rows.key_of(name))) - 1)
            wanted.setdefault(at, []).append(name)
        found: dict[str, list[int]] = {}
        for at, several in wanted.items() if starts else ():
            data = self.files.read("p", self.shards["p"][at].hash)
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
        data = self.files.read(kind, shard.hash) if shard.hash else {}
        old = ((*rows.place_of(name), name) for name in data if name not in changed)
        last = len(fresh) if end is None else bisect_left(fresh, (end, "", ""))
        for _, _, name in merge(old, fresh[bisect_left(fresh, (start, "", "")) : last]):
            row = changed[name] if name in changed else data[name]
            yield rows.key_of(name), (name, row), _length(name, row)

    def _texts(self, changed: Iterable[str]) -> list[Shard]:
        places = [order(ruling.key) for ruling in self.rulings]

        def present(_: Shard, start: bytes, end: bytes | None) -> Iterator[Row]:
            last = len(places) if end is None else bisect_left(places, end)
            return map(rows.shown, self.rulings[bisect_left(places, start) : last])

        return self.cutter("x").again(self.shards["x"], changed, present)
