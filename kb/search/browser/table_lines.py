"""The rows of the shards that depend on the table of forms, read from it where they are needed.

For one update of an index by a process that keeps nothing for the next one. `word_lines` keeps
all rows in memory.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from kb.language import FormTable
from kb.language.lookup import CORPUS, RowsByFolded
from kb.search.browser.rows import words_by_lemma
from kb.search.browser.shards import Row, in_order, order
from kb.search.browser.word_lines import (
    KINDS,
    FormRows,
    LineChanges,
    stems_apart,
    tail_row,
    word_row,
)


class TableLines:
    """The rows of one table. `lemmas`: those, as `lang:lemma`, that documents have."""

    def __init__(self, table: FormTable, languages: Sequence[str], lemmas: Collection[str]) -> None:
        self._table, self._languages = table, languages
        # The words of the texts that may mean a lemma, by `lang:lemma`.
        self.words: dict[str, str] = {}
        for lang in languages:
            self.words |= words_by_lemma(table.language(lang))
        self._form_rows = FormRows(lemmas, self.words)

    def changes(self, before: FormTable, come_or_gone: Collection[str]) -> LineChanges | None:
        """How the rows differ from those of the index made with the table before.

        `come_or_gone`: the lemmas that documents have begun or ceased to have. None where it is
        not known how the tables differ, or their words are not in the order of shards.
        """
        touched: dict[str, str] = {}
        keys: dict[str, set[str]] = {kind: set() for kind in KINDS}
        for lang in self._languages:
            several = self._table.differing(lang, before.key(lang))
            if several is None:
                return None
            for table in (before, self._table) if several else ():
                rows = table.rows_of(lang, several)
                touched.update(_lemmas_of_texts(lang, rows))
            keys["f"] |= several
            keys["w"].update(f"{lang} {folded}" for folded in several)
            keys["s"].update(folded[1:] for folded in several if len(folded) > 2)
        keys["f"].update(self._with_lemmas(touched.keys() | come_or_gone))
        # The rows of shards around a key are read by ranges; the question goes through all forms.
        if any(keys.values()) and not all(map(self._table.is_sorted_as_utf_16, self._languages)):
            return None
        return LineChanges(keys, touched)

    def rows(self, kind: str, start: bytes = b"", end: bytes | None = None) -> Iterator[Row]:
        """The rows of a kind with keys from `start` up to but not including `end`."""
        makers = {"f": self._forms, "w": self._every_word, "s": self._tails_between}
        return makers[kind](start, end)

    def _forms(self, start: bytes, end: bytes | None) -> Iterator[Row]:
        found = {
            lang: self._table.rows_between(lang, _text(start), None if end is None else _text(end))
            for lang in self._languages
        }
        for folded in in_order({folded for rows in found.values() for folded in rows}):
            yield self._form_rows.row(folded, found)

    def _every_word(self, start: bytes, end: bytes | None) -> Iterator[Row]:
        for lang in self._languages:
            prefix = order(f"{lang} ")
            if (end is not None and end <= prefix) or prefix < start[: len(prefix)]:
                continue
            first = _text(start[len(prefix) :]) if start > prefix else ""
            is_last = end is not None and end.startswith(prefix)
            last = _text(end[len(prefix) :]) if end is not None and is_last else None
            for folded, in_texts in self._table.words_between(lang, first, last):
                yield word_row(lang, folded, in_texts=in_texts)

    def _tails_between(self, start: bytes, end: bytes | None) -> Iterator[Row]:
        for tail in in_order(self._tails):
            if start <= order(tail) and (end is None or order(tail) < end):
                yield tail_row(tail, self._tails[tail])

    @cached_property
    def _tails(self) -> Mapping[str, set[str]]:
        tails: dict[str, set[str]] = defaultdict(set)
        for lang in self._languages:
            for folded, _ in self._table.of_texts(lang):
                if len(folded) > 2:
                    tails[folded[1:]].add(f"{lang}:{folded[0]}")
        return tails

    def _with_lemmas(self, names: Iterable[str]) -> Iterator[str]:
        """The folded forms that may mean one of some lemmas."""
        stems, by_language = stems_apart(names)
        for name in stems:
            yield from self.words.get(name, "").split()
        for lang in self._languages:
            yield from self._table.meaning_any(lang, by_language.get(lang, ()))


def _lemmas_of_texts(lang: str, rows: RowsByFolded) -> Iterator[tuple[str, str]]:
    """The names of the lemmas that words of the texts may mean."""
    for several in rows.values():
        for _, _, lemmas, origin in several:
            if origin == CORPUS:
                yield from ((f"{lang}:{lemma}", "") for lemma in lemmas.split(" "))


def _text(key: bytes) -> str:
    """The key that `kb.search.browser.shards.order` was given."""
    return key.decode("utf-16-be", "surrogatepass")
