"""Diagrams of the records -> drawings: boxes, lines and numbers at their places.

The template writes a drawing as SVG or a table; colours and links are CSS and HTML.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import atan2, degrees, hypot

from kb.records.diagram import Diagram, Labelled, State

# Pixels at the width of a phone: the drawing, a line of text, and the space around it.
WIDTH = 356
LINE = 19
PADDING = 8
# Pixels between the rows of a grid, with room for two numbers, and between columns.
_ROW_GAP = 66
_COLUMN_GAP = 48
# The average width of a letter in the widest of the usual fonts, 14 pixels high.
_LATIN, _CYRILLIC = 8.2, 9.2

AddressOf = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Box:
    """Text in a frame. `address`: the ruling's page; `tone`: step, note, plain, good, warn, bad."""

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    address: str = ""
    tone: str = "step"


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line with an arrow head at its end."""

    x1: float
    y1: float
    x2: float
    y2: float

    def at(self, share: float) -> tuple[float, float]:
        """The point at a share of its length."""
        return self.x1 + share * (self.x2 - self.x1), self.y1 + share * (self.y2 - self.y1)

    @property
    def angle(self) -> float:
        """The direction in degrees, clockwise from the right."""
        return degrees(atan2(self.y2 - self.y1, self.x2 - self.x1))

    @property
    def length(self) -> float:
        return hypot(self.x2 - self.x1, self.y2 - self.y1)


@dataclass(frozen=True, slots=True)
class Cell:
    """A text with the address of its ruling's page, empty for none."""

    text: str
    address: str = ""


@dataclass(slots=True)
class Drawing:
    """A diagram in one language.

    `legend`: what the numbers of `badges` mean, from 1, each with the states that it leads between.
    """

    id: str
    lang: str
    title: str
    description: str = ""
    height: float = 0
    boxes: list[Box] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)
    badges: list[tuple[float, float, str]] = field(default_factory=list)
    legend: list[tuple[str, Cell]] = field(default_factory=list)
    columns: list[Cell] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    width: int = WIDTH


def draw(diagram: Diagram, lang: str, address_of: AddressOf) -> Drawing:
    """Draw a diagram in a language; `address_of` returns the page of a ruling, empty for none."""
    return _Painter(diagram, lang, address_of).drawing


