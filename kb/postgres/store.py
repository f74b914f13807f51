"""Builds in PostgreSQL: each in a schema of its own, `kb_1`, `kb_2`; the schema `kb` says which is current and which was before.

A build comes in whole, in one transaction, from the store's file: the same tables with the same rows. What a site's pages hold
lies beside the builds by its hash, so that a page that did not change is not sent again. Text compares by its bytes, as in
SQLite.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.core.problems import KbError, NotBuilt
from kb.store.connection import Rows
from kb.store.queries import LAYOUT

if TYPE_CHECKING:
    from psycopg import Connection as Server

_PREFIXES = ("postgresql://", "postgres://", "postgresql+psycopg://")
_LOCK = 0x6B62
_CONTROL = """
CREATE SCHEMA IF NOT EXISTS kb;
CREATE TABLE IF NOT EXISTS kb.current (one bool PRIMARY KEY DEFAULT true CHECK (one), build int NOT NULL, before int);
CREATE TABLE IF NOT EXISTS kb.content (sha256 text PRIMARY KEY, packed bool NOT NULL, body bytea NOT NULL);
CREATE TABLE IF NOT EXISTS kb.last (one bool PRIMARY KEY DEFAULT true CHECK (one), build int NOT NULL);
"""
_OWN = """
CREATE TABLE about (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE page (path text COLLATE "C" PRIMARY KEY, media text NOT NULL, size bigint NOT NULL, sha256 text NOT NULL);
"""
_SEARCH = """
ALTER TABLE index_document ADD COLUMN words tsvector;
UPDATE index_document d SET words = w.words FROM new_words w WHERE w.doc = d.number;
CREATE INDEX ON index_document USING gin (words);
"""
_KINDS = {"INTEGER": "bigint", "BLOB": "bytea"}


@dataclass(frozen=True)
class Content:
    """A file of a build: where it is asked for, its media type, the size and the SHA-256 of its bytes, and these themselves or,
    where it is `packed`, in gzip."""

    path: str
    media: str
    size: int
    sha256: str
    packed: bool
    body: bytes


@dataclass(frozen=True)
class Load:
    """What is to be published: the store's file, what the build says of itself, the terms of every document of the index, and the
    files that readers need."""

    store: Path
    about: dict[str, str]
    words: Iterable[tuple[int, list[str]]]
    files: Iterable[Content]


def is_database(target: str) -> bool:
    """Whether an address is that of a PostgreSQL database."""
    return target.startswith(_PREFIXES)


def connect(url: str) -> Server[Any]:
    """A connection to the server. Raises KbError when there is none, or when psycopg is missing."""
    if not is_database(url):
        raise KbError(
            f"{_safe(url)}: not the address of a database; it begins with postgresql+psycopg://"
        )
    try:
        import psycopg
    except ImportError:
        raise KbError("PostgreSQL needs psycopg: pip install 'kb-rulings[postgres]'") from None
    try:
        return psycopg.connect(url.replace("+psycopg", "", 1), autocommit=True, connect_timeout=10)
    except psycopg.Error as error:
        raise KbError(f"the database {_safe(url)} cannot be reached: {_first(error)}") from None


def _safe(url: str) -> str:
    """An address without its password."""
    return re.sub(r"(//[^:/@]*):[^@/]*@", r"\1:...@", url)


def _first(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


class PostgresConnection:
    """A build opened for reading; see kb.store.connection.Connection. It stays with its build whatever is published.

    Where the server goes away, another of the address is asked once: `postgresql://u@/kb?host=one,two`.
    """

    def __init__(self, url: str, build: int | None = None) -> None:
        """Opens the build of a number, or the current one.

        Raises NotBuilt where nothing is published or that build is gone, KbError where there is no server.
        """
        self._url = url
        self._server = connect(url)
        try:
            self.build = build if build is not None else current(self._server)[0]
            self._enter()
            self.layout = int(self.about().get("layout", "0"))
        except NotBuilt:
            self._server.close()
            raise

    def _enter(self) -> None:
        self._server.execute(f"SET search_path TO {schema(self.build)}")

    def about(self) -> dict[str, str]:
        """What the build says of itself."""
        return {str(name): str(value) for name, value in self.all("SELECT name, value FROM about")}

    def published(self) -> int:
        """The number of the build that is current by now."""
        return int(self.all("SELECT build FROM kb.current")[0][0])

    def all(self, sql: str, values: Sequence[object] = ()) -> Rows:
        import psycopg

        try:
            return self._fetch(sql, values)
        except psycopg.OperationalError:
            if not self._server.broken and not self._server.closed:
                raise NotBuilt("the database cannot be read") from None
        self._server = connect(self._url)
        self._enter()
        return self._fetch(sql, values)

    def _fetch(self, sql: str, values: Sequence[object]) -> Rows:
        import psycopg

        try:
            with self._server.cursor(binary=True) as cursor:
                return cursor.execute(
                    sql.replace("%", "%%").replace("?", "%s"), _plain(values)
                ).fetchall()
        except psycopg.OperationalError:
            raise
        except psycopg.Error as error:
            raise NotBuilt(f"the build is gone from the database ({_first(error)})") from None

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows, some hundred at a time: what is asked for in order is seldom read to its end."""
        start, size = 0, 200
        while rows := self.all(f"{sql} LIMIT {size} OFFSET {start}", values):
            yield from rows
            if len(rows) < size:
                return
            start, size = start + size, size * 4

    def close(self) -> None:
        self._server.close()


def _plain(values: Sequence[object]) -> list[object]:
    """Values as PostgreSQL takes them: no text of its own has a NUL."""
    return [value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in values]


def schema(build: int) -> str:
    """The name of a build's schema."""
    return f"kb_{build}"


def current(server: Server[Any]) -> tuple[int, int | None]:
    """The current build and the one before. Raises NotBuilt where nothing is published."""
    import psycopg

    try:
        row = server.execute("SELECT build, before FROM kb.current").fetchone()
    except psycopg.errors.UndefinedTable:
        row = None
    except psycopg.Error as error:
        raise NotBuilt(f"the database cannot be read ({_first(error)})") from None
    if row is None:
        raise NotBuilt("nothing is published in the database yet; kb publish does")
    return int(row[0]), row[1] and int(row[1])


def publish(url: str, load: Load) -> int:
    """Loads a build and makes it the current one, all in one transaction; returns its number.

    Raises KbError where another publish is at work or the server refuses; what was published stays as it is then.
    """
    with _changing(url) as server:
        with server.transaction():
            _locked(server)
            for statement in _CONTROL.split(";")[:-1]:
                server.execute(statement)
            build = _next(server)
            server.execute(f"CREATE SCHEMA {schema(build)}")
            server.execute(f"SET LOCAL search_path TO {schema(build)}")
            _load(server, load.store)
            _files(server, load.files)
            with server.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO about VALUES (%s, %s)",
                    [*load.about.items(), ("layout", str(LAYOUT))],
                )
            _words(server, load.words)
            server.execute(
                "INSERT INTO kb.current (build) VALUES (%s)"
                " ON CONFLICT (one) DO UPDATE SET before = kb.current.build, build = excluded.build",
                (build,),
            )
        _tidy(server, build)
    return build


