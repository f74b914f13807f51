"""The analysers' answers, cached in an SQLite file in the user's cache folder.

For builds: analysing the words of three games takes 3 s of processor time, reading the answers
0.1 s. The file is safe to delete. Without a usable file, all answers are computed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path

from kb.core.files import user_cache
from kb.language.base import Language

_SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
    version TEXT, question TEXT, word TEXT, answer TEXT, PRIMARY KEY (version, question, word)
) WITHOUT ROWID
"""
# Seconds to wait for another process that writes, which takes milliseconds.
_PATIENCE = 1
_PACKAGES = (
    "morfeusz2",
    "pymorphy3",
    "pymorphy3-dicts-ru",
    "simplemma",
    "snowballstemmer",
    "PyStemmer",
)

Analyse = Callable[[Collection[str]], Mapping[str, Collection[str]]]


class Answers:
    """The analysers' answers about words, cached."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path or user_cache() / "words.sqlite"

    def lemmas(self, language: Language, words: Collection[str]) -> dict[str, list[str]]:
        """`Language.lemmas` of each word."""
        return self.ask(f"{language.code} lemmas", words, _each(language.lemmas))

    def name_forms(self, language: Language, names: Collection[str]) -> dict[str, list[str]]:
        """`Language.name_forms` of each name."""
        return self.ask(f"{language.code} name forms", names, _each(language.name_forms))

    def forms(self, language: Language, lemmas: Collection[str]) -> dict[str, list[str]]:
        """`Language.forms` of some lemmas."""
        return self.ask(f"{language.code} forms", lemmas, language.forms)

    def ask(self, question: str, words: Collection[str], analyse: Analyse) -> dict[str, list[str]]:
        """The answer for each word; `analyse` computes the missing ones.

        A question names its language. Words of answers have no line breaks.
        """
        known = self._read(question, words)
        unknown = sorted(set(words) - known.keys())
        if unknown:
            new = {word: sorted(answer) for word, answer in analyse(unknown).items()}
            self._write(question, new)
            known.update(new)
        return known

    def _read(self, question: str, words: Collection[str]) -> dict[str, list[str]]:
        sql = (
            "SELECT word, answer FROM answer WHERE version = ? AND question = ?"
            " AND word IN (SELECT value FROM json_each(?))"
        )
        try:
            with self._connection() as db:
                rows = db.execute(sql, (program_version(), question, json.dumps(list(words))))
                return {word: answer.split("\n") if answer else [] for word, answer in rows}
        except sqlite3.Error:
            return {}

    def _write(self, question: str, answers: Mapping[str, Collection[str]]) -> None:
        """Cache some answers if the file can be written; replace a damaged file."""
        # Nothing is cached if the file is not writable or full, or another process writes for long.
        with suppress(OSError, sqlite3.OperationalError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            try:
                self._insert(question, answers)
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                self._path.unlink(missing_ok=True)
                self._insert(question, answers)

    def _insert(self, question: str, answers: Mapping[str, Collection[str]]) -> None:
        version = program_version()
        rows = ((version, question, word, "\n".join(answer)) for word, answer in answers.items())
        with self._connection() as db:
            db.execute(_SCHEMA)
            db.execute("DELETE FROM answer WHERE version != ?", (version,))
            db.executemany("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", rows)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=_PATIENCE)) as db, db:
            yield db


def _each(function: Callable[[str], Collection[str]]) -> Analyse:
    return lambda words: {word: function(word) for word in words}


@cache
def program_version() -> str:
    """A hash of this package and of the versions of the analysers."""
    from importlib.metadata import PackageNotFoundError, version

    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            digest.update(f"{package} {version(package)}".encode())
    return digest.hexdigest()[:16]
