"""What a field may go on as while somebody types: cards, topics, provisions, rulings, whatever the case and the diacritics."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypedDict

from kb.editor.preview import Preview
from kb.editor.workspace import Workspace
from kb.language import fold
from kb.records.checks.rules import VERSION
from kb.records.model import Game

KINDS = ("card", "topic", "source", "ruling", "document", "rule")
MOST = 12


class Choice(TypedDict):
    """One way to go on: the value that goes into the field and what tells it from others."""

    value: str
    note: str


def choices(
    kind: str, typed: str, lang: str, game: Game, shelf: Workspace, preview: Preview
) -> list[Choice]:
    """The best ways to go on in a field of a kind, at most MOST. With nothing typed, all where they are few."""
    if kind == "card":
        return _cards(typed, lang, game, shelf, preview)
    if kind == "topic":
        return _best(
            typed, ((one.id, " / ".join(one.title.values())) for one in game.header.topics)
        )
    if kind == "source":
        found = (
            (f"{one.id}#{name}", next(iter(one.title.values())))
            for one in game.sources
            for name in one.provisions
        )
        return _best(typed, found)
    if kind == "document":
        return _best(typed, ((one.id, next(iter(one.title.values()))) for one in game.sources))
    if kind == "rule":
        return _best(
            typed, ((one.id, next(iter(one.title.values()))) for one in game.header.rule_sets)
        )
    return _best(typed, ((one.id, one.original.title) for one in shelf.of_game(game.id).values()))


def _best(typed: str, rows: Iterable[tuple[str, str]]) -> list[Choice]:
    """The rows of which a word begins as typed, in the id or in what is said of it; ids that begin so first."""
    wanted = fold(" ".join(typed.split()))
    found: list[tuple[int, int, str, str]] = []
    for number, (value, note) in enumerate(rows):
        own, said = fold(value), fold(note)
        places = [own.find(wanted), said.find(wanted)]
        if not wanted or max(places) >= 0:
            rank = (
                0
                if own.startswith(wanted)
                else 1
                if said.startswith(wanted)
                else 2
                if places[0] >= 0
                else 3
            )
            found.append((rank, number, value, note))
    return [{"value": value, "note": note} for _, _, value, note in sorted(found)[:MOST]]


def _cards(typed: str, lang: str, game: Game, shelf: Workspace, preview: Preview) -> list[Choice]:
    """Cards by the beginning of any word of their names, and those that an inflected name means."""
    words = " ".join(typed.split())
    if not words:
        return []
    labels: dict[str, None] = {}
    capital = words[:1].upper() + words[1:]
    for one in preview.named(capital, lang, game):
        if len(one.surface) * 2 >= len(words):
            labels |= dict.fromkeys(one.candidates)
    for name in shelf.card_starts(game).complete(words, MOST):
        cards = game.cards_named(name)
        if len(cards) == 1 or all(VERSION.fullmatch(card.version) for card in cards):
            labels[name] = None
        labels |= dict.fromkeys(card.label for card in cards)
    return [{"value": label, "note": _told(label, game)} for label in list(labels)[:MOST]]


def _told(label: str, game: Game) -> str:
    cards = game.cards_named(label)
    if len(cards) > 1:
        return f"the name, {len(cards)} versions"
    return ", ".join(part for card in cards for part in ("; ".join(card.sets), card.type) if part)
