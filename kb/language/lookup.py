"""Reads the table of forms: the lemmas of a word, and similar known words.

No analyser is loaded. The table is an SQLite file, which opens at once at any size.

A lemma is one of a dictionary, or `^name` for a word of a card name, `~stem` for a word that no
dictionary knows, `+word` for a group of words with one meaning.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from kb.core.problems import NotBuilt
from kb.language.registry import language_of
from kb.language.spelling import ComparedWords, allowed
from kb.language.words import fold, lacks_only_marks, owner

# The file of a build that holds the table.
FORMS_FILE = "forms.sqlite"
LAYOUT = 6
# The origin of a form: a sister language, the inflection of a lemma, the texts.
SISTER, INFLECTED, CORPUS = -1, 0, 1
# Sorts after every letter.
_AFTER = "\U0010ffff"
# First letters whose words are cached for comparison; 200,000 words take 10 MB.
_FIRST_LETTERS = 200

# Language, folded form, form, lemmas separated by spaces, origin.
StoredRow = tuple[str, str, str, str, int]
# Folded form, lemmas separated by spaces.
Meaning = tuple[str, str]


How = Literal["exact", "folded", "sister", "stem"]


class Analysis(NamedTuple):
    """The lemmas of a word; `how`: by its exact form, folded form, a sister's form, or its stem.

    `others`: the further lemmas of a word without diacritics, if it may be typed for other forms.
    """

    lemmas: tuple[str, ...]
    how: How
    others: tuple[str, ...] = ()


class Near(NamedTuple):
    """A known folded word near a mistyped one; `corpus`: the texts have it."""

    word: str
    distance: int
    corpus: bool


class FormTable:
    """An open table of forms; a context manager. Threads may use it one after another."""

    def __init__(self, table: Path | bytes) -> None:
        """Open the file of a table, or its bytes in memory.

        Raises NotBuilt if the table is missing, damaged or outdated.
        """
        name = f"the table of forms {table}" if isinstance(table, Path) else "the table of forms"
        try:
            self._db = _open(table)
            layout = self._db.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.Error as error:
            raise NotBuilt(f"{name} cannot be read ({error})") from None
        if layout != LAYOUT:
            self._db.close()
            raise NotBuilt(f"{name} is of another version")
        self.analyse = lru_cache(maxsize=100_000)(self._analyse)
        self._near = lru_cache(maxsize=1_000)(self._find_near)
        self._compared = lru_cache(maxsize=_FIRST_LETTERS)(self._words_beginning)
        self._first_letters = lru_cache(maxsize=_FIRST_LETTERS)(self._find_first_letters)

    def __enter__(self) -> FormTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection, and empty the caches."""
        self._db.close()
        # The caches refer to the table; otherwise only the garbage collector frees them.
        self.analyse.cache_clear()
        self._near.cache_clear()
        self._compared.cache_clear()
        self._first_letters.cache_clear()

    def _rows(self, columns: str, lang: str, condition: str, *values: object) -> list[Any]:
        sql = f"SELECT {columns} FROM form WHERE lang = ? AND {condition}"
        try:
            return self._db.execute(sql, (lang, *values)).fetchall()
        except sqlite3.Error as error:
            raise NotBuilt(f"the table of forms cannot be read ({error})") from None

    def _analyse(self, word: str, lang: str) -> Analysis:
        """The lemmas of a word in a language: at least one, for any text."""
        low = word.lower().encode("utf-8", "replace").decode("utf-8")
        folded = fold(low)
        # Look up the owner in a possessive if the word itself is unknown.
        for wanted in dict.fromkeys((folded, fold(owner(low)))):
            rows = self._rows("form, lemmas, origin", lang, "folded = ?", wanted)
            if rows:
                exact = [row for row in rows if row[0] == low]
                lemmas = {lemma for row in exact or rows for lemma in row[1].split()}
                # A folded form belongs to the language or to its sister, never both.
                own: How = "exact" if exact else "folded"
                how = "sister" if rows[0][2] == SISTER else own
                # With diacritics a word is itself; without them it may stand for any spelling.
                others = {lemma for row in rows if low == folded for lemma in row[1].split()}
                return Analysis(tuple(sorted(lemmas)), how, tuple(sorted(others - lemmas)))
        return Analysis(("~" + language_of(lang).stem(folded),), "stem")

    def own_lemmas(self, word: str, lang: str, origin: int = INFLECTED) -> tuple[str, ...]:
        """The lemmas of all forms of a language that a word may stand for, without its sisters'.

        It may lack the diacritics of a form, but has none that the form lacks: no psí for psi.
        """
        condition = "folded = ? AND origin >= ?"
        rows = self._rows("form, lemmas", lang, condition, fold(word), origin)
        stands_for = [lemmas for form, lemmas in rows if lacks_only_marks(word, form)]
        return tuple(sorted({lemma for lemmas in stands_for for lemma in lemmas.split()}))

    def text_lemmas(self, folded: str, lang: str) -> tuple[str, ...]:
        """The lemmas of all spellings that a folded word has in the texts.

        `analyse` would take the folded word for the exact form of another one.
        """
        return self.own_lemmas(folded, lang, CORPUS) or self.analyse(folded, lang).lemmas

    def known(self, word: str, lang: str) -> bool:
        """Whether a word, with or without its diacritics, is in the table."""
        return self.analyse(word, lang).how != "stem"

    def similar(self, word: str, lang: str, limit: int = 5) -> list[Near]:
        """The corrections of a mistyped word: the nearest first, then those in the texts.

        A correction begins with the same letter, or differs in the first letter alone.
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
        condition = "folded >= ? AND folded < ? GROUP BY folded"
        rows = self._rows("folded, max(origin)", lang, condition, letter, letter + _AFTER)
        corpus = {folded for folded, origin in rows if origin == CORPUS}
        return ComparedWords((folded for folded, _ in rows), corpus)

    def _other_first_letter(self, folded: str, lang: str) -> Iterator[Near]:
        guesses = [folded[1:], folded[1] + folded[0] + folded[2:]]
        letters = self._first_letters(lang)
        guesses += [letter + tail for letter in letters for tail in (folded[1:], folded)]
        condition = f"origin = {CORPUS} AND folded IN ({','.join('?' * len(guesses))})"
        for (word,) in self._rows("DISTINCT folded", lang, condition, *guesses):
            if word != folded:
                yield Near(word, 2 if word[0] != folded[0] else 1, True)

    def _find_first_letters(self, lang: str) -> list[str]:
        """The letters with which words of the texts begin."""
        rows = self._rows(
            "DISTINCT substr(folded, 1, 1)", lang, f"origin = {CORPUS} AND folded > ''"
        )
        return [letter for (letter,) in rows]

    def unfolded(self, folded: str, lang: str) -> str:
        """A form with this folded form, preferably one of the texts, without an apostrophe."""
        condition = "folded = ? ORDER BY origin DESC, length(form), form LIMIT 1"
        rows = self._rows("form", lang, condition, folded)
        return rows[0][0] if rows else folded

    def stored_rows(self, lang: str) -> list[StoredRow]:
        """Every form of a language, in the order of folded forms."""
        return self._rows("*", lang, "TRUE")

    def of_texts(self, lang: str) -> list[Meaning]:
        """The words of the texts in a language, in the order of folded forms."""
        # SQLite uses the index of these words only if the statement names the origin.
        return self._rows("folded, lemmas", lang, f"origin = {CORPUS}")


def _open(table: Path | bytes) -> sqlite3.Connection:
    """Connect to a table. Raises NotBuilt without a file at its path, sqlite3.Error."""
    if isinstance(table, bytes):
        connection = sqlite3.connect(":memory:", check_same_thread=False)
        connection.deserialize(table)
        return connection
    if not table.is_file():
        raise NotBuilt(f"no table of forms at {table}")
    uri = f"{table.absolute().as_uri()}?mode=ro&immutable=1"
    return sqlite3.connect(uri, uri=True, check_same_thread=False)
