"""The checked objects of `diagrams.yaml`: a Diagram of steps, states, bars or a table."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from kb.records.model import Lang, Line, LineMap, Record, Slug, Slugs, gather_texts


class Labelled(Record):
    """A part of a diagram, with a label by language and a ruling."""

    label: dict[Lang, Line] = Field(default_factory=dict)
    ruling: Slug | None = None

    @model_validator(mode="before")
    @classmethod
    def _gather_label(cls, value: object) -> object:
        keys = {field.alias or name for name, field in cls.model_fields.items()}
        return gather_texts(value, "label", keys)


class Step(Labelled):
    """A box of a sequence, with notes."""

    notes: tuple[Labelled, ...] = ()


class State(Labelled):
    """A box at a place of the grid, counted from 1."""

    id: Slug
    row: Annotated[int, Field(ge=1, le=12)]
    column: Annotated[int, Field(ge=1, le=3)]


class Arrow(Labelled):
    """An arrow between two states."""

    origin: Slug = Field(alias="from")
    target: Slug = Field(alias="to")


class Segment(Labelled):
    """A part of a bar; its value is its length."""

    value: Annotated[int, Field(ge=1, le=1000)]
    tone: Literal["plain", "good", "warn", "bad"] = "plain"


class Bar(Labelled):
    """A bar of segments."""

    segments: tuple[Segment, ...]


def _kind_of_cell(value: object) -> str:
    return "text" if isinstance(value, str) else "texts"


Cell = Annotated[
    Annotated[Line, Tag("text")] | Annotated[Labelled, Tag("texts")], Discriminator(_kind_of_cell)
]


class Row(Labelled):
    """A row of a table; a cell of plain text is for all languages, such as a number."""

    cells: tuple[Cell, ...]


class Diagram(Record):
    """A diagram on the pages of `rulings`; only the lists of its kind have items."""

    id: Slug
    title: dict[Lang, Line]
    kind: Literal["steps", "states", "bars", "table"]
    rulings: Slugs
    steps: tuple[Step, ...] = ()
    states: tuple[State, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    bars: tuple[Bar, ...] = ()
    columns: tuple[Labelled, ...] = ()
    rows: tuple[Row, ...] = ()
    line: int = 0
    lines: LineMap = Field(default_factory=dict, repr=False)