def roll_back(url: str) -> int:
    """Makes the build before the current one again; returns its number. Raises KbError where there is none."""
    with _changing(url) as server, server.transaction():
        _locked(server)
        try:
            build, before = current(server)
        except NotBuilt as error:
            raise KbError(str(error)) from None
        if before is None:
            raise KbError("the database holds no build before the current one")
        server.execute("UPDATE kb.current SET build = %s, before = %s", (before, build))
    return before


@contextmanager
def _changing(url: str) -> Iterator[Server[Any]]:
    """A connection for changes, with errors as KbError."""
    import psycopg

    with closing(connect(url)) as server:
        try:
            yield server
        except psycopg.Error as error:
            raise KbError(
                f"the database refused: {_first(error)}; what was published is untouched"
            ) from None


def _lock(server: Server[Any]) -> bool:
    row = server.execute("SELECT pg_try_advisory_xact_lock(%s)", (_LOCK,)).fetchone()
    return bool(row and row[0])


def _locked(server: Server[Any]) -> None:
    if not _lock(server):
        raise KbError("another publish is at work in this database; wait for it to end")


def _next(server: Server[Any]) -> int:
    row = server.execute(
        "INSERT INTO kb.last (build) VALUES (1) ON CONFLICT (one) DO UPDATE SET build = kb.last.build + 1 RETURNING build"
    ).fetchone()
    assert row
    return int(row[0])


