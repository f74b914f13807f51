"""`diagrams.yaml`: a Diagram of steps, lanes, states, bars or a table, and its problems."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from kb.core.problems import Problem
from kb.records.checks.references import Rulings, missing_rulings
from kb.records.model import Entry, Game, Texts
from kb.records.syntax import Place
from kb.records.types import Lang, Line, Slug, Slugs

# The lists of each kind of diagram; the first must have items.
LISTS = {
    "steps": ("steps",),
    "lanes": ("lanes",),
    "states": ("states", "arrows"),
    "bars": ("bars", "limits"),
    "table": ("columns", "rows"),
}
PARTS = tuple(part for parts in LISTS.values() for part in parts)
_NESTED = {"steps": "notes", "lanes": "notes", "bars": "segments", "rows": "cells"}


class Labelled(Texts):
    """A part of a diagram, with a label by language, a ruling and a colour."""

    gathered = "label"
    label: dict[Lang, Line] = Field(default_factory=dict)
    ruling: Slug | None = None
    tone: Literal["plain", "good", "warn", "bad"] = "plain"


class Step(Labelled):
    """A step of a sequence, or one of several lanes, with notes."""

    notes: tuple[Labelled, ...] = ()


class State(Labelled):
    """A box at a place of the grid, counted from 1.

    `card`: how a card in this state lies, with so many tokens on it.
    """

    id: Slug
    card: Literal["upright", "sideways", "face-down"] | None = None
    tokens: Annotated[int, Field(ge=0, le=3)] = 0
    row: Annotated[int, Field(ge=1, le=12)]
    column: Annotated[int, Field(ge=1, le=3)]


class Arrow(Labelled):
    """An arrow between two states."""

    origin: Slug = Field(alias="from")
    target: Slug = Field(alias="to")


class Segment(Labelled):
    """A part of a bar; its value is its length."""

    value: Annotated[int, Field(ge=1, le=1000)]


class Limit(Labelled):
    """A line across all bars at a value."""

    value: Annotated[int, Field(ge=1, le=1000)]


class Bar(Labelled):
    """A bar of segments."""

    segments: tuple[Segment, ...]


Cell = Annotated[
    Annotated[Line, Tag("text")] | Annotated[Labelled, Tag("texts")],
    Discriminator(lambda value: "text" if isinstance(value, str) else "texts"),
]


class Row(Labelled):
    """A row of a table; a cell of plain text is for all languages, such as a number."""

    cells: tuple[Cell, ...]


class Diagram(Texts, Entry):
    """A diagram on the pages of `rulings`; only the lists of its kind have items."""

    title: dict[Lang, Line]
    kind: Literal["steps", "lanes", "states", "bars", "table"]
    rulings: Slugs
    steps: tuple[Step, ...] = ()
    lanes: tuple[Step, ...] = ()
    states: tuple[State, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    bars: tuple[Bar, ...] = ()
    limits: tuple[Limit, ...] = ()
    columns: tuple[Labelled, ...] = ()
    rows: tuple[Row, ...] = ()

    def labelled_parts(self) -> Iterator[tuple[Place, Labelled]]:
        """Yield the parts with labels, and their places in the file."""
        for name in PARTS:
            for index, part in enumerate(getattr(self, name)):
                yield (name, index), part
                inner = _NESTED.get(name, "")
                for number, child in enumerate(getattr(part, inner) if inner else ()):
                    if isinstance(child, Labelled):
                        yield (name, index, inner, number), child

    def named_rulings(self) -> Iterator[tuple[str, Place]]:
        """Yield the ids of rulings in the diagram, and their places in the file."""
        for index, ruling_id in enumerate(self.rulings):
            yield ruling_id, ("rulings", index)
        for place, part in self.labelled_parts():
            if part.ruling:
                yield part.ruling, (*place, "ruling")


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
