"""Rulings in the card files of Star Wars CCG (swccg-card-json)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kb.core.problems import KbError, Problem
from kb.importers.common import LONGEST_RULING, files_of, label, slug, title, told_apart
from kb.importers.drafts import Draft, DraftCard, DraftSource, DraftText, Imported
from kb.importers.html import markdown, plain_text
from kb.importers.jsontext import JsonFile, Piece
from kb.records.model import Game

_BULLETS = re.compile(r"(?:^|(?<=\s))(?:•|<>)+")
_OLD = "PreErrata"


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Card files, or a folder of them -> drafts, a source for each file, and every card.

    The format numbers cards but not rulings. A draft's id is the card's number and the ruling's
    place in its list (`card-5300-2`): nothing better exists, and a ruling put in before others
    moves their numbers. Whoever writes the drafts has to match them by text within their card
    first.

    The files of cards before their errata (`…PreErrata.json`) are left out, message once for each:
    the card that replaced each of them is in the other files with its own rulings, most of them in
    the same words, and nobody may play by the old text.
    """
    run = _Run(game)
    for path in files_of(paths, "*.json"):
        run.read(JsonFile(path))
    run.finish()
    return run.imported


class _Run:
    """State of one import; drafts are made when all cards are known."""

    def __init__(self, game: Game | None) -> None:
        self.game = game
        self.imported = Imported(name="Star Wars Customizable Card Game")
        self.raw_cards: list[tuple[JsonFile, Piece, DraftCard]] = []
        self.versions: list[list[str]] = []
        self.first_lines: dict[int, str] = {}

    def read(self, file: JsonFile) -> None:
        count = 0
        for piece in file.pieces("cards", "*"):
            count += 1
            if _OLD not in Path(file.name).stem:
                self.card(file, piece)
        if not count:
            raise KbError(
                f"{file.name}: no list of `cards` in it; give the card files of swccg-card-json"
                " (Dark.json, Light.json)"
            )
        if _OLD in Path(file.name).stem:
            values = (piece.value for piece in file.pieces("cards", "*"))
            lists = [
                value["rulings"]
                for value in values
                if isinstance(value, dict) and isinstance(value.get("rulings"), list)
            ]
            rulings = sum(map(len, lists))
            message = (
                f"{count} cards as they were before their errata, with {rulings} rulings:"
                " left out, because"
            )
            self.imported.skipped.append(
                Problem(
                    file.name,
                    1,
                    f"{message} the cards that replaced them have rulings of their own",
                )
            )

    def card(self, file: JsonFile, piece: Piece) -> None:
        value: Any = piece.value
        front = value.get("front") if isinstance(value, dict) else None
        line = file.line(piece.start)
        if (
            not isinstance(front, dict)
            or not isinstance(front.get("title"), str)
            or not _number(value.get("id"))
        ):
            self.imported.skipped.append(
                Problem(
                    file.name, line, "a card needs an `id` and a `front` with a `title`; left out"
                )
            )
            return
        name = _BULLETS.sub("", front["title"]).strip()
        if set("[]|") & set(name) or not name:
            self.imported.skipped.append(
                Problem(
                    file.name,
                    line,
                    f"{name!r}: the characters [ ] | cannot stand in a card's name; left out",
                )
            )
            return
        if value["id"] in self.first_lines:
            self.imported.skipped.append(
                Problem(
                    file.name,
                    line,
                    f"{value['id']}: id given twice (first: {self.first_lines[value['id']]}); left"
                    " out",
                )
            )
            return
        self.first_lines[value["id"]] = f"{file.name}:{line}"
        side, printed = _text(value, "side"), _text(value, "set")
        card = DraftCard(
            name,
            sets=printed,
            type=_text(front, "type"),
            side=side,
            subtypes=_text(front, "subType"),
            other_names=tuple(_strings(value.get("abbr"))),
        )
        self.raw_cards.append((file, piece, card))
        self.versions.append(
            [
                side,
                f"{side} {printed}".strip(),
                f"{side} {_text(value, 'gempId')}".strip(),
                str(value["id"]),
            ]
        )

    def finish(self) -> None:
        self.imported.cards = told_apart([card for _, _, card in self.raw_cards], self.versions)
        provisions: dict[str, list[str]] = {}
        for (file, piece, _), card in zip(self.raw_cards, self.imported.cards, strict=True):
            if self.rulings(file, piece, card):
                provisions.setdefault(file.name, []).append(str(piece.value["id"]))
        self.imported.sources = [
            DraftSource(
                _source(name),
                f"Star Wars CCG card data: {Path(name).stem}",
                "en",
                provisions=tuple(cited),
            )
            for name, cited in provisions.items()
        ]

    def rulings(self, file: JsonFile, piece: Piece, card: DraftCard) -> bool:
        """Makes the drafts of one card; whether it has any."""
        given = piece.value.get("rulings", [])
        if not isinstance(given, list):
            self.imported.skipped.append(
                Problem(
                    file.name,
                    file.line(piece.start),
                    f"{card.name}: rulings are a list of texts; left out",
                )
            )
            return False
        place, before = (
            max(file.text.find('"rulings"', piece.start, piece.end), piece.start),
            len(self.imported.drafts),
        )
        for number, text in enumerate(given, 1):
            place, line = _line(file, text, place, piece.end)
            if isinstance(text, str) and len(text) > LONGEST_RULING:
                message = (
                    f"{card.name}: ruling {number} is longer than {LONGEST_RULING:,} characters;"
                    " left out"
                )
                self.imported.skipped.append(Problem(file.name, line, message))
                continue
            if not isinstance(text, str) or not plain_text(text):
                self.imported.skipped.append(
                    Problem(file.name, line, f"{card.name}: ruling {number} is no text; left out")
                )
                continue
            body, unknown = markdown(text)
            for tag in unknown:
                self.imported.skipped.append(
                    Problem(
                        file.name,
                        line,
                        f"{card.name}: <{tag}> is not understood; its text is kept without it",
                    )
                )
            self.imported.drafts.append(
                self.draft(
                    file,
                    piece,
                    card,
                    number,
                    DraftText("en", title(card.name, plain_text(text)), body),
                    line,
                )
            )
        return len(self.imported.drafts) > before

    def draft(
        self, file: JsonFile, piece: Piece, card: DraftCard, number: int, text: DraftText, line: int
    ) -> Draft:
        topic = slug(re.sub(r" #\d+$", "", card.type)) if card.type else "other-cards"
        self.imported.topics.setdefault(topic, re.sub(r" #\d+$", "", card.type) or "Other cards")
        key = piece.value["id"]
        return Draft(
            id=f"card-{key}-{number}",
            topic=topic,
            texts=(text,),
            about=(label(card, self.game),),
            sources=(f"{_source(file.name)}#{key}",),
            lines=(line, line),
        )


def _line(file: JsonFile, text: object, place: int, end: int) -> tuple[int, int]:
    """Where an item of a list stands: the offset to look on from, and its line."""
    for written in (json.dumps(text, ensure_ascii=False), json.dumps(text)):
        offset = file.text.find(written, place, end)
        if offset >= 0:
            return offset + len(written), file.line(offset)
    return place, file.line(place)


def _source(name: str) -> str:
    return f"cards-{slug(Path(name).stem)}"


def _number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9


def _text(value: dict[str, Any], key: str) -> str:
    return value[key].strip() if isinstance(value.get(key), str) else ""


def _strings(value: object) -> list[str]:
    return (
        [text.strip() for text in value if isinstance(text, str) and text.strip()]
        if isinstance(value, list)
        else []
    )
