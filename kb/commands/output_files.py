"""Writes the file of --output; a file that kb did not write stays, unless --force is given."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

from kb.core.files import is_inside, remove_temporary_files, replacing_file
from kb.core.problems import KbError, posix_path
from kb.serialize.export import CSV_COLUMNS, HEADER_KEY

# The end of a pack's PDF: a comment, which readers of PDF skip.
PDF_MARK = b"\n% kb pack\n"
# Bytes in which the <meta> of a page stands.
_HEAD = 64_000
# Bytes of a first line; a ruling may be long.
_MAX_LINE = 640_000


@contextmanager
def output_file(path: Path, kind: str, records: Path, *, force: bool) -> Iterator[BinaryIO]:
    """Yield the file to write; it is put in its place when the block succeeds.

    `kind`: html, pdf, or a format of `kb export`. A device or a pipe is written to directly. Raises
    KbError for a file among the records, for a file that kb did not write, unless `force` is set,
    and for a file that cannot be written.
    """
    is_device = path.exists() and not path.is_file() and not path.is_dir()
    try:
        if not is_device:
            _refuse_foreign(path, kind, records, force)
            if path.parent.is_dir():
                remove_temporary_files(path.parent)
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
    if path.is_file() and not force and path.stat().st_size and not _KINDS[kind](path):
        raise KbError(
            f"{posix_path(path)}: holds something else than an earlier {kind} of this command;"
            " name another file, or overwrite it with --force"
        )


def _is_html(path: Path) -> bool:
    with path.open("rb") as file:
        return b'<meta name="generator" content="kb ' in file.read(_HEAD)


def _is_pdf(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - len(PDF_MARK)))
        return file.read() == PDF_MARK


def _is_jsonl(path: Path) -> bool:
    keys = _json_keys(_first_line(path))
    return keys == {HEADER_KEY} or keys >= {"id", "game", "kind", "authority", "text"}


def _is_csv(path: Path) -> bool:
    return _first_line(path).decode("utf-8", "replace").split(",") == [*CSV_COLUMNS]


def _is_sqlite(path: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            rows = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            return {name for (name,) in rows} >= {"ruling", "citation", "game"}
    except sqlite3.Error:
        return False


def _is_description(path: Path) -> bool:
    """Whether a file is a data package, or the metadata for Datasette, of an earlier export."""
    keys = _json_keys(path.read_bytes())
    package = {"title", "version", "licenses", "resources"}
    return keys >= package or keys >= {"title", "license", "databases"}


def _json_keys(text: bytes) -> set[str]:
    """Return the keys of a JSON object; no keys for another text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return set()
    return set(value) if isinstance(value, dict) else set()


def _first_line(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.readline(_MAX_LINE).rstrip(b"\r\n")


_KINDS: dict[str, Callable[[Path], bool]] = {
    "html": _is_html,
    "pdf": _is_pdf,
    "jsonl": _is_jsonl,
    "csv": _is_csv,
    "sqlite": _is_sqlite,
    "datapackage": _is_description,
    "datasette": _is_description,
}
