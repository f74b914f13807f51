"""A whole browser's index, from nothing or from the one before."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import merge
from pathlib import Path
from typing import Any, NamedTuple

from kb.core import urls
from kb.core.memo import Memo
from kb.core.parallel import cpu_count, parallel_map
from kb.language import LANGUAGES, FormTable
from kb.records.library import Library
from kb.search.analyzer import Analyzers
from kb.search.browser import rows
from kb.search.browser.modules import version
from kb.search.browser.rows import Contribution, Posting, contribution
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
from kb.search.browser.word_lines import KINDS, LineChanges, WordLines
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
        self.analyzers = Analyzers(library.games, table)
        self.games = {
            game.id: list(dict.fromkeys((game.language, *game.header.languages)))
            for game in library.games.values()
        }
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
            words |= rows.words_by_lemma(table.language(lang))
        return words

    def lines(self, lemmas: Collection[str]) -> WordLines:
        """The rows that depend on the table of forms. `lemmas`: those that documents have."""
        lines = self.memo.state("lines", WordLines)
        lines.fill(self.table, self.languages, lemmas)
        return lines

    def word_shards(self, lines: WordLines) -> dict[str, list[Shard]]:
        """The shards that depend on the table of forms."""
        return {kind: self.cutter(kind).all(lines.rows(kind)) for kind in KINDS}


def write_offline(
    library: Library, table: FormTable, folder: Path, memo: Memo | None = None
) -> Offline:
    """Writes base.js and the shards into `folder`. The same library gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    writer = _Writer(library, table, folder, memo or Memo(keep=False))
    postings, lemmas, layouts = _gather(writer)
    lines = writer.lines(lemmas)
    cutter = writer.cutter("p")
    for name in sorted({*postings, *lemmas, *lines.words}, key=rows.place_of):
        value = postings[name].row() if name in postings else _meaning(name, lemmas, lines.words)
        cutter.add(rows.key_of(name), (name, value), _length(name, value))
    cutter.end()
    shards = {
        "p": cutter.shards,
        "n": writer.cutter("n").all(writer.names()),
        "c": writer.cards(),
        "x": writer.cutter("x").all(map(rows.shown, writer.rulings)),
        **writer.word_shards(lines),
    }
    made = lines.made = writer.finish(lemmas, layouts, shards)
    return made


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


class _Update(_Writer):
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

    def made(self) -> Offline:
        """Cuts the changed shards again."""
        postings = self._postings()
        lemmas = self._lemmas()
        changed: dict[str, list[int] | str] = {
            name: posting.row() if posting.documents else "" for name, posting in postings.items()
        }
        counted = _differing(self.before.made.lemmas, lemmas)
        lines = self.memo.state("lines", WordLines)
        is_last = self.memo.keep and lines.made == self.before.made
        lines.made = None
        come_or_gone = self.before.made.lemmas.keys() ^ lemmas.keys()
        known = lines.update(self.table, self.languages, lemmas, come_or_gone) if is_last else None
        words: Mapping[str, str]
        if known:
            shards = {kind: self._lines_again(kind, lines, known) for kind in KINDS}
            words, meant = lines.words, set(known.words)
        else:
            words, meant, shards = self._words_anew(lemmas)
        for name in counted | meant:
            changed[name] = _meaning(name, lemmas, words) if name in lemmas or name in words else ""
        layouts = [
            self.new[key][1] if key in self.new else self.before.made.layouts[self.old_numbers[key]]
            for key in self.numbers
        ]
        shards = {
            "p": self._again("p", changed),
            "x": self._texts({*self.before.contributions, *self.new}),
            "n": self.cutter("n").all(self.names()),
            "c": self.cards(),
            **shards,
        }
        lines.made = offline = self.finish(lemmas, layouts, shards)
        return offline

    def _words_anew(
        self, lemmas: Mapping[str, int]
    ) -> tuple[Mapping[str, str], set[str], dict[str, list[Shard]]]:
        """The words that mean each lemma, for which they are others, and the shards of words."""
        before = self.before
        same = before.table is self.table
        if same and lemmas.keys() == before.made.lemmas.keys() and not self.memo.keep:
            return self.words(self.table), set(), {kind: self.shards[kind] for kind in KINDS}
        lines = self.lines(lemmas)
        meant = set() if same else _differing(self.words(before.table), lines.words)
        return lines.words, meant, self.word_shards(lines)

    def _lines_again(self, kind: str, lines: WordLines, known: LineChanges) -> list[Shard]:
        """The shards of words, cut again where rows have changed."""

        def present(_: Shard, start: bytes, end: bytes | None) -> Iterator[Row]:
            return lines.rows(kind, start, end)

        return self.cutter(kind).again(self.shards[kind], known.keys[kind], present)

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
                yield rows.key_of(name), (name, row), _length(name, row)

    def _texts(self, changed: Iterable[str]) -> list[Shard]:
        places = [order(ruling.key) for ruling in self.rulings]

        def present(_: Shard, start: bytes, end: bytes | None) -> Iterator[Row]:
            last = len(places) if end is None else bisect_left(places, end)
            return map(rows.shown, self.rulings[bisect_left(places, start) : last])

        return self.cutter("x").again(self.shards["x"], changed, present)
