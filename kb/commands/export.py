"""`kb export`: all good rulings, straight from the records, for other programs."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from kb.build.paths import Paths
from kb.core.problems import KbError, Problem
from kb.records.library import Library, load
from kb.serialize.export import csv_lines, jsonl_lines

FORMATS = ("jsonl", "csv", "sqlite")


def export(paths: Paths, output_format: str, output: Path | None) -> tuple[Problem, ...]:
    """Write the rulings to `output` or standard output; return the problems of those left out.

    Raises KbError when the file cannot be written.
    """
    library = load(paths.rulings)
    try:
        if output_format == "sqlite":
            _write_database(library, output)
            return tuple(library.problems)
        lines = csv_lines(library) if output_format == "csv" else jsonl_lines(library)
        if output is None:
            _write_lines(lines, sys.stdout)
        else:
            with output.open("w", encoding="utf-8", newline="\n") as file:
                _write_lines(lines, file)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise KbError(f"{error.filename or output}: {error.strerror or error}") from error
    return tuple(library.problems)


def _write_lines(lines: Iterable[str], file: TextIO) -> None:
    for line in lines:
        file.write(line + "\n")


def _write_database(library: Library, output: Path | None) -> None:
    from kb.store.load import build_store

    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "kb.sqlite"
        build_store(library, database)
        if output is None:
            sys.stdout.buffer.write(database.read_bytes())
        else:
            shutil.copyfile(database, output)
