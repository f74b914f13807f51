"""The tables of the index in the store: terms, their postings in blocks of documents, and the documents.

What is in the pieces is the index's matter (`kb.search.postings`). A block holds the postings of a term in `BLOCK` documents, so
that a change writes pieces of bounded size and a term is read in few.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kb.core.problems import NotBuilt
from kb.store.connection import Connection, SqliteConnection

LAYOUT = 1
BLOCK = 4096
# So many blocks a term may have: the number of a piece is that of its term times this, and its block.
BLOCKS = 1 << 16
_TABLES = (
    "index_about",
    "index_term",
    "index_posting",
    "index_place",
    "index_document",
    "index_block",
)
_SCHEMA = """
CREATE TABLE index_about (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE index_term (term TEXT PRIMARY KEY, id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE index_posting (id INTEGER PRIMARY KEY, piece BLOB NOT NULL);
CREATE TABLE index_place (id INTEGER PRIMARY KEY, piece BLOB NOT NULL);
CREATE TABLE index_document (doc INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, length INTEGER NOT NULL, terms BLOB NOT NULL);
CREATE TABLE index_block (block INTEGER PRIMARY KEY, lengths BLOB NOT NULL, live BLOB NOT NULL);
"""
_PIECES = (
    "SELECT p.piece FROM index_term t JOIN {} p ON p.id BETWEEN t.id * 65536 AND t.id * 65536 + 65535"
    " WHERE t.term = ? ORDER BY p.id"
)
_POSTINGS, _PLACES = _PIECES.format("index_posting"), _PIECES.format("index_place")
Piece = tuple[int, bytes, bytes]


class PostingRows:
    """The tables opened for reading; closes itself as a context manager."""

    def __init__(self, place: Path | Connection) -> None:
        """`place`: the store's file, or a connection, which is then closed with the rows.

        Raises NotBuilt when there is no store or no index of this layout in it.
        """
        self._db: Connection = SqliteConnection(place) if isinstance(place, Path) else place
        try:
            self.about = {
                str(name): int(value)
                for name, value in self._db.all("SELECT name, value FROM index_about")
            }
        except NotBuilt:
            self._db.close()
            raise
        if self.about.get("layout") != LAYOUT:
            self._db.close()
            raise NotBuilt("the index in the store is of another version")

    def __enter__(self) -> PostingRows:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._db.close()

    def postings(self, term: str) -> list[bytes]:
        """The pieces of a term's postings, in order."""
        return [bytes(row[0]) for row in self._db.all(_POSTINGS, (clean(term),))]

    def places(self, term: str) -> list[bytes]:
        """The pieces of a term's places, in order."""
        return [bytes(row[0]) for row in self._db.all(_PLACES, (clean(term),))]

    def terms(self, low: str, high: str) -> list[str]:
        """The terms from `low` up to, not with, `high`, in order."""
        sql = "SELECT term FROM index_term WHERE term >= ? AND term < ? ORDER BY term"
        return [str(row[0]) for row in self._db.all(sql, (clean(low), clean(high)))]

    def term_names(self) -> dict[int, str]:
        """All terms by their numbers."""
        return {
            int(number): str(term)
            for term, number in self._db.each("SELECT term, id FROM index_term ORDER BY term")
        }

    def document_terms(self) -> Iterator[tuple[int, bytes]]:
        """The documents, each with the piece that tells its terms."""
        for doc, terms in self._db.each("SELECT doc, terms FROM index_document ORDER BY doc"):
            yield int(doc), bytes(terms)

    def documents(self, low: str, high: str) -> Iterator[tuple[str, int]]:
        """The keys from `low` up to, not with, `high`, in order, each with its document; read as they are asked for."""
        sql = "SELECT key, doc FROM index_document WHERE key >= ? AND key < ? ORDER BY key"
        yield from self._db.each(sql, (clean(low), clean(high)))

    def keys(self, documents: Sequence[int]) -> dict[int, str]:
        """The keys of some documents."""
        sql = f"SELECT doc, key FROM index_document WHERE doc IN ({','.join('?' * len(documents))})"
        return {int(str(doc)): str(key) for doc, key in self._db.all(sql, documents)}

    def blocks(self) -> list[tuple[bytes, bytes]]:
        """For every block the steps of its documents' lengths, and 1 for each that is there."""
        return [
            (bytes(lengths), bytes(live))
            for lengths, live in self._db.all(
                "SELECT lengths, live FROM index_block ORDER BY block"
            )
        ]


class PostingWriter:
    """The tables opened for writing, in a store that nobody reads yet; what is written counts from `commit` on."""

    def __init__(self, path: Path) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA synchronous = OFF")
        self._db.execute("BEGIN")

    def __enter__(self) -> PostingWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self._db.close()

    def create(self) -> None:
        """Makes the tables anew."""
        for table in _TABLES:
            self._db.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in _SCHEMA.split(";")[:-1]:
            self._db.execute(statement)

    def commit(self, about: dict[str, int]) -> None:
        """Keeps what was written, with what the index says about itself."""
        rows = {**about, "layout": LAYOUT}.items()
        self._db.executemany("INSERT OR REPLACE INTO index_about VALUES (?, ?)", rows)
        self._db.execute("COMMIT")

    def add_terms(self, terms: Iterable[tuple[str, int]]) -> None:
        """Adds terms with their numbers."""
        self._db.executemany(
            "INSERT INTO index_term VALUES (?, ?)",
            ((clean(term), number) for term, number in terms),
        )

    def term_numbers(self, terms: Iterable[str]) -> dict[str, int]:
        """The numbers of those of some terms that are there."""
        found = {}
        for term in terms:
            row = self._db.execute(
                "SELECT id FROM index_term WHERE term = ?", (clean(term),)
            ).fetchone()
            if row:
                found[term] = int(row[0])
        return found

    def next_term(self) -> int:
        """A number above those of all terms."""
        return int(
            self._db.execute("SELECT coalesce(max(id), 0) + 1 FROM index_term").fetchone()[0]
        )

    def put(self, pieces: Iterable[Piece]) -> None:
        """Writes pieces of postings and of places by their numbers, in the place of those that are there."""
        for number, postings, places in pieces:
            self._db.execute(
                "INSERT OR REPLACE INTO index_posting VALUES (?, ?)", (number, postings)
            )
            self._db.execute("INSERT OR REPLACE INTO index_place VALUES (?, ?)", (number, places))

    def piece(self, number: int) -> tuple[bytes, bytes] | None:
        """The piece with a number."""
        sql = "SELECT p.piece, w.piece FROM index_posting p JOIN index_place w ON w.id = p.id WHERE p.id = ?"
        row = self._db.execute(sql, (number,)).fetchone()
        return (bytes(row[0]), bytes(row[1])) if row else None

    def drop_pieces(self, numbers: Iterable[int]) -> None:
        """Deletes pieces, and terms that have none left."""
        for number in numbers:
            self._db.execute("DELETE FROM index_posting WHERE id = ?", (number,))
            self._db.execute("DELETE FROM index_place WHERE id = ?", (number,))
            term = number // BLOCKS
            if not self._db.execute(
                "SELECT 1 FROM index_posting WHERE id BETWEEN ? AND ?",
                (term * BLOCKS, term * BLOCKS + BLOCKS - 1),
            ).fetchone():
                self._db.execute("DELETE FROM index_term WHERE id = ?", (term,))

    def document(self, key: str) -> tuple[int, int, bytes] | None:
        """The number, the length and the terms of the document with a key."""
        row = self._db.execute(
            "SELECT doc, length, terms FROM index_document WHERE key = ?", (key,)
        ).fetchone()
        return (int(row[0]), int(row[1]), bytes(row[2])) if row else None

    def add_documents(self, rows: Iterable[tuple[int, str, int, bytes]]) -> None:
        """Adds documents: number, key, length and terms."""
        self._db.executemany("INSERT INTO index_document VALUES (?, ?, ?, ?)", rows)

    def drop_document(self, number: int) -> None:
        """Deletes a document's row."""
        self._db.execute("DELETE FROM index_document WHERE doc = ?", (number,))

    def block(self, block: int) -> tuple[bytes, bytes] | None:
        """The lengths and the presence of a block's documents."""
        row = self._db.execute(
            "SELECT lengths, live FROM index_block WHERE block = ?", (block,)
        ).fetchone()
        return (bytes(row[0]), bytes(row[1])) if row else None

    def blocks(self) -> list[tuple[int, bytes]]:
        """The blocks with the presence of their documents."""
        rows = self._db.execute("SELECT block, live FROM index_block ORDER BY block")
        return [(int(block), bytes(live)) for block, live in rows]

    def put_blocks(self, rows: Iterable[tuple[int, bytes, bytes]]) -> None:
        """Writes the lengths and the presence of the documents of blocks."""
        self._db.executemany("INSERT OR REPLACE INTO index_block VALUES (?, ?, ?)", rows)


def about(path: Path) -> dict[str, int]:
    """What the index in a store says about itself. Raises NotBuilt when there is none."""
    with PostingRows(path) as rows:
        return rows.about


def clean(term: str) -> str:
    """A term as a store can hold it: half a character, which only a query can have, is a question mark."""
    return term.encode("utf-8", "replace").decode("utf-8")
