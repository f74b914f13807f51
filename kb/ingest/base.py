"""The formats that `kb import` reads.

A new one is a module with a `read` function and a row here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.ingest import jsonl, scryfall, swccg, text, vtes
from kb.ingest.drafts import Imported
from kb.records.model import Game

# Reads files of one format; the game is given if it exists. A bad line is listed in `skipped`, a
# file of another format raises KbError.
Importer = Callable[[Sequence[Path], Game | None], Imported]


@dataclass(frozen=True)
class ImportFormat:
    """A format: a phrase for its files, and the function that reads them."""

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
