"""The build cache: what a build computed from what, so that the next one computes what differs.

One SQLite file in the folder of the build, with rows (stage, key, hash of all that went in, blob).
Deleting it loses nothing. Stages:

    stat   path of a record's file -> its checksum; size, inode and times
    file   path of a record's file -> its checksum; the rulings in it, parsed, and their words
    game   id of a game -> hash of its files; the files
    words  how often rulings have each word; by ruling, card or topic what its words mean; the keys
           of the table of forms of then
    forms  language -> key of its rows in the table of forms; what they were made of, for new words
    link   ruling -> hash of its text and of what its words mean; the text with card links
    store  ruling -> hash of its rows in the store
    index  ruling -> hash of its document in the search index
    page   address -> hash of all that is on the page; its files, and the names of what it read
    site   what else belongs to the site: its other files, the browser's index; hashes of all that
           pages can read
    build  hashes of all inputs and of the program
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import orjson

from kb.core.problems import NotBuilt

FILE = "cache.sqlite"
_LAYOUT = 3
# Fewer and larger pages than SQLite's own are read and copied in less time.
_PAGE_SIZE = 16_384
# Stages with little in each row: all of them are one row of the file, which is read at once.
_PACKED = ("stat", "link", "store", "index")
# The only stage of which the rows are replaced in a build that is published.
_STATS = "stat"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS row
(stage TEXT, key TEXT, hash TEXT, blob BLOB, crc INTEGER, PRIMARY KEY (stage, key))
"""
_INSERT = "INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?, ?)"


class Row(NamedTuple):
    """What was computed of a key: the hash of all that went in, and what came out."""

    hash: str
    blob: bytes = b""


Stage = Mapping[str, Row]
EMPTY: Stage = {}


def read_cache(folder: Path, only: Sequence[str] = ()) -> dict[str, dict[str, Row]]:
    """The stages of the cache in the folder of a build; none where it has no cache.

    `only`: the stages that are wanted, by default all. Raises NotBuilt when the cache, as far as it
    is read, is damaged or of another version.
    """
    path = folder / FILE
    stages: dict[str, dict[str, Row]] = {}
    if not path.is_file():
        return stages
    count = 0
    try:
        with closing(_connect(path, "ro")) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] != _LAYOUT:
                raise NotBuilt(f"{FILE} of the last build is of another version")
            where = f" WHERE stage IN ({','.join('?' * len(only))})" if only else ""
            for stage, key, hash_, blob, crc in db.execute(f"SELECT * FROM row{where}", only):
                if _crc(stage, key, hash_, blob) != crc:
                    raise NotBuilt(f"{FILE} of the last build is damaged")
                if stage in _PACKED:
                    stages[stage] = _unpacked(blob)
                else:
                    stages.setdefault(stage, {})[key] = Row(hash_, blob)
                count += 1
    except (sqlite3.Error, TypeError, ValueError, AttributeError):
        raise NotBuilt(f"{FILE} of the last build is damaged") from None
    # Rows that are gone leave no wrong checksum.
    total = stages.get("build", {}).get("rows")
    if total is None or (int(total.hash) != count and not only):
        raise NotBuilt(f"{FILE} of the last build is damaged")
    return stages


def write_cache(
    folder: Path, stages: Mapping[str, Stage], known: Mapping[str, Stage] | None = None
) -> None:
    """Write rows into the cache of a build that is not published yet, beside those that are there.

    A stage is written at once and as a whole. `known`: the stages that `copy_cache` has copied.
    """
    with closing(_connect(folder / FILE, "rwc")) as db:
        # A build that is killed is never published, so nothing has to be undone.
        db.execute(f"PRAGMA page_size = {_PAGE_SIZE}")
        db.execute("PRAGMA journal_mode = OFF")
        db.execute("PRAGMA synchronous = OFF")
        with db:
            db.execute(_SCHEMA)
            for stage, content in stages.items():
                old, rows = known.get(stage, EMPTY) if known else EMPTY, content
                if stage in _PACKED:
                    old, rows = (_packed(several) if several else EMPTY for several in (old, rows))
                gone = ((stage, key) for key in old.keys() - rows.keys())
                db.executemany("DELETE FROM row WHERE stage = ? AND key = ?", gone)
                new = {key: row for key, row in rows.items() if old.get(key) != row}
                db.executemany(_INSERT, _checked(stage, new))
            _write_count(db)
            db.execute(f"PRAGMA user_version = {_LAYOUT}")


def copy_cache(source: Path, stages: Mapping[str, Stage], folder: Path) -> dict[str, Stage]:
    """Copy a cache that has some stages into a new folder; return those that the copy has.

    What another process may have written since they were read is left out.
    """
    with closing(_connect(folder / FILE, "rwc")) as db:
        try:
            with closing(_connect(source / FILE, "ro")) as old:
                old.backup(db)
        except sqlite3.Error:
            # The copy is empty: nothing of a backup that fails is written.
            return {}
        with db:
            db.execute("DELETE FROM row WHERE stage = ?", (_STATS,))
    return {stage: rows for stage, rows in stages.items() if stage != _STATS}


def replace_stats(folder: Path, rows: Stage) -> None:
    """Replace the stage `stat` in the cache of the current build, where it can be written."""
    with suppress(sqlite3.Error), closing(_connect(folder / FILE, "rw")) as db, db:
        db.execute("DELETE FROM row WHERE stage = ?", (_STATS,))
        db.executemany(_INSERT, _checked(_STATS, _packed(rows)))
        _write_count(db)


def _write_count(db: sqlite3.Connection) -> None:
    """Write how many rows there are, this one among them."""
    db.execute("DELETE FROM row WHERE stage = 'build' AND key = 'rows'")
    count = db.execute("SELECT count(*) + 1 FROM row").fetchone()[0]
    db.executemany(_INSERT, _checked("build", {"rows": Row(str(count))}))


def _packed(rows: Stage) -> Stage:
    """The rows of a stage as one; what came out of them is text."""
    data = {key: (row.hash, row.blob.decode()) for key, row in rows.items()}
    return {"": Row("", orjson.dumps(data))}


def _unpacked(blob: bytes) -> dict[str, Row]:
    data = orjson.loads(blob).items()
    return {key: Row(hash_, text.encode()) for key, (hash_, text) in data}


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)


def _checked(stage: str, rows: Stage) -> Iterable[tuple[str, str, str, bytes, int]]:
    for key, (hash_, blob) in rows.items():
        yield stage, key, hash_, blob, _crc(stage, key, hash_, blob)


def _crc(stage: str, key: str, hash_: str, blob: bytes) -> int:
    return zlib.crc32(blob, zlib.crc32(f"{stage} {key} {hash_}".encode()))
