"""One import: files to drafts, drafts to records, and a report of what was left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.core.files import write_file
from kb.core.problems import KbError, Problem, WrongUsage, posix_path
from kb.ingest.base import importer
from kb.ingest.drafts import Draft
from kb.ingest.write import ImportOutcome, write
from kb.pipeline.paths import find_paths
from kb.records.fields import Authority
from kb.records.library import load
from kb.records.model import Game
from kb.records.roots import is_root
from kb.records.values import game_id_error

_REPORT = "report.txt"


@dataclass(frozen=True)
class ImportResult:
    """The outcome of an import.

    `skipped`: the lines that are in no draft. `problems`: the number that `kb check` finds in the
    folder of drafts.
    """

    drafts: tuple[Draft, ...]
    written: ImportOutcome
    skipped: tuple[Problem, ...]
    report: Path
    problems: int


def import_rulings(
    source_format: str,
    files: Sequence[Path],
    game: str,
    into: Path,
    authority: Authority | None = None,
) -> ImportResult:
    """Import files as drafts of a game into a folder of records, which may be new.

    `authority`: of rulings in files that do not state it. Raises KbError for files of another
    format.
    """
    if game_id_error(game):
        raise WrongUsage(game_id_error(game))
    chosen = importer(source_format)
    if authority and chosen.states_authority:
        raise WrongUsage(f"--authority: {source_format} files state the authority")
    for path in files:
        if not path.exists():
            raise WrongUsage(f"{posix_path(path)}: no such file or folder")
    if into.exists() and not into.is_dir():
        raise WrongUsage(f"{posix_path(into)}: not a folder; --into names one for the drafts")
    known, base = _known_game(game, into)
    imported = chosen.read(files, known)
    if not imported.drafts and not imported.skipped:
        raise KbError(
            f"{posix_path(files[0])}: holds no rulings in the format {source_format}"
            f" ({chosen.description})"
        )
    if authority:
        imported.attribute_to(authority)
    if known:
        imported.add_facts_of(known)
    written = write(imported, into, game, source_format, base)
    report = into / game / ".import" / _REPORT
    try:
        write_file(report, "".join(f"{problem}\n" for problem in imported.skipped))
    except OSError as error:
        raise KbError(f"{posix_path(report)}: {error.strerror or error}") from error
    problems = len(load(into).problems)
    return ImportResult(tuple(imported.drafts), written, tuple(imported.skipped), report, problems)


def _known_game(name: str, into: Path) -> tuple[Game | None, Path | None]:
    """Find the game with its cards and topics, and its folder if it is a base's.

    A base wins over the drafts, whose files may be older; the games shipped with kb do not.
    """
    drafted = load(into).games.get(name) if is_root(into) else None
    try:
        base = find_paths()
    except KbError:
        return drafted, None
    if (drafted and base.is_packaged) or not (base.rulings / name).is_dir():
        return drafted, None
    game = load(base.rulings).games.get(name)
    return (game, base.rulings / name) if game else (drafted, None)
