"""Completion of references in the editor's fields (`kb.records.fields.Reference`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypedDict

from kb.core.characters import clean_typed
from kb.language import fold
from kb.linking.names import form_meanings
from kb.plugins.editor.records import EditableRecords, Workspace
from kb.records.checks.references import VERSION
from kb.records.model import Game, Source, Topic

MAX_CHOICES = 20


class Choice(TypedDict):
    """A value for the field, with a note that distinguishes it.

    `versions`: the number of versions of a card that the value may mean.
    """

    value: str
    note: str
    versions: int


def complete(
    kind: str, typed: str, lang: str, game: Game, records: EditableRecords
) -> list[Choice]:
    """Return the best choices for a field; without a typed text, the first ones, but no cards."""
    if kind == "card":
        return _cards(typed, lang, game, records)
    return _best(typed, _candidates(kind, game, records.workspace))


def titles(kind: str, values: Collection[str], game: Game, workspace: Workspace) -> dict[str, str]:
    """Return the titles of the values that exist; cards have no title."""
    candidates = () if kind == "card" else _candidates(kind, game, workspace)
    return {value: title for value, title in candidates if value in values}


def _candidates(kind: str, game: Game, workspace: Workspace) -> Iterable[tuple[str, str]]:
    if kind == "topic":
        return ((topic.id, " / ".join(topic.title.values())) for topic in game.header.topics)
    if kind == "source":
        return (
            (f"{source.id}#{provision}", _first_title(source))
            for source in game.sources
            for provision in source.provisions
        )
    if kind == "document":
        return ((source.id, _first_title(source)) for source in game.sources)
    if kind in ("rule", "edition"):
        entries = game.header.rule_sets if kind == "rule" else game.header.editions
        return ((entry.id, _first_title(entry)) for entry in entries)
    rulings = workspace.of_game(game.id).values()
    return ((ruling.id, ruling.original.title) for ruling in rulings)


def _first_title(entry: Source | Topic) -> str:
    return next(iter(entry.title.values()))


def _best(typed: str, candidates: Iterable[tuple[str, str]]) -> list[Choice]:
    """Return the candidates that contain the typed text, those that begin with it first."""
    prefix = fold(clean_typed(typed))
    matches: list[tuple[int, int, str, str]] = []
    for number, (value, note) in enumerate(candidates):
        folded_value, folded_note = fold(value), fold(note)
        conditions = (
            folded_value == prefix,
            folded_value.startswith(prefix),
            folded_note.startswith(prefix),
            prefix in folded_value,
            prefix in folded_note,
        )
        if any(conditions):
            matches.append((conditions.index(True), number, value, note))
    return [
        {"value": value, "note": note, "versions": 1}
        for _, _, value, note in sorted(matches)[:MAX_CHOICES]
    ]


def _cards(typed: str, lang: str, game: Game, records: EditableRecords) -> list[Choice]:
    """Return cards by their names, inflected or begun, or by the beginnings of some words."""
    text, names = clean_typed(typed), records.workspace.card_names(game.id)
    with records.live.forms() as table:
        meanings = form_meanings(table, [lang]) if table else lambda word: ()
        matching = [*names.exact(text), *names.inflected(text, meanings)]
        matching += names.part(text, meanings)
    labels: dict[str, None] = {}
    for name in matching:
        cards = game.cards_named(name)
        if len(cards) == 1 or all(VERSION.fullmatch(card.version) for card in cards):
            labels[name] = None
        labels |= dict.fromkeys(card.label for card in cards)
    return [_card_choice(label, game) for label in list(labels)[:MAX_CHOICES]]


def _card_choice(label: str, game: Game) -> Choice:
    cards = game.cards_named(label)
    if len(cards) > 1:
        return {"value": label, "note": "", "versions": len(cards)}
    parts = [part for card in cards for part in ("; ".join(card.sets), card.type) if part]
    return {"value": label, "note": ", ".join(parts), "versions": 1}