class _Painter:
    def __init__(self, diagram: Diagram, lang: str, address_of: AddressOf) -> None:
        self._diagram, self._lang, self._address_of = diagram, lang, address_of
        self.drawing = Drawing(diagram.id, lang, self._text(diagram.title))
        painters = {
            "steps": self._steps,
            "states": self._states,
            "bars": self._bars,
            "table": self._table,
        }
        self.drawing.description = " ".join(painters[diagram.kind]())

    def _text(self, texts: Mapping[str, str]) -> str:
        return texts.get(self._lang) or next(iter(texts.values()), "")

    def _cell(self, part: Labelled | str) -> Cell:
        if isinstance(part, str):
            return Cell(part)
        return Cell(self._text(part.label), self._address_of(part.ruling) if part.ruling else "")

    def _box(self, part: Labelled, x: float, width: float, tone: str) -> Box:
        """Add a box for a part below all that is drawn."""
        cell, top = self._cell(part), self.drawing.height
        lines = wrapped(cell.text, width - 2 * PADDING)
        box = Box(x, top, width, len(lines) * LINE + 2 * PADDING, lines, cell.address, tone)
        self.drawing.boxes.append(box)
        self.drawing.height += box.height
        return box

    def _steps(self) -> Iterator[str]:
        """A box below the other, joined by arrows along the notes."""
        indent, bottom = 26, 0.0
        for number, step in enumerate(self._diagram.steps, 1):
            if bottom:
                self.drawing.height += 20
                stroke = Stroke(indent / 2, bottom, indent / 2, self.drawing.height)
                self.drawing.strokes.append(stroke)
            box = self._box(step, 0, WIDTH, "step")
            bottom = box.y + box.height
            for note in step.notes:
                self.drawing.height += 6
                self._box(note, indent, WIDTH - indent, "note")
            label, notes = self._cell(step).text, [self._cell(note).text for note in step.notes]
            yield f"{number}. {label}" + (f": {'; '.join(notes)}." if notes else ".")

    def _states(self) -> Iterator[str]:
        """Boxes on a grid; the arrows have numbers, which the legend explains."""
        boxes = self._grid(self._diagram.states)
        numbers: dict[Cell, int] = {}
        origins: dict[Cell, dict[str, list[str]]] = defaultdict(dict)
        ways: dict[tuple[str, str], list[int]] = defaultdict(list)
        for arrow in self._diagram.arrows:
            if arrow.origin == arrow.target or not {arrow.origin, arrow.target} <= boxes.keys():
                continue
            cell = self._cell(arrow)
            number = numbers.setdefault(cell, len(numbers) + 1)
            ways[arrow.origin, arrow.target].append(number)
            origin, target = (" ".join(boxes[key].lines) for key in (arrow.origin, arrow.target))
            origins[cell].setdefault(target, []).append(origin)
            yield f"{origin} → {target}: {cell.text}."
        for (origin, target), way in ways.items():
            shift = 18 if (target, origin) in ways else 0
            stroke = _between(boxes[origin], boxes[target], shift)
            self.drawing.strokes.append(stroke)
            self.drawing.badges.append(
                (*stroke.at(0.28 if shift else 0.5), ", ".join(map(str, way)))
            )
        self.drawing.legend = [
            ("; ".join(f"{' / '.join(some)} → {target}" for target, some in ends.items()), cell)
            for cell, ends in origins.items()
        ]

    def _grid(self, states: Iterable[State]) -> dict[str, Box]:
        columns = max((state.column for state in states), default=1)
        pitch = (WIDTH + _COLUMN_GAP) / columns
        width = pitch - _COLUMN_GAP
        boxes: dict[str, Box] = {}
        for row in sorted({state.row for state in states}):
            cells = {state.id: state for state in states if state.row == row}
            lines = {
                key: wrapped(self._cell(state).text, width - 2 * PADDING)
                for key, state in cells.items()
            }
            height = max(map(len, lines.values())) * LINE + 2 * PADDING
            top = self.drawing.height + (_ROW_GAP if boxes else 0)
            for key, state in cells.items():
                address = self._cell(state).address
                left = (state.column - 1) * pitch
                boxes[key] = Box(left, top, width, height, lines[key], address)
            self.drawing.height = top + height
        self.drawing.boxes += boxes.values()
        return boxes

    def _bars(self) -> Iterator[str]:
        """A bar below the other, each with its label above and its parts explained below."""
        longest = max(sum(part.value for part in bar.segments) for bar in self._diagram.bars)
        explained: set[tuple[str, str]] = set()
        for number, bar in enumerate(self._diagram.bars):
            self.drawing.height += 14 if number else 0
            self._box(bar, 0, WIDTH, "label")
            left, top = 0.0, self.drawing.height
            for part in bar.segments:
                width = WIDTH * part.value / longest
                height, value = LINE + 2 * PADDING, (str(part.value),)
                self.drawing.boxes.append(Box(left, top, width, height, value, "", part.tone))
                left += width
            self.drawing.height = top + LINE + 2 * PADDING
            for part in bar.segments:
                key = part.tone, self._cell(part).text
                if key in explained:
                    continue
                explained.add(key)
                swatch = Box(0, self.drawing.height + 9, 14, 14, (), "", part.tone)
                self.drawing.boxes.append(swatch)
                self._box(part, 14 + PADDING, WIDTH - 14 - PADDING, "label")
            labels = (f"{part.value} – {self._cell(part).text}" for part in bar.segments)
            yield f"{self._cell(bar).text}: {'; '.join(labels)}."

    def _table(self) -> Iterator[str]:
        self.drawing.columns = [self._cell(column) for column in self._diagram.columns]
        self.drawing.rows = [
            [self._cell(row), *map(self._cell, row.cells)] for row in self._diagram.rows
        ]
        return iter(())


def wrapped(text: str, width: float) -> tuple[str, ...]:
    """The lines of a text, about as long as each other and by estimate within so many pixels."""
    letter = _CYRILLIC if any("\u0400" <= char <= "\u04ff" for char in text) else _LATIN
    letters = max(int(width / letter), 4)
    lines = textwrap.wrap(text, letters)
    word = max(map(len, text.split()), default=letters)
    while letters > word and len(shorter := textwrap.wrap(text, letters - 1)) == len(lines):
        lines, letters = shorter, letters - 1
    return tuple(lines)


def _between(origin: Box, target: Box, shift: float) -> Stroke:
    """The line from box to box, moved sideways by `shift` so that the way back has room."""
    x1, y1 = origin.x + origin.width / 2, origin.y + origin.height / 2
    x2, y2 = target.x + target.width / 2, target.y + target.height / 2
    length = Stroke(x1, y1, x2, y2).length
    aside, down = -(y2 - y1) / length * shift, (x2 - x1) / length * shift
    line = Stroke(x1 + aside, y1 + down, x2 + aside, y2 + down)
    back = Stroke(line.x2, line.y2, line.x1, line.y1)
    return Stroke(*line.at(_leaving(line, origin)), *back.at(_leaving(back, target)))


def _leaving(line: Stroke, box: Box) -> float:
    """The share of a line at which it leaves the box that it begins in."""
    shares = [1.0]
    for start, end, low, size in (
        (line.x1, line.x2, box.x, box.width),
        (line.y1, line.y2, box.y, box.height),
    ):
        if end != start:
            shares.append(((low + size if end > start else low) - start) / (end - start))
    return min(shares)
