"""Reading a build from PostgreSQL.

Each build is in a schema of its own, `kb_1`, `kb_2`, with the tables of the store's file; the
schema `kb` says which is current and which was before. The site's files are beside the builds, by
their hash, so that an unchanged file is stored once. Text compares by its bytes, as in SQLite.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kb.core.problems import KbError, NotBuilt, Unavailable
from kb.postgres.address import first_line, parse_address
from kb.postgres.breaker import CircuitBreaker
from kb.postgres.resolve import with_addresses
from kb.store.connection import Rows

if TYPE_CHECKING:
    from psycopg import Connection

# How long each server of an address may take to answer a new connection, in seconds; psycopg
# takes less than two for two.
_CONNECT_TIMEOUT = 2
# A network that has gone is noticed after so many seconds, or milliseconds.
_KEEPALIVES: dict[str, int] = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
# Rows of the first page that `each` reads; every next page is four times as long.
_FIRST_PAGE = 200


@dataclass(frozen=True)
class StoredFile:
    """A file of a build: path, media type, size and SHA-256 of its bytes.

    `body` has the bytes, in gzip where the file is `gzipped`.
    """

    path: str
    media: str
    size: int
    sha256: str
    gzipped: bool
    body: bytes


def connect(url: str, breaker: CircuitBreaker | None = None) -> Connection[Any]:
    """Connect to a server, with a `breaker` for reading, whose statements have a time-out.

    Raises KbError for a malformed address or without psycopg, Unavailable without an answer.
    """
    try:
        import psycopg

        from kb.postgres.bounded import STATEMENT_TIMEOUT, BoundedConnection
    except ImportError:
        command = "pip install 'kb-rulings[postgres]'"
        raise KbError(f"--database needs psycopg, which is not installed: {command}") from None
    address = parse_address(url)
    start = time.monotonic()
    try:
        if breaker is not None:
            breaker.check()
        parameters: dict[str, Any] = {
            **_KEEPALIVES,
            **with_addresses(address.parameters),
            "connect_timeout": _CONNECT_TIMEOUT,
        }
        if breaker is None:
            return psycopg.connect(autocommit=True, **parameters)
        connection = BoundedConnection.connect(autocommit=True, **parameters)
        connection.breaker = breaker
        connection.execute(f"SET statement_timeout TO {round(STATEMENT_TIMEOUT * 1000)}")
    except (psycopg.Error, OSError) as error:
        # A server that refuses does so at once.
        if breaker is not None and time.monotonic() - start > _CONNECT_TIMEOUT / 2:
            breaker.trip()
        reason = address.public_reason(error)
        raise Unavailable(f"the database {address.name} cannot be reached: {reason}") from None
    return connection


class PostgresConnection:
    """A build opened for reading, whatever is published later; see kb.store.connection.Connection.

    A lost connection is opened again once, so that a URL with several hosts reads on from the next:
    `postgresql://u@/kb?host=one,two`. Every method raises Unavailable when the server does not
    answer in time.
    """

    def __init__(
        self, url: str, build: int | None = None, breaker: CircuitBreaker | None = None
    ) -> None:
        """Open a build by its number, or the current one; `breaker` may be shared.

        Raises NotBuilt when nothing is published or the build is gone, KbError without a server.
        """
        self._url = url
        self._breaker = breaker or CircuitBreaker()
        self._connection = connect(url, self._breaker)
        try:
            self.build = build if build is not None else current_build(self._connection)[0]
            self._set_schema()
            self.layout = int(self.about().get("layout", "0"))
        except KbError:
            self._connection.close()
            raise

    def _set_schema(self) -> None:
        self._connection.execute(f"SET search_path TO {schema_name(self.build)}")

    def about(self) -> dict[str, str]:
        """Return what the build says of itself."""
        return {str(name): str(value) for name, value in self.all("SELECT name, value FROM about")}

    def published(self) -> int:
        """Return the number of the build that is current now."""
        return int(self.all("SELECT build FROM kb.current")[0][0])

    def all(self, sql: str, values: Sequence[object] = ()) -> Rows:
        """Return all rows of a query with `?` for its values."""
        import psycopg

        try:
            return self._fetch(sql, values)
        except psycopg.OperationalError:
            if not self._connection.broken and not self._connection.closed:
                raise Unavailable("the database took too long to answer") from None
        self._connection = connect(self._url, self._breaker)
        self._set_schema()
        return self._fetch(sql, values)

    def _fetch(self, sql: str, values: Sequence[object]) -> Rows:
        import psycopg

        statement = sql.replace("%", "%%").replace("?", "%s")
        try:
            with self._connection.cursor(binary=True) as cursor:
                return cursor.execute(statement, _without_nul(values)).fetchall()
        except psycopg.OperationalError:
            raise
        except psycopg.Error as error:
            reason = first_line(error)
            raise NotBuilt(f"the build is gone from the database ({reason})") from None

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of an ordered query, read in pages, since few callers read them all."""
        offset, size = 0, _FIRST_PAGE
        while rows := self.all(f"{sql} LIMIT {size} OFFSET {offset}", values):
            yield from rows
            if len(rows) < size:
                return
            offset, size = offset + size, size * 4

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _without_nul(values: Sequence[object]) -> list[object]:
    """Return values that PostgreSQL accepts: its texts cannot have a NUL."""
    return [value.replace("\0", "\ufffd") if isinstance(value, str) else value for value in values]


def schema_name(build: int) -> str:
    """Return the name of a build's schema."""
    return f"kb_{build}"


def current_build(connection: Connection[Any]) -> tuple[int, int | None]:
    """Return the numbers of the current build and the one before. Raises NotBuilt without any."""
    import psycopg

    try:
        row = connection.execute("SELECT build, before FROM kb.current").fetchone()
    except psycopg.errors.UndefinedTable:
        row = None
    except psycopg.Error as error:
        raise NotBuilt(f"the database cannot be read ({first_line(error)})") from None
    if row is None:
        raise NotBuilt("nothing is published in the database yet; run `kb publish`")
    return int(row[0]), row[1] and int(row[1])


def read_file(connection: PostgresConnection, path: str) -> StoredFile | None:
    """Return a file of the build, None where it has none at this path."""
    rows = connection.all(
        "SELECT p.path, p.media, p.size, p.sha256, c.packed, c.body"
        " FROM page p JOIN kb.content c ON c.sha256 = p.sha256 WHERE p.path = ?",
        (path,),
    )
    return StoredFile(*rows[0]) if rows else None
