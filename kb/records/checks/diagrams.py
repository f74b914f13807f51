"""Do the parts of a diagram agree with each other, and with its game?

Each check is a generator of places in the diagram with messages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from kb.core.problems import Problem
from kb.records.checks.references import Rulings, missing_rulings
from kb.records.diagram import LISTS, PARTS, Diagram
from kb.records.model import Game
from kb.records.syntax import Place
from kb.records.types import Slug

Mistake = tuple[Place, str]


def check_diagrams(game: Game, ids: Collection[str], rulings: Rulings) -> Iterator[Problem]:
    """Yield the problems of a game's diagrams; `ids`: of its rulings."""
    for diagram in game.diagrams:
        for _, place, message in missing_rulings(diagram.named_rulings(), game.id, ids, rulings):
            yield diagram.problem(message, *place)
        for place, message in _mistakes(diagram, game):
            yield diagram.problem(message, *place)


def _mistakes(diagram: Diagram, game: Game) -> Iterator[Mistake]:
    yield from _language_mistakes((), diagram.title, game)
    if not diagram.rulings:
        yield ("rulings",), "rulings: empty; name those whose pages show it"
    for part in PARTS:
        if not getattr(diagram, part) and part == LISTS[diagram.kind][0]:
            yield ("kind",), f"{part}: missing, the kind is {diagram.kind}"
        if getattr(diagram, part) and part not in LISTS[diagram.kind]:
            yield (part,), f"{part}: not in a diagram of the kind {diagram.kind}"
    for place, labelled in diagram.labelled_parts():
        yield from _language_mistakes(place, labelled.label, game)
    yield from _grid_mistakes(diagram)
    for index, row in enumerate(diagram.rows):
        if len(row.cells) != len(diagram.columns) - 1:
            expected = max(len(diagram.columns) - 1, 0)
            message = f"cells: {len(row.cells)} instead of {expected}; the label is a column too"
            yield ("rows", index, "cells"), message


def _language_mistakes(place: Place, label: dict[str, str], game: Game) -> Iterator[Mistake]:
    for lang in game.header.languages:
        if lang not in label:
            yield place, f"no label in {lang}" if place else f"no title in {lang}"
    for lang in label:
        if lang not in game.header.languages:
            yield (*place, lang), f"{lang} is not one of the game's languages"


def _grid_mistakes(diagram: Diagram) -> Iterator[Mistake]:
    """Each state has its own id and place; an arrow joins two states."""
    taken: set[Slug | tuple[int, int]] = set()
    for index, state in enumerate(diagram.states):
        if state.id in taken:
            yield ("states", index, "id"), f"{state.id}: id given twice"
        if (state.row, state.column) in taken:
            yield ("states", index, "row"), f"{state.id}: row and column of another state"
        if state.tokens and not state.card:
            yield ("states", index, "tokens"), f"{state.id}: tokens lie on a card; add card"
        taken |= {state.id, (state.row, state.column)}
    for index, arrow in enumerate(diagram.arrows):
        for key, name in (("from", arrow.origin), ("to", arrow.target)):
            if name not in taken:
                yield ("arrows", index, key), f"{key}: no state {name}"
        if arrow.origin == arrow.target:
            yield (
                ("arrows", index, "to"),
                "an arrow joins two states; here they are the same",
            )
