"""`kb import`: rulings from elsewhere as drafts, with a report of every line not imported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.core.files import write_file
from kb.core.problems import KbError, Problem, posix_path
from kb.importers.base import FORMATS
from kb.importers.drafts import Draft
from kb.importers.write import Written, write
from kb.pipeline.paths import find_paths
from kb.records.library import load
from kb.records.model import Game, game_id_error
from kb.records.roots import is_root

REPORT = "report.txt"


@dataclass(frozen=True)
class ImportResult:
    """The outcome of an import.

    `skipped`: the lines that became no part of a draft. `problems`: how many problems `kb check`
    finds in the folder of drafts.
    """

    drafts: tuple[Draft, ...]
    written: Written
    skipped: tuple[Problem, ...]
    report: Path
    problems: int


def import_rulings(
    source_format: str,
    files: Sequence[Path],
    game: str,
    into: Path,
    collect: bool | None = None,
) -> ImportResult:
    """Import files as drafts of a game into a folder of records, which may be new.

    Raises KbError for an unknown format, for files that cannot be read or have another format,
    and for a path that cannot be a folder of records.
    """
    if source_format not in FORMATS:
        raise KbError(f"no format {source_format!r}; there are {', '.join(FORMATS)}")
    if game_id_error(game):
        raise KbError(game_id_error(game))
    for path in files:
        if not path.exists():
            raise KbError(f"{posix_path(path)}: no such file or folder")
    if into.exists() and not into.is_dir():
        raise KbError(f"{posix_path(into)}: not a folder; --into names one for the drafts")
    chosen = FORMATS[source_format]
    imported = chosen.read(files, _known_game(game, into))
    if not imported.drafts and not imported.skipped:
        raise KbError(
            f"{posix_path(files[0])}: holds no rulings in the format {source_format}"
            f" ({chosen.description})"
        )
    written = write(imported, into, game, source_format, collect)
    report = into / game / ".import" / REPORT
    try:
        write_file(report, "".join(f"{problem}\n" for problem in imported.skipped))
    except OSError as error:
        raise KbError(f"{posix_path(report)}: {error.strerror or error}") from error
    problems = len(load(into).problems)
    return ImportResult(tuple(imported.drafts), written, tuple(imported.skipped), report, problems)


def _known_game(name: str, into: Path) -> Game | None:
    """Find the game, for its cards and topics: in the drafts' folder, else in the base."""
    if is_root(into):
        game = load(into).games.get(name)
        if game:
            return game
    try:
        return load(find_paths().rulings).games.get(name)
    except KbError:
        return None
