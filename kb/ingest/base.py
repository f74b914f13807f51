"""The formats that `kb import` reads, each with its importer, of this package or of a plug-in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.plugins import additions, load_addition

if TYPE_CHECKING:
    from kb.ingest.drafts import Imported
    from kb.records.model import Game

_OWN = "jsonl"


@dataclass(frozen=True)
class Importer:
    """A format: a phrase for its files, and the function that reads them.

    `read` gets files or folders, and the game if it exists. It lists every line that is in no draft
    in `Imported.skipped`, and raises KbError for files of another format. `states_authority`: the
    files say whose their rulings are, so that `kb import --authority` cannot.
    """

    description: str
    read: Callable[[Sequence[Path], Game | None], Imported]
    states_authority: bool = True


def format_names() -> list[str]:
    """Return the names of the installed formats, the one of this package first."""
    return list(dict.fromkeys((_OWN, *sorted(additions("importers")))))


def importer(name: str) -> Importer:
    """Return the importer of a format. Raises KbError if it is unknown or cannot be loaded."""
    if name == _OWN:
        from kb.ingest import jsonl

        return Importer("the output of kb export --format jsonl", jsonl.read)
    loaded: Importer = load_addition("importers", name, Importer)
    return loaded
