"""`kb export`: all good rulings for other programs, read from the records."""

from __future__ import annotations

import codecs
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.options import count_noun, notify, paths_for

if TYPE_CHECKING:
    from kb.records.library import Library


@click.command()
@options.output_format(words=["jsonl", "csv", "sqlite"], default="jsonl")
@options.output(metavar="FILE", help="A file instead of standard output.")
@click.option(
    "--header",
    is_flag=True,
    help="Begin JSON Lines with a line that names build, date and licence.",
)
@options.overwrite()
@options.rulings()
def export(
    output_format: str, output: Path | None, header: bool, force: bool, rulings: Path | None
) -> None:
    """Write all rulings for other programs.

    \b
    Example:
    kb export --format csv --output rulings.csv
    """
    if output_format == "sqlite" and output is None and sys.stdout.isatty():
        raise click.BadParameter(
            "a terminal cannot show a database; name a file with --output",
            param_hint="--format sqlite",
        )
    if header and output_format != "jsonl":
        raise click.BadParameter("is for JSON Lines", param_hint="--header")
    from kb.commands.output_files import output_file
    from kb.records.library import load

    paths = paths_for(rulings)
    library = load(paths.rulings)
    about = _about(library)
    with (
        output_file(output, output_format, paths.rulings, force=force)
        if output
        else nullcontext(sys.stdout.buffer)
    ) as file:
        if output_format == "sqlite":
            _write_database(library, about, file)
        else:
            lines = _lines(library, about, output_format, header)
            if output and output_format == "csv":
                # Spreadsheets take a file without the mark for text in an old encoding.
                file.write(codecs.BOM_UTF8)
            file.writelines(f"{line}\n".encode() for line in lines)
    rulings_written = count_noun(len(library.rulings), "ruling")
    if output:
        notify(f"{rulings_written}: {output}")
    elif sys.stdout.isatty():
        notify(f"{rulings_written}; --output FILE writes them to a file")
    if library.problems:
        for problem in library.problems:
            notify(str(problem))
        problems = count_noun(len(library.problems), "problem")
        notify(f"{problems}: the affected records are left out")
        sys.exit(1)


def _about(library: Library) -> dict[str, str]:
    """Return what an export says of itself: build, date and the licences of the sources."""
    from kb.pipeline.inputs import build_date

    sources = [source for game in library.games.values() for source in game.sources]
    licences = {source.licence for source in sources if source.licence}
    return {
        "build": library.build_id,
        "date": build_date(),
        "licence": "; ".join(sorted(licences)) or "not stated by the sources",
        "generator": "kb",
    }


def _lines(
    library: Library, about: Mapping[str, str], output_format: str, header: bool
) -> Iterable[str]:
    from kb.serialize.ruling import csv_lines, jsonl_lines

    if output_format == "csv":
        return csv_lines(library, about["build"])
    return jsonl_lines(library, about if header else None)


def _write_database(library: Library, about: Mapping[str, str], output: IO[bytes]) -> None:
    from kb.store.load import build_store
    from kb.store.model import STORE_FILE

    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / STORE_FILE
        build_store(library, database, about)
        with database.open("rb") as file:
            shutil.copyfileobj(file, output)
