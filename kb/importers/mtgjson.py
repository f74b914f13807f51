"""MTGJSON's files with rulings: AtomicCards.json, AllPrintings.json or a single set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from kb.core.problems import KbError, Problem
from kb.importers.common import files_of, label, told_apart
from kb.importers.drafts import DraftCard, Imported
from kb.importers.jsontext import JsonFile
from kb.importers.magic import Maker, dated, topic
from kb.records.model import Game

_SOURCE = "mtgjson"


class _Said(NamedTuple):
    """A ruling of a card: its date, its words, where it stands."""

    date: str
    text: str
    file: str
    line: int


@dataclass
class _Card:
    name: str
    key: str
    kind: str
    sets: dict[str, None] = field(default_factory=dict)
    faces: dict[str, None] = field(default_factory=dict)
    rulings: dict[tuple[str, str], _Said] = field(default_factory=dict)


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """AtomicCards.json, AllPrintings.json or a set's file -> drafts, their source, the cards.

    A ruling is given again with every face and every printing of its card: it is taken once, and
    how many were the same is told for each file. Ids are those of Scryfall's rulings (oracle id and
    date), the card's name where there is no oracle id. Raises KbError for a file of another kind.
    """
    imported = Imported(name="Magic: The Gathering")
    cards: dict[str, _Card] = {}
    for path in files_of(paths, "*.json"):
        _read_file(JsonFile(path), imported, cards)
    listed = [
        DraftCard(
            card.name, sets="; ".join(card.sets), type=card.kind, other_names=tuple(card.faces)
        )
        for card in cards.values()
    ]
    versions = [[next(iter(card.sets), ""), card.key[:8], card.key] for card in cards.values()]
    imported.cards = told_apart(listed, versions)
    maker = Maker(imported)
    for card, line in zip(cards.values(), imported.cards, strict=True):
        place = topic(card.kind, imported) if card.rulings else ""
        for said in card.rulings.values():
            maker.add(
                card.key,
                card.name,
                (label(line, game),),
                place,
                said.date,
                said.text,
                said.line,
                _SOURCE,
                "official",
            )
    maker.finish({_SOURCE: ("MTGJSON: rulings", "official")})
    return imported


def _objects(file: JsonFile) -> Iterator[tuple[Any, int]]:
    """The card objects of a file of any of the three shapes, each with its offset."""
    for pattern in (("data", "*", "cards", "*"), ("data", "cards", "*"), ("data", "*", "*")):
        pieces = file.pieces(*pattern)
        first = next(pieces, None)
        if first is None:
            continue
        yield first.value, first.start
        yield from ((piece.value, piece.start) for piece in pieces)
        return
    raise KbError(
        f"{file.name}: no cards under `data`; give MTGJSON's AtomicCards.json, AllPrintings.json or"
        " the file of a set"
    )


def _read_file(file: JsonFile, imported: Imported, cards: dict[str, _Card]) -> None:
    again = 0
    for value, start in _objects(file):
        line = file.line(start)
        if (
            not isinstance(value, dict)
            or not isinstance(value.get("name"), str)
            or not value["name"].strip()
        ):
            imported.skipped.append(Problem(file.name, line, "a card needs a `name`; left out"))
            continue
        if set("[]|") & set(value["name"]):
            imported.skipped.append(
                Problem(
                    file.name,
                    line,
                    f"{value['name']}: the characters [ ] | cannot stand in a card's name; left"
                    " out",
                )
            )
            continue
        again += _read_rulings(_card(value, cards), value, file, line, imported)
    if again:
        imported.skipped.append(
            Problem(
                file.name,
                1,
                f"{again} rulings given again with another face or printing; each is taken once",
            )
        )


def _card(value: dict[str, Any], cards: dict[str, _Card]) -> _Card:
    name = value["name"].strip()
    given = value.get("identifiers")
    key = given.get("scryfallOracleId") if isinstance(given, dict) else None
    key = key if isinstance(key, str) and key else name
    types = value.get("types")
    words = (
        " ".join(word for word in types if isinstance(word, str)) if isinstance(types, list) else ""
    )
    kind = value["type"] if isinstance(value.get("type"), str) else words
    card = cards.setdefault(key, _Card(name, key, kind))
    printings = value.get("printings")
    card.sets.update(
        (word, None)
        for word in (printings if isinstance(printings, list) else [])
        if isinstance(word, str)
    )
    face = value.get("faceName")
    if isinstance(face, str) and face.strip() and face != name:
        card.faces[face.strip()] = None
    return card


def _read_rulings(
    card: _Card, value: dict[str, Any], file: JsonFile, line: int, imported: Imported
) -> int:
    """Adds a card object's rulings to its card; how many were there already."""
    given, again = value.get("rulings", []), 0
    if not isinstance(given, list):
        imported.skipped.append(
            Problem(file.name, line, f"{card.name}: rulings are a list; left out")
        )
        return 0
    for number, ruling in enumerate(given, 1):
        text = ruling.get("text") if isinstance(ruling, dict) else None
        if not isinstance(text, str) or not text.strip():
            imported.skipped.append(
                Problem(file.name, line, f"{card.name}: ruling {number} has no text; left out")
            )
            continue
        date, good = dated(ruling.get("date"))
        if not good:
            imported.skipped.append(
                Problem(
                    file.name,
                    line,
                    f"{card.name}: {ruling.get('date')!r} is no date; the draft has none",
                )
            )
        if (date, text) in card.rulings:
            again += 1
        card.rulings.setdefault((date, text), _Said(date, text, file.name, line))
    return again
