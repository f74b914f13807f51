"""The formats that `kb import` reads.

A new one is a module with a `read` function and a row here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kb.importers import jsonl, scryfall, swccg, text, vtes
from kb.importers.drafts import Imported
from kb.records.model import Game


class Importer(Protocol):
    """Reads files of one format."""

    def __call__(self, paths: Sequence[Path], game: Game | None = None) -> Imported:
        """Return the drafts of some files, for a game whose cards and topics may be known.

        Raises KbError for a file that is not of the format at all, and never for a bad line: what
        became no part of a draft is named in `skipped`.
        """


@dataclass(frozen=True)
class ImportFormat:
    """A format: what its files are, in a phrase, and what reads them."""

    description: str
    read: Importer


FORMATS = {
    "vtes": ImportFormat(
        "the folder of vtes-rulings: rulings.yaml, groups.yaml, references.yaml, cards.tsv",
        vtes.read,
    ),
    "swccg": ImportFormat("card files of swccg-card-json", swccg.read),
    "scryfall": ImportFormat(
        "Scryfall's bulk file of rulings, and its oracle cards for the names", scryfall.read
    ),
    "jsonl": ImportFormat("the output of kb export --format jsonl", jsonl.read),
    "text": ImportFormat(
        "plain documents: headings, numbered provisions, questions and answers", text.read
    ),
}
