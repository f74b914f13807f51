"""Writes the file of --output; a file that kb did not write stays, unless --force is given."""

from __future__ import annotations

import codecs
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO

from kb.core.files import is_inside, replacing_file
from kb.core.problems import KbError, posix_path
from kb.serialize.ruling import CSV_COLUMNS, HEADER_KEY

# Bytes of a file from which its kind is recognised.
_HEAD = 10_000
# The start of an export in JSON Lines, with --header and without.
_JSON_LINES = re.compile(rb'\{"(?:%s": \{"build|id": "[^"]+", "game)": ' % HEADER_KEY.encode())


@contextmanager
def output_file(path: Path, kind: str, records: Path, *, force: bool) -> Iterator[IO[bytes]]:
    """Yield the file to write; it is put in its place when the block succeeds.

    `kind`: html, or a format of `kb export`. A device or a pipe is written to directly. Raises
    KbError for a file among the records, for a file that kb did not write, unless `force` is set,
    and for a file that cannot be written.
    """
    is_device = path.exists() and not path.is_file() and not path.is_dir()
    try:
        if not is_device:
            _refuse_foreign(path, kind, records, force)
        with path.open("wb") if is_device else replacing_file(path) as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        raise KbError(f"{error.filename or path}: {error.strerror or error}") from error


def _refuse_foreign(path: Path, kind: str, records: Path, force: bool) -> None:
    if is_inside(path, records):
        raise KbError(
            f"{posix_path(path)}: is among the records; name a file outside {posix_path(records)}"
        )
    if path.is_file() and not force and path.stat().st_size and not _is_earlier(path, kind):
        raise KbError(
            f"{posix_path(path)}: is not an earlier {kind} of this command;"
            " name another file, or overwrite it with --force"
        )


def _is_earlier(path: Path, kind: str) -> bool:
    """Whether a file is an earlier output of this kind."""
    if kind == "sqlite":
        return _tables(path) >= {"ruling", "citation", "game"}
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if kind == "html":
        return b'<meta name="generator" content="kb ' in head
    if kind == "csv":
        return head.removeprefix(codecs.BOM_UTF8).startswith(",".join(CSV_COLUMNS).encode())
    return bool(_JSON_LINES.match(head))


def _tables(path: Path) -> set[str]:
    """Return the names of the tables of an SQLite file; empty for another file."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {name for (name,) in rows}
    except sqlite3.Error:
        return set()
