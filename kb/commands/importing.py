"""`kb import`: other people's rulings as drafts in a folder that the user names, with a report of what was not understood."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from kb.build.paths import find_paths
from kb.core.problems import KbError, Problem, posix_path
from kb.importers.drafts import Draft, Imported
from kb.importers.write import Written, write
from kb.records.library import load
from kb.records.model import Game, not_a_game
from kb.records.roots import is_root

FORMATS = {
    "vtes": "the folder of vtes-rulings: rulings.yaml, groups.yaml, references.yaml, cards.tsv",
    "swccg": "card files of swccg-card-json",
    "scryfall": "Scryfall's bulk file of rulings, and its oracle cards for the names",
    "mtgjson": "MTGJSON's AtomicCards, AllPrintings or one set",
    "jsonl": "what `kb export --format jsonl` wrote",
    "text": "plain documents: headings, numbered provisions, questions and answers",
}
REPORT = "report.txt"


@dataclass(frozen=True)
class ImportResult:
    """What one import did. `left` are the lines that became no part of a draft, `problems` what `kb check` says of the folder."""

    drafts: tuple[Draft, ...]
    written: Written
    left: tuple[Problem, ...]
    report: Path
    problems: int


def run(
    form: str, files: Sequence[Path], game: str, into: Path, collect: bool | None = None
) -> ImportResult:
    """Imports files of a format as the drafts of a game into a folder of records, which may be new.

    Raises KbError for an unknown format, files that cannot be read or are of another format, or a folder that is no place for it.
    """
    if form not in FORMATS:
        raise KbError(f"no format {form!r}; there are {', '.join(FORMATS)}")
    if not_a_game(game):
        raise KbError(not_a_game(game))
    for path in files:
        if not path.exists():
            raise KbError(f"{posix_path(path)}: no such file or folder")
    if into.exists() and not into.is_dir():
        raise KbError(f"{posix_path(into)}: not a folder; --into names one for the drafts")
    found: Imported = import_module(f"kb.importers.{form}").read(files, _game(game, into))
    if not found.drafts and not found.left:
        raise KbError(
            f"{posix_path(files[0])}: nothing in it is a ruling as {form} has them ({FORMATS[form]})"
        )
    written = write(found, into, game, form, collect)
    report = into / game / ".import" / REPORT
    report.write_text("".join(f"{one}\n" for one in found.left), encoding="utf-8")
    return ImportResult(
        tuple(found.drafts), written, tuple(found.left), report, len(load(into).problems)
    )


def _game(name: str, into: Path) -> Game | None:
    """The game where the folder has it; else where the base has it, so that its cards and topics are known."""
    if is_root(into):
        game = load(into).games.get(name)
        if game:
            return game
    try:
        return load(find_paths().rulings).games.get(name)
    except KbError:
        return None
