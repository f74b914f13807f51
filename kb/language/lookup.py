"""The table of forms, read: what a word can mean, and which known words are near to it.

Needs no dictionary. The table is one SQLite file of its own, which opens at once at any size.

Lemmas: a plain one is the dictionary's; `^name` a word of a card name; `~stem` a word that no
dictionary knows; `+word` a group of words that belong together.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

from kb.core.problems import NotBuilt
from kb.language.fold import fold
from kb.language.registry import language_of
from kb.language.spelling import ComparedWords, allowed
from kb.language.tokens import owner

LAYOUT = 4
# Where a form comes from: a sister language, the inflection of a lemma, or the texts themselves.
SISTER, INFLECTED, CORPUS = -1, 0, 1
# Folded forms from one up to another one, and what stands behind all of them.
_BETWEEN, _AFTER = "WHERE lang = ? AND folded >= ? AND folded < ?", "\U0010ffff"
# Words that one query asks for.
_CHUNK = 500
# The words of so many first letters are kept in memory to be compared: 200,000 words, 10 MB.
_FIRST_LETTERS = 200

# Form, folded form, lemmas with spaces between them, origin.
StoredRow = tuple[str, str, str, int]
RowsByFolded = dict[str, list[StoredRow]]


class Analysis(NamedTuple):
    """What a word can mean.

    `how` it is known: its exact form, its folded form, as a word of a sister language, or not at
    all (then its stem is returned).
    """

    lemmas: tuple[str, ...]
    how: Literal["exact", "folded", "sister", "stem"]


class Near(NamedTuple):
    """A known word, folded, near a mistyped one; `corpus`: whether the texts have it."""

    word: str
    distance: int
    corpus: bool


def open_table(path: Path) -> sqlite3.Connection:
    """A connection that only reads. Raises sqlite3.Error."""
    uri = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, check_same_thread=False)


class Changes(Protocol):
    """What tells how tables differ that one process has made.

    `by_folded`: by language, the rows of one of them by folded form, and their key.
    """

    by_folded: dict[str, tuple[str, RowsByFolded]]

    def differing(self, lang: str, old: str, new: str) -> Collection[str] | None:
        """The forms whose rows may differ between two keys of a language; None where unknown."""


class FormTable:
    """A table of forms opened for reading, a context manager.

    Threads may share it one after another.
    """

    def __init__(self, path: Path, changes: Changes | None = None) -> None:
        """Raises NotBuilt when there is no table at `path`, or a damaged or outdated one."""
        self._changes = changes
        if not path.is_file():
            raise NotBuilt(f"no table of forms at {path}")
        try:
            self._db = open_table(path)
            layout = self._db.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.Error as error:
            raise NotBuilt(f"the table of forms {path} cannot be read ({error})") from None
        if layout != LAYOUT:
            self._db.close()
            raise NotBuilt(f"the table of forms {path} is of another version")
        self.analyse = lru_cache(maxsize=100_000)(self._analyse)
        self._near = lru_cache(maxsize=1_000)(self._find_near)
        self._compared = lru_cache(maxsize=_FIRST_LETTERS)(self._words_beginning)

    @classmethod
    def open(cls, path: Path, changes: Changes | None = None) -> FormTable:
        """The table at `path`; `changes`: how it differs from others."""
        return cls(path, changes)

    def __enter__(self) -> FormTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, and free what was looked up."""
        self._db.close()
        # The caches of functions refer to the table, so only the garbage collector frees it.
        self._changes = None
        self.analyse.cache_clear()
        self._near.cache_clear()
        self._compared.cache_clear()

    def _rows(self, sql: str, *values: object) -> list[tuple[str, ...]]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise NotBuilt(f"the table of forms cannot be read ({error})") from None

    def _analyse(self, word: str, lang: str) -> Analysis:
        """What a word of a language can mean; never empty, never raises for any word."""
        low = word.lower().encode("utf-8", "replace").decode("utf-8")
        folded = fold(low)
        # A possessive is looked up only where the word as it is written is unknown.
        for wanted in dict.fromkeys((folded, fold(owner(low)))):
            rows = self._rows(
                "SELECT form, lemmas, origin FROM form WHERE lang = ? AND folded = ?", lang, wanted
            )
            for form, lemmas, origin in rows:
                if form == low:
                    is_sister = int(origin) == SISTER
                    return Analysis(tuple(lemmas.split()), "sister" if is_sister else "exact")
            if rows:
                # A folded form belongs to the language or to its sister, never to both.
                is_sister = int(rows[0][2]) == SISTER
                several = {lemma for row in rows for lemma in row[1].split()}
                return Analysis(tuple(sorted(several)), "sister" if is_sister else "folded")
        return Analysis(("~" + language_of(lang).stem(folded),), "stem")

    def known(self, word: str, lang: str) -> bool:
        """Whether a word, with or without its diacritics, is in the table."""
        return self.analyse(word, lang).how != "stem"

    def in_corpus(self, word: str, lang: str) -> bool:
        """Whether the texts themselves have a word, with or without its diacritics."""
        sql = "SELECT 1 FROM form WHERE lang = ? AND folded = ? AND origin = ? LIMIT 1"
        return bool(self._rows(sql, lang, fold(word), CORPUS))

    def similar(self, word: str, lang: str, limit: int = 5) -> list[Near]:
        """Known words that a mistyped one may stand for, nearest first, then those of the texts.

        Words with the same first letter are compared; of others only those that differ in the
        first letter alone.
        """
        return self._near(fold(word), lang)[:limit]

    def _find_near(self, folded: str, lang: str) -> list[Near]:
        most = allowed(folded)
        if not most:
            return []
        words = self._compared(lang, folded[0])
        near = set(self._other_first_letter(folded, lang))
        for other, apart in words.near(folded, most):
            near.add(Near(other, apart, other in words.corpus))

        def order(candidate: Near) -> tuple[int, bool, int, str]:
            difference = abs(len(candidate.word) - len(folded))
            return candidate.distance, not candidate.corpus, difference, candidate.word

        return sorted(near, key=order)

    def _words_beginning(self, lang: str, letter: str) -> ComparedWords:
        sql = (
            "SELECT folded, max(origin) FROM form"
            " WHERE lang = ? AND folded >= ? AND folded < ? GROUP BY folded"
        )
        rows = self._rows(sql, lang, letter, letter + _AFTER)
        corpus = {folded for folded, origin in rows if int(origin) == CORPUS}
        return ComparedWords((folded for folded, _ in rows), corpus)

    def _other_first_letter(self, folded: str, lang: str) -> Iterator[Near]:
        alphabet = sorted(set(map(fold, language_of(lang).alphabet)))
        guesses = [folded[1:], folded[1] + folded[0] + folded[2:]]
        guesses += [char + tail for char in alphabet for tail in (folded[1:], folded)]
        rows = self._rows(
            "SELECT DISTINCT folded FROM form WHERE lang = ? AND origin = ?"
            f" AND folded IN ({','.join('?' * len(guesses))})",
            lang,
            CORPUS,
            *guesses,
        )
        for (word,) in rows:
            if word != folded:
                yield Near(word, 2 if word[0] != folded[0] else 1, True)

    def starting(self, prefix: str, lang: str, limit: int) -> list[str]:
        """Folded words of the texts that begin with a folded prefix, the shortest first."""
        rows = self._rows(
            "SELECT DISTINCT folded FROM form WHERE lang = ? AND origin = ? AND folded >= ?"
            " AND folded < ? ORDER BY length(folded), folded LIMIT ?",
            lang,
            CORPUS,
            prefix,
            prefix + _AFTER,
            limit,
        )
        return [row[0] for row in rows]

    def meanings_of(self, lang: str, words: Collection[str]) -> Iterator[tuple[str, str]]:
        """The own forms of a language that fold to one of some words, as `meanings` has them."""
        select = "SELECT folded, lemmas FROM form WHERE lang = ? AND origin != ?"
        yield from self._rows_in(select, (lang, SISTER), words)

    def unfolded(self, folded: str, lang: str) -> str:
        """A folded word as the texts write it, else as the language does."""
        rows = self._rows(
            "SELECT form FROM form WHERE lang = ? AND folded = ?"
            " ORDER BY origin DESC, form LIMIT 1",
            lang,
            folded,
        )
        return rows[0][0] if rows else folded

    def rows(self, lang: str) -> Iterator[tuple[str, str, list[str], int]]:
        """Every form of a language, folded, with its lemmas and origin, in order."""
        rows = self._rows(
            "SELECT form, folded, lemmas, origin FROM form WHERE lang = ? ORDER BY form", lang
        )
        for form, folded, lemmas, origin in rows:
            yield form, folded, lemmas.split(), int(origin)

    def stored_rows(self, lang: str) -> list[StoredRow]:
        """Every form of a language, folded, with its lemmas, spaces between them, and origin."""
        sql = "SELECT form, folded, lemmas, origin FROM form WHERE lang = ? ORDER BY form"
        return self._rows(sql, lang)  # type: ignore[return-value]

    def by_folded(self, lang: str) -> RowsByFolded:
        """Every form of a language by its folded form, as `stored_rows` has it.

        Nobody may change it, and it is out of date when this is called for another table.
        """
        known = self._changes.by_folded if self._changes else {}
        key, rows = known.get(lang, ("", {}))
        differing = self.differing(lang, key)
        if differing is None:
            rows = {}
            for row in self.stored_rows(lang):
                rows.setdefault(row[1], []).append(row)
        elif differing:
            for folded in differing:
                rows.pop(folded, None)
            rows.update(self.rows_of(lang, differing))
        known[lang] = self.key(lang), rows
        return rows

    def rows_of(self, lang: str, folded: Collection[str]) -> RowsByFolded:
        """The rows of some folded forms of a language, as `by_folded` has them."""
        rows: RowsByFolded = {}
        select = "SELECT form, folded, lemmas, origin FROM form WHERE lang = ?"
        for row in self._rows_in(select, (lang,), folded):
            rows.setdefault(row[1], []).append(row)
        return rows

    def rows_between(self, lang: str, start: str, end: str | None) -> RowsByFolded:
        """The rows of the folded forms from `start` up to but not including `end`, of all without.

        As `by_folded` has them.
        """
        rows: RowsByFolded = {}
        select = "SELECT form, folded, lemmas, origin FROM form"
        for row in self._rows(f"{select} {_BETWEEN} ORDER BY +form", lang, start, end or _AFTER):
            rows.setdefault(row[1], []).append(row)  # type: ignore[arg-type]
        return rows

    def words_between(self, lang: str, start: str, end: str | None) -> Iterator[tuple[str, bool]]:
        """The same folded forms in order, and whether the texts have each."""
        sql = f"SELECT folded, max(origin) FROM form {_BETWEEN} GROUP BY folded"
        for folded, origin in self._rows(sql, lang, start, end or _AFTER):
            yield folded, int(origin) == CORPUS

    def meaning_any(self, lang: str, lemmas: Collection[str]) -> Iterator[str]:
        """The folded forms of a language, sisters' too, that may mean one of some lemmas."""
        if not lemmas:
            return
        wanted = set(lemmas)
        for folded, line in self._rows("SELECT folded, lemmas FROM form WHERE lang = ?", lang):
            if not wanted.isdisjoint(line.split(" ")):
                yield folded

    def is_sorted_as_utf_16(self, lang: str) -> bool:
        """Whether the order of the folded forms of a language is that of UTF-16 too."""
        sql = "SELECT 1 FROM form WHERE lang = ? AND folded GLOB ? LIMIT 1"
        return not self._rows(sql, lang, "*[\ue000-\U0010ffff]*")

    def _rows_in(
        self, select: str, given: tuple[object, ...], folded: Collection[str]
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a query that have one of some folded forms, by form."""
        ordered = sorted(folded)
        for start in range(0, len(ordered), _CHUNK):
            chunk = ordered[start : start + _CHUNK]
            marks = ",".join("?" * len(chunk))
            # SQLite would go through all forms to have them in order: the sign keeps it from that.
            sql = f"{select} AND folded IN ({marks}) ORDER BY +form"
            yield from self._rows(sql, *given, *chunk)

    def differing(self, lang: str, key: str) -> set[str] | None:
        """The folded forms whose rows may differ from those of another key; None where unknown."""
        forms = self._changes.differing(lang, key, self.key(lang)) if self._changes else None
        return None if forms is None else set(map(fold, forms))

    def key(self, lang: str) -> str:
        """A hash of all that the rows of a language were made from; empty where it has none."""
        rows = self._rows("SELECT key FROM vocabulary WHERE lang = ?", lang)
        return rows[0][0] if rows else ""

    def keys(self) -> dict[str, str]:
        """The keys of all languages."""
        rows = self._rows("SELECT lang, key FROM vocabulary ORDER BY lang")
        return {row[0]: row[1] for row in rows}

    def language(self, lang: str) -> LanguageForms:
        """The forms of one language."""
        return LanguageForms(lang, self.key(lang), self)

    def meanings(self, lang: str) -> Iterator[tuple[str, str]]:
        """Every own form of a language, folded, with its lemmas, spaces between them."""
        sql = "SELECT folded, lemmas FROM form WHERE lang = ? AND origin != ? ORDER BY form"
        yield from self._rows(sql, lang, SISTER)  # type: ignore[misc]

    def names(self, lang: str) -> Iterator[tuple[str, str]]:
        """The own forms of a language that may be a word of a card name, as `meanings` has them."""
        sql = "SELECT folded, lemmas FROM form WHERE lang = ? AND origin != ? AND instr(lemmas, ?)"
        yield from self._rows(sql, lang, SISTER, "^")  # type: ignore[misc]

    def of_texts(self, lang: str) -> list[tuple[str, str]]:
        """The words of a language that the texts have, folded, with their lemmas, in order.

        Spaces stand between lemmas.
        """
        # The index of these words is used only where the statement has the origin itself.
        sql = f"SELECT folded, lemmas FROM form WHERE lang = ? AND origin = {CORPUS} ORDER BY form"
        return self._rows(sql, lang)  # type: ignore[return-value]


@dataclass(frozen=True)
class LanguageForms:
    """The forms of one language in a table; equal where they were made from the same words."""

    lang: str
    key: str
    table: FormTable = field(compare=False)
