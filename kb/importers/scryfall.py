"""Scryfall's bulk files: `rulings`, and beside it `oracle-cards` for the names of the cards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from kb.core.problems import KbError, Problem
from kb.importers.common import files_of, label, told_apart
from kb.importers.drafts import DraftCard, Imported
from kb.importers.jsontext import JsonFile, Piece
from kb.importers.magic import UNKNOWN, Maker, dated, topic
from kb.records.model import Game

_AUTHORITIES = {"wotc": "official", "scryfall": "community"}
_TITLES = {
    "wotc": ("Wizards of the Coast: rulings", "official"),
    "scryfall": ("Scryfall: notes on cards", "community"),
}
_KEYS = ("oracle_id", "comment")
# Faces, tokens and art cards share the names of cards; no ruling is about them as such.
_NO_CARDS = {"token", "double_faced_token", "emblem", "art_series"}


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read Scryfall's rulings, and its oracle cards where they are given.

    Which file is which is seen from its objects. Without the oracle cards the drafts are about no
    card and their note says which oracle id they belong to. A ruling has no number of its own: its
    id is the oracle id with the date, and -2, -3 for further ones of that day in the file's order.
    Raises KbError for a file of another kind, and without any rulings.
    """
    imported = Imported(name="Magic: The Gathering")
    files = [JsonFile(path) for path in files_of(paths, "*.json")]
    kinds = [_kind(file) for file in files]
    if "ruling" not in kinds:
        raise KbError(
            f"{files[0].name}: no rulings in it; give Scryfall's bulk file `rulings` (and"
            " `oracle-cards` for the names)"
        )
    cards: dict[str, tuple[str, str, str]] = {}
    for file, kind in zip(files, kinds, strict=True):
        if kind == "card":
            _read_cards(file, imported, cards, game)
    maker = Maker(imported)
    for file, kind in zip(files, kinds, strict=True):
        if kind == "ruling":
            _read_rulings(file, maker, cards)
    maker.finish(_TITLES)
    return imported


def _kind(file: JsonFile) -> str:
    if file.opens() != "[":
        raise KbError(
            f"{file.name}: not a list of objects; give one of Scryfall's bulk files (rulings,"
            " oracle-cards)"
        )
    for piece in islice(file.pieces("*"), 50):
        if isinstance(piece.value, dict) and piece.value.get("object") in ("ruling", "card"):
            return str(piece.value["object"])
    raise KbError(
        f"{file.name}: no `object` of its first entries is `ruling` or `card`; give one of"
        " Scryfall's bulk files"
    )


def _read_cards(
    file: JsonFile, imported: Imported, known: dict[str, tuple[str, str, str]], game: Game | None
) -> None:
    """Adds the cards of a file, and to `known` each oracle id's name, label and topic."""
    cards: list[DraftCard] = []
    versions: list[list[str]] = []
    keys: list[str] = []
    for piece in file.pieces("*"):
        value: Any = piece.value
        good = (
            isinstance(value, dict)
            and isinstance(value.get("name"), str)
            and isinstance(value.get("oracle_id"), str)
        )
        if not good or not value["name"].strip() or set("[]|") & set(value["name"]):
            _left(
                imported,
                file,
                piece,
                "a card needs an `oracle_id` and a `name` without [ ] |; left out",
            )
            continue
        if value.get("layout") in _NO_CARDS or value["oracle_id"] in known:
            continue
        name, printed = value["name"].strip(), value.get("set_name")
        kind = value["type_line"] if isinstance(value.get("type_line"), str) else ""
        printed = printed if isinstance(printed, str) else ""
        known[value["oracle_id"]] = (name, name, kind)
        faces = tuple(face.strip() for face in name.split("//")) if "//" in name else ()
        cards.append(DraftCard(name, sets=printed, type=kind, other_names=faces))
        versions.append([printed, value["oracle_id"][:8]])
        keys.append(value["oracle_id"])
    for key, card in zip(keys, told_apart(cards, versions), strict=True):
        imported.cards.append(card)
        known[key] = (card.name, label(card, game), card.type)


def _read_rulings(file: JsonFile, maker: Maker, cards: dict[str, tuple[str, str, str]]) -> None:
    unnamed = 0
    for piece in file.pieces("*"):
        value: Any = piece.value
        if not isinstance(value, dict) or not all(
            isinstance(value.get(key), str) and value[key].strip() for key in _KEYS
        ):
            _left(
                maker.imported,
                file,
                piece,
                "a ruling needs an `oracle_id` and a `comment`; left out",
            )
            continue
        source = value.get("source")
        if not isinstance(source, str) or source not in _AUTHORITIES:
            _left(
                maker.imported,
                file,
                piece,
                f"source {source!r} is neither wotc nor scryfall; left out",
            )
            continue
        date, good = dated(value.get("published_at"))
        if not good:
            _left(
                maker.imported,
                file,
                piece,
                f"published_at {value.get('published_at')!r} is no date; the draft has none",
            )
        name, about, kind = cards.get(value["oracle_id"], ("", "", ""))
        unnamed += not about
        place = topic(kind, maker.imported) if about else UNKNOWN
        if not about:
            maker.imported.topics.setdefault(UNKNOWN, "Other cards")
        about_cards = (about,) if about else ()
        line = file.line(piece.start)
        maker.add(
            value["oracle_id"],
            name,
            about_cards,
            place,
            date,
            value["comment"],
            line,
            source,
            _AUTHORITIES[source],
        )
    if unnamed:
        message = (
            f"{unnamed} rulings of cards without a name: they are drafts about no card;"
            " give the newest oracle-cards file too"
        )
        maker.imported.skipped.append(Problem(file.name, 1, message))


def _left(imported: Imported, file: JsonFile, piece: Piece, message: str) -> None:
    imported.skipped.append(Problem(file.name, file.line(piece.start), message))
