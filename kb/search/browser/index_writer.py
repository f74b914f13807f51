"""What a browser's index is written with, from nothing or from the one before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from kb.core import urls
from kb.core.memo import Memo
from kb.language import LANGUAGES, FormTable
from kb.records.library import Library
from kb.search.analyzer import Analyzers, folded_cards
from kb.search.browser import rows
from kb.search.browser.modules import version
from kb.search.browser.rows import Contribution, contribution
from kb.search.browser.settings import settings
from kb.search.browser.shards import (
    HASH_LENGTH,
    Cutter,
    Files,
    Row,
    Shard,
    in_order,
    ranges,
)
from kb.search.browser.together import Unwritten
from kb.search.browser.word_lines import KINDS, WordLines
from kb.search.document import Segment
from kb.search.jargon import patterns

# Characters of a shard: smaller ones are more files for a query, larger ones more bytes.
SIZES = {
    "f": 4_500,
    "w": 45_000,
    "p": 1_200,
    "s": 3_000,
    "n": 15_000,
    "c": 2_500,
    "x": 600,
}
# Documents of a shard of columns, and of one of segments; of a base whose answers need all at once.
BLOCK, LAYOUT_BLOCK, SMALL = 4096, 256, 256
# The kind of the shard that every answer needs.
ALWAYS = "a"
_JOINED: dict[str, Callable[[list[Any]], object]] = {
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


class IndexWriter:
    """What both ways of making an index share."""

    def __init__(self, library: Library, table: FormTable, folder: Path, memo: Memo) -> None:
        self.library, self.table, self.folder, self.memo = library, table, folder, memo
        self.files = Files(folder)
        self.rulings = list(library.rulings.values())
        self.unwritten = Unwritten(self.files)
        self.analyzers = Analyzers(library.games, table)
        self.games = {
            game.id: list(dict.fromkeys((game.language, *game.header.languages)))
            for game in library.games.values()
        }
        self.languages = sorted({lang for group in self.games.values() for lang in group})

    def cutter(self, kind: str) -> Cutter:
        return Cutter(self.files, kind, SIZES[kind], _JOINED[kind])

    def line_cutter(
        self, kind: str, words: Mapping[str, str], files: Files | None = None
    ) -> Cutter:
        """The cutter of a kind of rows that depend on the table of forms.

        `words`: those of the texts that may mean a lemma, by `lang:lemma`. `files`: where the
        shards go, if not to `files_of` their kind.
        """
        gather = partial(rows.packed_forms, words) if kind == "f" else _JOINED[kind]
        return Cutter(files or self.files_of(kind), kind, SIZES[kind], gather)

    def files_of(self, kind: str) -> Files:
        """Where shards go: those of forms that get postings are held until these are known."""
        return self.unwritten if kind == "f" and self.is_small else self.files

    @property
    def is_small(self) -> bool:
        """Whether queries of the base find in few files what those of a large one have in many."""
        return is_small(len(self.rulings))

    def segments(self, key: str) -> list[Segment]:
        """The segments of a document."""
        ruling = self.library.rulings[key]
        return self.analyzers[ruling.game].segments(ruling)

    def values(self, key: str) -> list[str]:
        """The names of a document's postings without positions."""
        ruling = self.library.rulings[key]
        return rows.value_names(ruling, self.library.games[ruling.game])

    def contribution(self, key: str) -> tuple[Contribution, str]:
        """What a document adds to the index, and the layout of its segments."""
        ruling = self.library.rulings[key]
        analyzer, segments = self.analyzers[ruling.game], self.segments(key)
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

        def columns(start: int, end: int) -> object:
            return rows.columns(rulings[start:end], library.spans, library.games)

        always: dict[str, object] = {
            "jargon": {lang: patterns(lang) for lang in sorted({*self.languages, "en"})}
        }
        blocks: dict[str, list[str]] = {"d": [], "g": []}
        if self.is_small:
            always |= {"d": columns(0, SMALL), "g": layouts}
        else:
            blocks["d"] = self.blocks("d", BLOCK, columns)
            blocks["g"] = self.blocks("g", LAYOUT_BLOCK, lambda start, end: layouts[start:end])
        blocks[ALWAYS] = [self.files.write(ALWAYS, always)]
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
            "together": self.is_small,
            "shards": {kind: ranges(shards[kind]) for kind in "fwpsnc"},
            "columns": blocks["d"],
            "layouts": blocks["g"],
            "always": blocks[ALWAYS][0],
            "records": [
                [numbers[shard.first] for shard in shards["x"]],
                "".join(shard.hash for shard in shards["x"]),
            ],
            "order": [lang for lang in LANGUAGES if lang in self.languages]
            + [lang for lang in self.languages if lang not in LANGUAGES],
            **settings(self.languages),
        }
        self.files.write_base(base)
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

    def word_shards(self, lines: WordLines, files: Files | None = None) -> dict[str, list[Shard]]:
        """The shards that depend on the table of forms. `files`: see `line_cutter`."""
        return {
            kind: self.line_cutter(kind, lines.words, files).all(lines.rows(kind)) for kind in KINDS
        }


def is_small(count: int) -> bool:
    """Whether a base of so many rulings has all columns and layouts, and words, in few files."""
    return count <= SMALL


def meaning(name: str, lemmas: Mapping[str, int], words: Mapping[str, str]) -> str:
    """The row of a lemma: how many documents have it; of a stem also the words that mean it.

    The words of other lemmas stand beside their forms. Empty where there is nothing to say.
    """
    of_stem = words.get(name, "") if rows.is_stem(name) else ""
    if not of_stem and name not in lemmas:
        return ""
    return f"{lemmas.get(name, 0)} {of_stem}".rstrip()


def posting_row(named: tuple[str, str | Sequence[int]]) -> Row:
    """The row of a posting, from its name and its value, with about how many characters it has."""
    name, value = named
    length = len(name) + (len(value) if isinstance(value, str) else 3 * len(value))
    return rows.key_of(name), named, length
