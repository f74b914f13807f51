"""The formats that `kb import` reads, each with its importer, of this package or of a plug-in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.plugins import additions, load_addition
from kb.ingest import jsonl, scryfall, swccg, text, vtes

if TYPE_CHECKING:
    from kb.ingest.drafts import Imported
    from kb.records.model import Game


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


_OWN = {
    "jsonl": Importer("the output of kb export --format jsonl", jsonl.read),
    "scryfall": Importer(
        "Scryfall's bulk file of rulings, and its oracle cards for the names", scryfall.read
    ),
    "swccg": Importer("card files of swccg-card-json", swccg.read),
    "text": Importer(
        "plain documents: headings, numbered provisions, questions and answers", text.read, False
    ),
    "vtes": Importer(
        "the folder of vtes-rulings: rulings.yaml, groups.yaml, references.yaml, cards.tsv",
        vtes.read,
    ),
}


def format_names() -> list[str]:
    """Return the names of the installed formats, those of this package first."""
    return list(dict.fromkeys((*_OWN, *sorted(additions("importers")))))


def importer(name: str) -> Importer:
    """Return the importer of a format. Raises KbError if it is unknown or cannot be loaded."""
    if name in _OWN:
        return _OWN[name]
    loaded: Importer = load_addition("importers", name, Importer)
    return loaded
