"""Scryfall's bulk files: `rulings`, and next to it `oracle-cards` for the names of the cards."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kb.core.problems import KbError, posix_path
from kb.ingest.base import Importer
from kb.ingest.common import (
    MAX_UNNUMBERED_ID,
    Ids,
    JsonEntry,
    day,
    distinguish,
    files_of,
    is_card_name,
    label,
    literal,
    paragraphs,
    read_entries,
    slug,
    text_under,
    title,
    topic_of_type,
)
from kb.ingest.drafts import Draft, DraftSource, Imported
from kb.records.fields import Authority, Header
from kb.records.model import Game
from kb.records.text import Text
from kb.records.values import Card, Citation

# Title and authority, by the `source` of a ruling.
_SOURCES: dict[str, tuple[str, Authority]] = {
    "wotc": ("Wizards of the Coast: rulings", "official"),
    "scryfall": ("Scryfall: notes on cards", "community"),
}
# Layouts of objects that share the names of cards and have no rulings.
_IGNORED_LAYOUTS = {"token", "double_faced_token", "emblem", "art_series"}
# The topic of a card is the first of its types in this order.
_TYPES = "creature planeswalker battle instant sorcery land enchantment artifact".split()


@dataclass
class _Run:
    """The state of one import: cards by oracle id, dates of rulings by source."""

    game: Game | None
    imported: Imported
    cards: dict[str, Card] = field(default_factory=dict)
    dates: dict[str, set[str]] = field(default_factory=dict)
    ids: Ids = field(default_factory=Ids)


def read(paths: Sequence[Path], game: Game | None = None) -> Imported:
    """Read Scryfall's rulings, and its oracle cards for the names.

    Without the oracle cards the drafts name no card; their note has the oracle id. The id of a
    draft is the oracle id with the first words of the ruling, because rulings have no number.
    Raises KbError for a file of another kind, and without rulings.
    """
    run = _Run(game, Imported(name="Magic: The Gathering"))
    rulings: dict[str, list[JsonEntry]] = {}
    for path in files_of(paths, "*.json"):
        name, entries = posix_path(path), read_entries(path)
        if _kind(name, entries) == "card":
            _read_cards(run, name, entries)
        else:
            rulings[name] = entries
    if not rulings:
        raise KbError(
            f"{posix_path(paths[0])}: no rulings in it; give Scryfall's bulk file `rulings` (and"
            " `oracle-cards` for the names)"
        )
    for name, entries in rulings.items():
        _read_rulings(run, name, entries)
    run.imported.sources = [
        DraftSource(source, name, "en", authority, provisions=tuple(sorted(run.dates[source])))
        for source, (name, authority) in _SOURCES.items()
        if source in run.dates
    ]
    return run.imported


def _kind(name: str, entries: Sequence[JsonEntry]) -> str:
    for value, _ in entries[:50]:
        if (kind := text_under(value, "object")) in ("ruling", "card"):
            return kind
    raise KbError(
        f"{name}: not a list whose first entries have the `object` ruling or card; give one of"
        " Scryfall's bulk files (rulings, oracle-cards)"
    )


def _read_cards(run: _Run, file: str, entries: Sequence[JsonEntry]) -> None:
    cards: dict[str, Card] = {}
    for entry in entries:
        key, name = text_under(entry.value, "oracle_id"), text_under(entry.value, "name")
        if not key or not is_card_name(name):
            message = "a card needs an `oracle_id` and a `name` without [ ] |; left out"
            run.imported.skip(file, entry.line, message)
        elif entry.value.get("layout") not in _IGNORED_LAYOUTS and key not in run.cards | cards:
            faces = tuple(face.strip() for face in name.split(" // ")) if " // " in name else ()
            cards[key] = Card(
                name,
                sets=tuple(filter(None, [text_under(entry.value, "set_name")])),
                type=text_under(entry.value, "type_line"),
                other_names=faces,
            )
    versions = [["".join(card.sets), key[:8]] for key, card in cards.items()]
    distinct = distinguish(list(cards.values()), versions)
    run.imported.cards += distinct
    run.cards.update(zip(cards, distinct, strict=True))


def _read_rulings(run: _Run, file: str, entries: Sequence[JsonEntry]) -> None:
    unnamed = 0
    for entry in entries:
        key, comment = text_under(entry.value, "oracle_id"), text_under(entry.value, "comment")
        if not key or not comment:
            message = "a ruling needs an `oracle_id` and a `comment`; left out"
            run.imported.skip(file, entry.line, message)
            continue
        source, published = entry.value.get("source"), entry.value.get("published_at")
        if not isinstance(source, str) or source not in _SOURCES:
            message = f"source {source!r} is neither wotc nor scryfall; left out"
            run.imported.skip(file, entry.line, message)
            continue
        date = day(published) if isinstance(published, str) else ""
        if not date and published not in (None, ""):
            message = f"published_at {published!r} is not a date; the draft has no date"
            run.imported.skip(file, entry.line, message)
        unnamed += key not in run.cards
        run.imported.drafts.append(_draft(run, key, comment, source, date, entry.line))
    if unnamed:
        message = (
            f"{unnamed} rulings of cards without a name: they are drafts about no card;"
            " give the newest oracle-cards file too"
        )
        run.imported.skip(file, 1, message)


def _draft(run: _Run, key: str, comment: str, source: str, date: str, line: int) -> Draft:
    card = run.cards.get(key)
    cited = date or "undated"
    run.dates.setdefault(source, set()).add(cited)
    body = "\n\n".join(literal(paragraph) for paragraph in paragraphs(comment))
    return Draft(
        id=run.ids.make(slug(f"{key} {title('', comment)}", MAX_UNNUMBERED_ID)),
        topic=_topic(card.type if card else "", run.imported),
        texts=(Text("en", title(card.name if card else "", comment), body),),
        header=Header(
            kind="ruling",
            authority=_SOURCES[source][1],
            status="current",
            topics=(),
            about=(label(card, run.game),) if card else (),
            sources=(Citation(source, cited),),
            date=date or None,
        ),
        lines=(line, line),
        note="" if card else f"The source names no card, only the oracle id {key}.",
    )


def _topic(type_line: str, imported: Imported) -> str:
    """Return the topic of a card by its type line; add it to the topics of the import."""
    words = re.split("//|—", type_line)[0].lower().split()
    card_type = next((word for word in _TYPES if word in words), words[-1] if words else "")
    return topic_of_type(imported.topics, card_type.capitalize())


IMPORTER = Importer("Scryfall's bulk file of rulings, and its oracle cards for the names", read)
