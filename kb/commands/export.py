"""`kb export`: all good rulings, straight from the records, for other programs."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import BinaryIO

from kb.build.paths import Paths
from kb.commands.output_files import output_file
from kb.core.problems import KbError, Problem
from kb.records.library import Library, load
from kb.serialize.export import csv_lines, jsonl_lines

FORMATS = ("jsonl", "csv", "sqlite")


def export(
    paths: Paths, output_format: str, output: Path | None, *, force: bool = False
) -> tuple[Problem, ...]:
    """Write the rulings to `output` or standard output; return the problems of those left out.

    `force`: overwrite a file that is no earlier export. Raises KbError when the file may or can
    not be written.
    """
    library = load(paths.rulings)
    lines = csv_lines(library) if output_format == "csv" else jsonl_lines(library)
    try:
        if output is not None:
            with output_file(output, output_format, paths.rulings, force=force) as file:
                if output_format == "sqlite":
                    _write_database(library, file)
                else:
                    file.writelines(f"{line}\n".encode() for line in lines)
        elif output_format == "sqlite":
            _write_database(library, sys.stdout.buffer)
        else:
            for line in lines:
                sys.stdout.write(line + "\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise KbError(f"{error.filename or output}: {error.strerror or error}") from error
    return tuple(library.problems)


def _write_database(library: Library, output: BinaryIO) -> None:
    from kb.store.load import build_store

    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "kb.sqlite"
        build_store(library, database)
        with database.open("rb") as file:
            shutil.copyfileobj(file, output)
