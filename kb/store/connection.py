"""Connections for SELECTs: an SQLite file, or a build in PostgreSQL.

Statements are written once, with `?` for values.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from kb.core.problems import NotBuilt

Rows = list[tuple[Any, ...]]


class Connection(Protocol):
    """A store opened for reading. Use one a thread. Raises NotBuilt when it cannot be read."""

    # What the store says of itself: the layout of its tables.
    layout: int

    def all(self, sql: str, values: Sequence[object] = ()) -> Rows:
        """All rows of a SELECT."""

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a SELECT, read as they are asked for."""

    def close(self) -> None:
        """Ends reading."""


class SqliteConnection:
    """A store's file; see Connection."""

    def __init__(self, path: Path) -> None:
        """Raises NotBuilt when there is no store at `path` or it cannot be read."""
        if not path.is_file():
            raise NotBuilt(f"no store at {path}")
        self._path = path
        try:
            self._db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro", uri=True, check_same_thread=False
            )
            self.layout = int(self._db.execute("PRAGMA user_version").fetchone()[0])
        except sqlite3.Error as error:
            raise NotBuilt(f"the store {path} cannot be read ({error})") from None

    def all(self, sql: str, values: Sequence[object] = ()) -> Rows:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise NotBuilt(f"the store {self._path} cannot be read ({error})") from None

    def each(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._db.execute(sql, values)
        except sqlite3.Error as error:
            raise NotBuilt(f"the store {self._path} cannot be read ({error})") from None

    def close(self) -> None:
        self._db.close()
