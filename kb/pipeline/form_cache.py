"""Tables of forms in the user's cache: a build from nothing takes over the rows of the last one.

Inflecting every word again would take most of its time. A file is named for the games that it is
for, for the words that it was made for, and for its content, so that a damaged one is not used.
Deleting them loses nothing.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Collection, Iterable
from contextlib import closing, suppress
from pathlib import Path

from kb.core.derived_data import newest_first
from kb.core.files import TEMPORARY, link_or_copy, user_cache
from kb.language.lookup import open_table

# A smaller table is made in less than half a second.
_MIN_SIZE = 2_000_000
# Tables that stay, of all bases: each has some 20 MB for three games.
_TABLES = 4
_DIGITS = 16
_CHUNK = 1 << 20


def cached_forms(games: Collection[str]) -> Path | None:
    """The last table that was kept for some games; None where there is no undamaged one."""
    for path in newest_first(_folder(), f"{_hash(sorted(games))}-*.sqlite"):
        with suppress(OSError):
            if path.stem.endswith(f"-{_checksum(path)}"):
                os.utime(path)
                return path
            path.unlink()
    return None


def keep_forms(table: Path, games: Collection[str]) -> None:
    """Keep the table of a build for builds from nothing, where the cache can be written."""
    with suppress(OSError, sqlite3.Error):
        if table.stat().st_size < _MIN_SIZE:
            return
        with closing(open_table(table)) as db:
            keys = db.execute("SELECT lang, key FROM vocabulary ORDER BY lang").fetchall()
        name = f"{_hash(sorted(games))}-{_hash(keys)}"
        known = newest_first(_folder(), f"{name}-*.sqlite")
        if known:
            # The next build from nothing begins with this one.
            os.utime(known[0])
            return
        folder = _folder()
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f"{TEMPORARY}{os.getpid()}"
        temporary.unlink(missing_ok=True)
        try:
            # Nobody writes into a table that is published.
            link_or_copy(table, temporary)
            temporary.replace(folder / f"{name}-{_checksum(temporary)}.sqlite")
        finally:
            temporary.unlink(missing_ok=True)
        for path in newest_first(_folder(), "*.sqlite")[_TABLES:]:
            path.unlink(missing_ok=True)


def _folder() -> Path:
    return user_cache() / "forms"


def _hash(value: Iterable[object]) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()[:_DIGITS]


def _checksum(path: Path) -> str:
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return f"{checksum:08x}"
