"""Loading a build into PostgreSQL, whole, in one transaction, and going back to the one before.

The tables are those of the store's file, with the same rows; see kb.postgres.connection.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.core.problems import KbError, NotBuilt
from kb.postgres.address import first_line
from kb.postgres.connection import StoredFile, connect, current_build, schema_name
from kb.store.queries import LAYOUT

if TYPE_CHECKING:
    from psycopg import Connection

# The key of the advisory lock that a publish holds: "kb" in ASCII.
_LOCK_KEY = 0x6B62
_CONTROL_TABLES = """
CREATE SCHEMA IF NOT EXISTS kb;
CREATE TABLE IF NOT EXISTS kb.current
    (one bool PRIMARY KEY DEFAULT true CHECK (one), build int NOT NULL, before int);
CREATE TABLE IF NOT EXISTS kb.content
    (sha256 text PRIMARY KEY, packed bool NOT NULL, body bytea NOT NULL);
CREATE TABLE IF NOT EXISTS kb.last
    (one bool PRIMARY KEY DEFAULT true CHECK (one), build int NOT NULL);
"""
_BUILD_TABLES = """
CREATE TABLE about (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE page
    (path text COLLATE "C" PRIMARY KEY, media text NOT NULL, size bigint NOT NULL,
     sha256 text NOT NULL);
"""
_ADD_TEXT_SEARCH = """
ALTER TABLE index_document ADD COLUMN words tsvector;
UPDATE index_document d SET words = w.words FROM new_vectors w WHERE w.doc = d.number;
CREATE INDEX ON index_document USING gin (words);
"""
_COLUMN_TYPES = {"INTEGER": "bigint", "BLOB": "bytea"}


@dataclass(frozen=True)
class BuildToLoad:
    """A build to load.

    `store` is the SQLite file, `about` what the build says of itself, `terms` the index terms of
    each document, `files` what readers need beside.
    """

    store: Path
    about: dict[str, str]
    terms: Iterable[tuple[int, list[str]]]
    files: Iterable[StoredFile]


def load_build(url: str, build: BuildToLoad) -> int:
    """Load a build and make it the current one; return its number.

    Raises KbError, and changes nothing, where another publish is running or the server refuses.
    """
    with _changing(url) as connection:
        with connection.transaction():
            _take_lock(connection)
            _execute_all(connection, _CONTROL_TABLES)
            number = _next_number(connection)
            connection.execute(f"CREATE SCHEMA {schema_name(number)}")
            connection.execute(f"SET LOCAL search_path TO {schema_name(number)}")
            _copy_store(connection, build.store)
            _add_files(connection, build.files)
            with connection.cursor() as cursor:
                cursor.executemany(
                    "INSERT INTO about VALUES (%s, %s)",
                    [*build.about.items(), ("layout", str(LAYOUT))],
                )
            _add_text_search(connection, build.terms)
            connection.execute(
                "INSERT INTO kb.current (build) VALUES (%s) ON CONFLICT (one)"
                " DO UPDATE SET before = kb.current.build, build = excluded.build",
                (number,),
            )
        _drop_old_builds(connection)
    return number


def roll_back(url: str) -> int:
    """Make the previous build the current one; return its number. Raises KbError without one."""
    with _changing(url) as connection, connection.transaction():
        _take_lock(connection)
        try:
            current, previous = current_build(connection)
        except NotBuilt as error:
            raise KbError(str(error)) from None
        if previous is None:
            raise KbError("the database has no build before the current one")
        connection.execute("UPDATE kb.current SET build = %s, before = %s", (previous, current))
    return previous


@contextmanager
def _changing(url: str) -> Iterator[Connection[Any]]:
    """Yield a connection, with the errors of the database as KbError."""
    import psycopg

    with closing(connect(url)) as connection:
        try:
            yield connection
        except psycopg.Error as error:
            raise KbError(
                f"the database refused: {first_line(error)}; the published build is unchanged"
            ) from None


def _execute_all(connection: Connection[Any], statements: str) -> None:
    for statement in statements.split(";")[:-1]:
        connection.execute(statement)


def _try_lock(connection: Connection[Any]) -> bool:
    row = connection.execute("SELECT pg_try_advisory_xact_lock(%s)", (_LOCK_KEY,)).fetchone()
    return bool(row and row[0])


def _take_lock(connection: Connection[Any]) -> None:
    if not _try_lock(connection):
        raise KbError("another publish is running in this database; wait until it has ended")


def _next_number(connection: Connection[Any]) -> int:
    row = connection.execute(
        "INSERT INTO kb.last (build) VALUES (1) ON CONFLICT (one)"
        " DO UPDATE SET build = kb.last.build + 1 RETURNING build"
    ).fetchone()
    assert row
    return int(row[0])


def _copy_store(connection: Connection[Any], store: Path) -> None:
    """Copy every table of the store's file, with its keys and indexes."""
    _execute_all(connection, _BUILD_TABLES)
    tables = (
        "SELECT name FROM sqlite_master"
        " WHERE type = 'table' AND name NOT GLOB 'index_search*' ORDER BY name"
    )
    with closing(sqlite3.connect(f"{store.absolute().as_uri()}?mode=ro", uri=True)) as db:
        for (table,) in db.execute(tables).fetchall():
            columns = db.execute(f"PRAGMA table_info({table})").fetchall()
            types = [_column_type(column[2]) for column in columns]
            declarations = [
                f"{column[1]} {kind}" for column, kind in zip(columns, types, strict=True)
            ]
            connection.execute(f"CREATE TABLE {table} ({', '.join(declarations)})")
            with (
                connection.cursor() as cursor,
                cursor.copy(f"COPY {table} FROM STDIN (FORMAT binary)") as copy,
            ):
                copy.set_types([kind.split()[0] for kind in types])
                for row in db.execute(f"SELECT * FROM {table}"):
                    copy.write_row(row)
            _add_indexes(connection, db, table, columns)
            connection.execute(f"ANALYZE {table}")


def _column_type(declared: str) -> str:
    return _COLUMN_TYPES.get(declared.upper(), 'text COLLATE "C"')


def _add_indexes(
    connection: Connection[Any], db: sqlite3.Connection, table: str, columns: Sequence[Any]
) -> None:
    # A row of table_info ends with the column's position in the primary key, 0 outside it.
    key_columns = sorted((column for column in columns if column[5]), key=lambda column: column[5])
    if key_columns:
        names = ", ".join(column[1] for column in key_columns)
        connection.execute(f"ALTER TABLE {table} ADD PRIMARY KEY ({names})")
    for _, index, _, origin, _ in db.execute(f"PRAGMA index_list({table})").fetchall():
        if origin != "pk":
            names = ", ".join(row[2] for row in db.execute(f"PRAGMA index_info({index})"))
            connection.execute(f"CREATE INDEX ON {table} ({names})")


def _add_text_search(connection: Connection[Any], terms: Iterable[tuple[int, list[str]]]) -> None:
    """Add the documents' terms as vectors, for SQL like `words @@ 'pl:jednostka & pl:pilot'`."""
    connection.execute(
        "CREATE TEMPORARY TABLE new_vectors (doc bigint PRIMARY KEY, words tsvector) ON COMMIT DROP"
    )
    connection.execute("CREATE TEMPORARY TABLE new_terms (doc bigint, terms text[]) ON COMMIT DROP")
    with connection.cursor() as cursor, cursor.copy("COPY new_terms FROM STDIN") as copy:
        for row in terms:
            copy.write_row(row)
    connection.execute(
        "INSERT INTO new_vectors SELECT doc, array_to_tsvector(terms) FROM new_terms"
    )
    _execute_all(connection, _ADD_TEXT_SEARCH)


def _add_files(connection: Connection[Any], files: Iterable[StoredFile]) -> None:
    """Send the bytes that the database does not have yet, and the list of all files."""
    known = {str(row[0]) for row in connection.execute("SELECT sha256 FROM kb.content")}
    rows = []
    with connection.cursor() as cursor:
        for file in files:
            rows.append((file.path, file.media, file.size, file.sha256))
            if file.sha256 not in known:
                known.add(file.sha256)
                cursor.execute(
                    "INSERT INTO kb.content VALUES (%s, %s, %s)",
                    (file.sha256, file.gzipped, file.body),
                )
        with cursor.copy("COPY page FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)


def _drop_old_builds(connection: Connection[Any]) -> None:
    """Drop the builds that are neither current nor the one before, and bytes that none has."""
    schemas = "SELECT nspname FROM pg_namespace WHERE nspname ~ '^kb_[0-9]+$'"
    with connection.transaction():
        if not _try_lock(connection):
            return
        used = sorted(schema_name(build) for build in current_build(connection) if build)
        for (name,) in connection.execute(schemas).fetchall():
            if name not in used:
                connection.execute(f"DROP SCHEMA {name} CASCADE")
        pages = " UNION ".join(f"SELECT sha256 FROM {name}.page" for name in used)
        connection.execute(
            "DELETE FROM kb.content c WHERE NOT EXISTS"
            f" (SELECT 1 FROM ({pages}) p WHERE p.sha256 = c.sha256)"
        )
