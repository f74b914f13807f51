"""The engine `database`: SQLite's FTS5 over analysed terms, in the store's own file.

`index_document` has a row for each document, `index_term` the number of documents of each term,
`index_search` is the full-text index over the column `terms` of the documents.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from kb.core.lookup_cache import LookupCache
from kb.core.problems import NotBuilt
from kb.search.document import EVERYTHING, Document
from kb.search.engines.base import CACHED_CANDIDATES, AnyOf, Candidate, Condition, Without
from kb.store.connection import Connection, SqliteConnection

_STORE = "kb.sqlite"
# Every ASCII character but space and quotes belongs to a term; those are written as others. With
# less detail than positions the index is 10 % smaller, and bm25() reads each document again: ten
# times slower.
_SCHEMA = r"""
CREATE TABLE index_document (
    number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, segments TEXT NOT
    NULL, terms TEXT NOT NULL
);
CREATE TABLE index_term (term TEXT PRIMARY KEY, documents INTEGER NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE index_search USING fts5(
    terms, content='index_document', content_rowid='number', detail='full',
    tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~'"
);
"""
_CHUNK = 500


def token(term: str) -> str:
    """A term as the full-text index has it."""
    return _clean(term.replace(" ", "\u00a0"))


def _clean(terms: str) -> str:
    """Terms without what the full-text index has marks for."""
    return terms.encode("utf-8", "replace").decode().replace('"', "”").replace("'", "’")


def build(folder: Path, documents: Iterable[Document]) -> int:
    """Writes an index of all the documents; see kb.search.engines.base.Engine."""
    with closing(sqlite3.connect(folder / _STORE)) as db, db:
        db.executescript(_SCHEMA)
        frequencies: Counter[str] = Counter()
        rows = (_row(number, document) for number, document in enumerate(documents, 1))
        db.executemany(
            "INSERT INTO index_document VALUES (?, ?, ?, ?, ?)", _counted(rows, frequencies)
        )
        db.execute("INSERT INTO index_search(index_search) VALUES ('rebuild')")
        db.executemany("INSERT INTO index_term VALUES (?, ?)", sorted(frequencies.items()))
    return frequencies[EVERYTHING]


Row = tuple[int, str, str, str, str]


def _row(number: int, document: Document) -> Row:
    # No term of a text has a space: all of them are cleaned together.
    terms = " ".join((_clean(document.terms), *map(token, document.value_terms())))
    return number, document.key, document.kind, document.packed, terms.lstrip()


def _counted(rows: Iterable[Row], frequencies: Counter[str]) -> Iterator[Row]:
    for row in rows:
        frequencies.update(set(row[4].split(" ")))
        yield row


def update(folder: Path, documents: Iterable[Document], removed: Collection[str]) -> None:
    """Takes documents in and out; see kb.search.engines.base.Engine."""
    try:
        with closing(sqlite3.connect(folder / _STORE)) as db, db:
            new = {document.key: document for document in documents}
            changes: Counter[str] = Counter()
            for key in {*new, *removed}:
                _take_out(db, key, changes)
            last = db.execute("SELECT coalesce(max(number), 0) FROM index_document").fetchone()[0]
            for number, key in enumerate(sorted(new), last + 1):
                row = _row(number, new[key])
                db.execute("INSERT INTO index_document VALUES (?, ?, ?, ?, ?)", row)
                db.execute(
                    "INSERT INTO index_search (rowid, terms) VALUES (?, ?)", (number, row[4])
                )
                changes.update(set(row[4].split(" ")))
            db.executemany(
                "INSERT INTO index_term VALUES (?, ?)"
                " ON CONFLICT (term) DO UPDATE SET documents = documents + excluded.documents",
                sorted((term, change) for term, change in changes.items() if change),
            )
            db.execute("DELETE FROM index_term WHERE documents <= 0")
    except sqlite3.Error as error:
        raise NotBuilt(f"the index cannot be brought up to date ({error})") from None


def _take_out(db: sqlite3.Connection, key: str, changes: Counter[str]) -> None:
    row = db.execute("SELECT number, terms FROM index_document WHERE key = ?", (key,)).fetchone()
    if row is None:
        return
    db.execute("INSERT INTO index_search (index_search, rowid, terms) VALUES ('delete', ?, ?)", row)
    db.execute("DELETE FROM index_document WHERE number = ?", (row[0],))
    changes.subtract(set(row[1].split(" ")))


class IndexTables:
    """What the tables of documents and terms tell, in SQLite and in PostgreSQL."""

    def __init__(self, connection: Connection) -> None:
        """Raises NotBuilt when there is no index."""
        self._connection = connection
        self._candidates = LookupCache(CACHED_CANDIDATES, self._read_candidates)
        self.count = self.frequencies([EVERYTHING]).get(EVERYTHING, 0)

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        by_token = {token(term): term for term in terms}
        found: dict[str, int] = {}
        for some in _chunks(list(by_token)):
            rows = self._connection.all(
                f"SELECT term, documents FROM index_term WHERE term IN ({_marks(some)})", some
            )
            found.update((by_token[name], int(count)) for name, count in rows)
        return found

    def candidates(self, numbers: Iterable[int]) -> list[Candidate]:
        return list(self._candidates.get(numbers).values())

    def _read_candidates(self, numbers: list[int]) -> Iterator[tuple[int, Candidate]]:
        for some in _chunks(numbers):
            rows = self._connection.all(
                "SELECT number, key, kind, segments FROM index_document"
                f" WHERE number IN ({_marks(some)})",
                some,
            )
            for number, key, kind, segments in rows:
                yield number, Candidate(key, kind, segments)

    def values(self, name: str, low: str, high: str) -> list[str]:
        start = f"@{name}:"
        rows = self._connection.all(
            "SELECT term FROM index_term WHERE term >= ? AND term < ? ORDER BY term",
            (start + token(low), start + token(high)),
        )
        return [row[0][len(start) :].replace("\u00a0", " ") for row in rows]

    def close(self) -> None:
        self._connection.close()


def _chunks(values: list[Any]) -> Iterator[list[Any]]:
    for start in range(0, len(values), _CHUNK):
        yield values[start : start + _CHUNK]


def _marks(values: Collection[object]) -> str:
    return ",".join("?" * len(values))


class DatabaseIndex(IndexTables):
    """An index opened for reading; see kb.search.engines.base.Index."""

    def best(self, condition: Condition, limit: int) -> list[int]:
        return self._numbers(
            "SELECT rowid FROM index_search WHERE index_search MATCH ? ORDER BY rank LIMIT ?",
            condition,
            limit,
        )

    def first(self, condition: Condition, limit: int) -> list[int]:
        return self._numbers(
            "SELECT d.number FROM index_search s JOIN index_document d ON d.number = s.rowid"
            " WHERE index_search MATCH ? ORDER BY d.key LIMIT ?",
            condition,
            limit,
        )

    def total(self, condition: Condition) -> int:
        expression = _expression(condition)
        if not expression:
            return 0
        sql = "SELECT count(*) FROM index_search WHERE index_search MATCH ?"
        return int(self._connection.all(sql, (expression,))[0][0])

    def _numbers(self, sql: str, condition: Condition, limit: int) -> list[int]:
        expression = _expression(condition)
        if not expression:
            return []
        return [int(row[0]) for row in self._connection.all(sql, (expression, limit))]


def _expression(condition: Condition) -> str:
    """A condition in the query language of FTS5; empty for one that nothing meets."""
    if isinstance(condition, str):
        return f'"{token(condition)}"'
    if isinstance(condition, Without):
        wanted, unwanted = _expression(condition.wanted), _expression(condition.unwanted)
        return f"({wanted} NOT {unwanted})" if wanted and unwanted else wanted
    parts = [_expression(part) for part in condition.conditions]
    if isinstance(condition, AnyOf):
        parts = [part for part in parts if part]
        return f"({' OR '.join(parts)})" if parts else ""
    if not parts:
        return _expression(EVERYTHING)
    return f"({' AND '.join(parts)})" if all(parts) else ""


def open_index(folder: Path) -> DatabaseIndex:
    """The index of a build; see kb.search.engines.base.Engine."""
    return DatabaseIndex(SqliteConnection(folder / _STORE))


def words(folder: Path) -> Iterator[tuple[int, list[str]]]:
    """The terms of every document of a build's index, by its number.

    Raises NotBuilt when there is no index.
    """
    connection = SqliteConnection(folder / _STORE)
    try:
        for number, terms in connection.each("SELECT number, terms FROM index_document"):
            yield number, sorted(set(terms.split(" ")))
    finally:
        connection.close()
