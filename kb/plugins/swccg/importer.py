"""Reads rulings from the card files of Star Wars CCG (swccg-card-json)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kb.core.problems import KbError, posix_path
from kb.ingest.base import Importer
from kb.ingest.common import (
    LONGEST_RULING,
    MAX_UNNUMBERED_ID,
    Ids,
    JsonEntry,
    distinguish,
    files_of,
    is_card_name,
    label,
    read_entries,
    slug,
    text_under,
    title,
    topic_of_type,
)
from kb.ingest.drafts import OFFICIAL, Draft, DraftSource, Imported
from kb.plugins.swccg.html import markdown, plain_text
from kb.records.model import Game
from kb.records.text import Text
from kb.records.values import Card, Citation

_BULLETS = re.compile(r"(?:^|(?<=\s))(?:•|<>)+")
_NUMBER = re.compile(r" #\d+$")
_BEFORE_ERRATA = "PreErrata"


@dataclass
class _Run:
    """The cards of one import; drafts need all cards, whose versions tell them apart."""

    game: Game | None
    imported: Imported
    entries: list[tuple[str, JsonEntry]] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    versions: list[list[str]] = field(default_factory=list)
    places: dict[int, str] = field(default_factory=dict)
    ids: Ids = field(default_factory=Ids)


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read card files, or a folder of them: drafts, a source for each file, and every card.

    A draft's id is the card's number with the first words of the ruling
    (`card-5300-may-not-deploy`), because rulings have no number.

    Files of cards before their errata (`…PreErrata.json`) are left out with a message: the cards
    that replaced them have their own rulings.
    """
    run = _Run(game, Imported(name="Star Wars Customizable Card Game"))
    for path in files_of(paths, "*.json"):
        _read_file(run, path)
    run.imported.cards = distinguish(run.cards, run.versions)
    provisions: dict[str, list[str]] = {}
    for (name, entry), card in zip(run.entries, run.imported.cards, strict=True):
        drafts = _drafts(run, name, entry, card)
        run.imported.drafts += drafts
        if drafts:
            provisions.setdefault(name, []).append(str(entry.value["id"]))
    run.imported.sources = [
        DraftSource(
            _source(name),
            f"Star Wars CCG card data: {Path(name).stem}",
            "en",
            provisions=tuple(cited),
        )
        for name, cited in provisions.items()
    ]
    return run.imported


def _read_file(run: _Run, path: Path) -> None:
    name, entries = posix_path(path), read_entries(path, "cards")
    if not entries:
        raise KbError(
            f"{name}: no list of `cards` in it; give the card files of swccg-card-json"
            " (Dark.json, Light.json)"
        )
    if _BEFORE_ERRATA not in path.stem:
        for entry in entries:
            _read_card(run, name, entry)
        return
    rulings = sum(len(_list(entry.value, "rulings")) for entry in entries)
    message = (
        f"{len(entries)} cards as they were before their errata, with {rulings} rulings: left out,"
        " because the cards that replaced them have rulings of their own"
    )
    run.imported.skip(name, 1, message)


def _read_card(run: _Run, file: str, entry: JsonEntry) -> None:
    card: Any = entry.value
    front = card.get("front") if isinstance(card, dict) else None
    printed_name = text_under(front, "title")
    if not printed_name or not _is_number(card.get("id")):
        message = "a card needs an `id` and a `front` with a `title`; left out"
        run.imported.skip(file, entry.line, message)
        return
    name = _BULLETS.sub("", printed_name).strip()
    if not is_card_name(name):
        message = f"{name!r}: the characters [ ] | cannot stand in a card's name; left out"
        run.imported.skip(file, entry.line, message)
        return
    place = f"{file}:{entry.line}"
    first = run.places.setdefault(card["id"], place)
    if first != place:
        message = f"{card['id']}: id given twice (first: {first}); left out"
        run.imported.skip(file, entry.line, message)
        return
    side, printed = text_under(card, "side"), text_under(card, "set")
    names = (name.strip() for name in _list(card, "abbr") if isinstance(name, str))
    run.entries.append((file, entry))
    run.cards.append(
        Card(
            name,
            sets=(printed,) if printed else (),
            type=text_under(front, "type"),
            side=side,
            subtypes=text_under(front, "subType"),
            other_names=tuple(filter(None, names)),
        )
    )
    numbered = f"{side} {text_under(card, 'gempId')}".strip()
    run.versions.append([side, f"{side} {printed}".strip(), numbered, str(card["id"])])


def _drafts(run: _Run, file: str, entry: JsonEntry, card: Card) -> list[Draft]:
    key, rulings = entry.value["id"], entry.value.get("rulings", [])
    if not isinstance(rulings, list):
        message = f"{card.name}: rulings are a list of texts; left out"
        run.imported.skip(file, entry.line, message)
        return []
    drafts = []
    type_title = _NUMBER.sub("", card.type)
    for number, text in enumerate(rulings, 1):
        body = _body(run, file, f"{card.name}: ruling {number}", text, entry.line)
        if not body:
            continue
        words = plain_text(text)
        topic = topic_of_type(run.imported.topics, type_title)
        drafts.append(
            Draft(
                id=run.ids.make(slug(f"card-{key} {title('', words)}", MAX_UNNUMBERED_ID)),
                topic=topic,
                texts=(Text("en", title(card.name, words), body),),
                header=replace(
                    OFFICIAL,
                    about=(label(card, run.game),),
                    sources=(Citation(_source(file), str(key)),),
                ),
                lines=(entry.line, entry.line),
            )
        )
    return drafts


def _body(run: _Run, file: str, name: str, text: object, line: int) -> str:
    """Return a ruling as Markdown; report any other value, and return an empty text."""
    if isinstance(text, str) and len(text) > LONGEST_RULING:
        message = f"{name} is longer than {LONGEST_RULING:,} characters; left out"
        run.imported.skip(file, line, message)
        return ""
    if not isinstance(text, str) or not plain_text(text):
        run.imported.skip(file, line, f"{name} is not a text; left out")
        return ""
    body, unknown = markdown(text)
    for tag in unknown:
        message = f"{name}: <{tag}> is not understood; its text is kept without it"
        run.imported.skip(file, line, message)
    return body


def _source(name: str) -> str:
    return f"cards-{slug(Path(name).stem)}"


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9


def _list(value: Any, key: str) -> list[Any]:
    items = value.get(key) if isinstance(value, dict) else None
    return items if isinstance(items, list) else []


IMPORTER = Importer("card files of swccg-card-json", read)