def _load(server: Server[Any], store: Path) -> None:
    """Copies every table of the store's file, with its keys and indexes."""
    for statement in _OWN.split(";")[:-1]:
        server.execute(statement)
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as db:
        names = [
            row[0]
            for row in db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'index_search*'"
                " ORDER BY name"
            )
        ]
        for name in names:
            columns = db.execute(f"PRAGMA table_info({name})").fetchall()
            _create(server, name, columns)
            kinds = [_kind(column[2]) for column in columns]
            with (
                server.cursor() as cursor,
                cursor.copy(f"COPY {name} FROM STDIN (FORMAT binary)") as copy,
            ):
                copy.set_types([kind.split()[0] for kind in kinds])
                for row in db.execute(f"SELECT * FROM {name}"):
                    copy.write_row(row)
            _index(server, db, name, columns)
            server.execute(f"ANALYZE {name}")


def _kind(declared: str) -> str:
    return _KINDS.get(declared.upper(), 'text COLLATE "C"')


def _create(server: Server[Any], name: str, columns: Sequence[Any]) -> None:
    parts = [f"{column[1]} {_kind(column[2])}" for column in columns]
    server.execute(f"CREATE TABLE {name} ({', '.join(parts)})")


def _index(server: Server[Any], db: sqlite3.Connection, name: str, columns: Sequence[Any]) -> None:
    key = [column[1] for column in sorted(columns, key=lambda one: one[5]) if column[5]]
    if key:
        server.execute(f"ALTER TABLE {name} ADD PRIMARY KEY ({', '.join(key)})")
    for _, index, _, origin, _ in db.execute(f"PRAGMA index_list({name})").fetchall():
        if origin != "pk":
            held = [row[2] for row in db.execute(f"PRAGMA index_info({index})")]
            server.execute(f"CREATE INDEX ON {name} ({', '.join(held)})")


def _words(server: Server[Any], words: Iterable[tuple[int, list[str]]]) -> None:
    """The terms of the documents as text search vectors, for statements of one's own: words @@ 'pl:jednostka & pl:pilot'."""
    server.execute(
        "CREATE TEMPORARY TABLE new_words (doc bigint PRIMARY KEY, words tsvector) ON COMMIT DROP"
    )
    server.execute("CREATE TEMPORARY TABLE new_terms (doc bigint, terms text[]) ON COMMIT DROP")
    with server.cursor() as cursor, cursor.copy("COPY new_terms FROM STDIN") as copy:
        for row in words:
            copy.write_row(row)
    server.execute("INSERT INTO new_words SELECT doc, array_to_tsvector(terms) FROM new_terms")
    for statement in _SEARCH.split(";")[:-1]:
        server.execute(statement)


def _files(server: Server[Any], files: Iterable[Content]) -> None:
    """Sends the files whose bytes are not there yet, and the list of all."""
    known = {str(row[0]) for row in server.execute("SELECT sha256 FROM kb.content")}
    rows = []
    with server.cursor() as cursor:
        for file in files:
            rows.append((file.path, file.media, file.size, file.sha256))
            if file.sha256 not in known:
                known.add(file.sha256)
                cursor.execute(
                    "INSERT INTO kb.content VALUES (%s, %s, %s)",
                    (file.sha256, file.packed, file.body),
                )
        with cursor.copy("COPY page FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


def _tidy(server: Server[Any], build: int) -> None:
    """Drops the builds that are neither current nor the one before, and contents that none has."""
    with server.transaction():
        if not _lock(server):
            return
        kept = {schema(one) for one in current(server) if one}
        found = [
            str(row[0])
            for row in server.execute(
                "SELECT nspname FROM pg_namespace WHERE nspname ~ '^kb_[0-9]+$'"
            )
        ]
        for name in sorted(found):
            if name not in kept:
                server.execute(f"DROP SCHEMA {name} CASCADE")
        pages = " UNION ".join(f"SELECT sha256 FROM {name}.page" for name in sorted(kept))
        server.execute(
            f"DELETE FROM kb.content c WHERE NOT EXISTS (SELECT 1 FROM ({pages}) p WHERE p.sha256 = c.sha256)"
        )


def content(connection: PostgresConnection, path: str) -> Content | None:
    """A file of the build by its path, if there is one."""
    rows = connection.all(
        "SELECT p.path, p.media, p.size, p.sha256, c.packed, c.body FROM page p JOIN kb.content c ON c.sha256 = p.sha256"
        " WHERE p.path = ?",
        (path,),
    )
    return Content(*rows[0]) if rows else None
