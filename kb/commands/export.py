"""`kb export`: all good rulings, straight from the records, in a form that other programs read."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from kb.build.paths import Paths
from kb.core.problems import KbError, Problem
from kb.records.library import Library, load
from kb.serialize.answers import jsonl, table

FORMATS = ("jsonl", "csv", "sqlite")


def export(places: Paths, form: str, output: Path | None) -> tuple[Problem, ...]:
    """Writes the rulings to `output`, or to standard output; returns the problems of the records that had to be left out.

    Raises KbError when the file cannot be written.
    """
    library = load(places.rulings)
    try:
        if form == "sqlite":
            _database(library, output)
        elif output is None:
            _lines(table(library) if form == "csv" else jsonl(library), sys.stdout.write)
        else:
            with output.open("w", encoding="utf-8", newline="\n") as file:
                _lines(table(library) if form == "csv" else jsonl(library), file.write)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise KbError(f"{error.filename or output}: {error.strerror or error}") from error
    return tuple(library.problems)


def _lines(lines: Iterable[str], write: object) -> None:
    assert callable(write)
    for line in lines:
        write(line + "\n")


def _database(library: Library, output: Path | None) -> None:
    from kb.store.load import build_store

    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "kb.sqlite"
        build_store(library, made)
        if output is None:
            sys.stdout.buffer.write(made.read_bytes())
        else:
            shutil.copyfile(made, output)
