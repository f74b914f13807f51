"""`diagrams.yaml`: a Diagram of steps, lanes, states, bars or a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from kb.records.model import Entry, Texts
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
