"""Diagrams of the records -> drawings: boxes, lines and numbers at their places.

The template writes states and bars as SVG, and what is mostly text as a table or a list, which
browsers wrap at any width. Colours and links are CSS and HTML.
"""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import atan2, degrees, hypot

from kb.language import text_in
from kb.records.diagram import Diagram, Labelled, Segment, State

# Pixels at the width of a phone: the drawing, a line of text, and the space around it.
WIDTH = 356
LINE = 19
PADDING = 8
# Pixels between the rows of a grid, with room for two numbers, and between columns.
_ROW_GAP = 66
_COLUMN_GAP = 48
# Pixels between the lines of two states, and between the ends of lines at the side of a state.
_LANE = 26
_END = 16
# Pixels between the number of a line and the next line.
_APART = 20
# Where the number of a line may be, as shares of its length; the best places first.
_PLACES = (0.5, 0.4, 0.6, 0.3, 0.7, 0.25, 0.75)
# The height of a card above the name of a state.
_CARD = 38
# A segment of at most this many units has a square for each.
_COUNTED = 12
# The average width of a letter in the widest of the usual fonts, 14 pixels high.
_LATIN, _CYRILLIC = 8.2, 9.2
# Bold letters are wider by this.
_BOLD = 1.12

AddressOf = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Box:
    """Text in a frame. `address`: the ruling's page.

    `role`: state, segment, limit, label or number; `tone`: plain, good, warn or bad.
    """

    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]
    role: str
    tone: str = "plain"
    address: str = ""
    # Pixels that a picture takes above the text.
    above: float = 0

    def covers(self, other: Box) -> bool:
        return (
            abs(2 * (self.x - other.x) + self.width - other.width) < self.width + other.width
            and abs(2 * (self.y - other.y) + self.height - other.height)
            < self.height + other.height
        )


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line with an arrow head at its end. `address`: the page of its ruling."""

    x1: float
    y1: float
    x2: float
    y2: float
    tone: str = "plain"
    address: str = ""

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

    def distance(self, x: float, y: float) -> float:
        """From a point, in pixels."""
        along = (x - self.x1) * (self.x2 - self.x1) + (y - self.y1) * (self.y2 - self.y1)
        nearest = self.at(min(max(along / self.length**2, 0), 1))
        return hypot(x - nearest[0], y - nearest[1])


@dataclass(frozen=True, slots=True)
class CardPicture:
    """A card with its centre; `position`: upright, sideways or face-down."""

    x: float
    y: float
    position: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Caption:
    """A text with its tone, and the address of its ruling's page if it has one."""

    text: str
    address: str = ""
    tone: str = "plain"


@dataclass(slots=True)
class Drawing:
    """A diagram in one language.

    `legend`: what the numbers of `badges` mean, from 1, each with the states that it leads between.
    `limits`: the lines across bars: x, the upper and the lower end. `lanes`: each with its notes,
    in order if `numbered`. `addresses`: of all rulings that it links.
    """

    id: str
    lang: str
    title: str
    description: str = ""
    height: float = 0
    boxes: list[Box] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)
    badges: list[Box] = field(default_factory=list)
    cards: list[CardPicture] = field(default_factory=list)
    limits: list[tuple[float, float, float]] = field(default_factory=list)
    legend: list[tuple[str, Caption]] = field(default_factory=list)
    lanes: list[tuple[Caption, list[Caption]]] = field(default_factory=list)
    columns: list[Caption] = field(default_factory=list)
    rows: list[list[Caption]] = field(default_factory=list)
    numbered: bool = False
    addresses: set[str] = field(default_factory=set)
    width: int = WIDTH


def draw(diagram: Diagram, lang: str, address_of: AddressOf) -> Drawing:
    """Draw a diagram in a language; `address_of` returns the page of a ruling, or an empty text."""
    return _Painter(diagram, lang, address_of).drawing


class _Painter:
    def __init__(self, diagram: Diagram, lang: str, address_of: AddressOf) -> None:
        self._diagram, self._lang, self._address_of = diagram, lang, address_of
        self.drawing = Drawing(diagram.id, lang, self._text(diagram.title))
        self.drawing.numbered = diagram.kind == "steps"
        painters = {
            "steps": self._lanes,
            "lanes": self._lanes,
            "states": self._states,
            "bars": self._bars,
            "table": self._table,
        }
        self.drawing.description = " ".join(painters[diagram.kind]())

    def _text(self, texts: Mapping[str, str]) -> str:
        return text_in(texts, self._lang)

    def _cell(self, part: Labelled | str) -> Caption:
        if isinstance(part, str):
            return Caption(part)
        address = self._address_of(part.ruling) if part.ruling else ""
        self.drawing.addresses |= {address} - {""}
        return Caption(self._text(part.label), address, part.tone)

    def _box(self, part: Labelled, x: float, width: float, role: str) -> Box:
        """Add a box for a part below all that is drawn."""
        cell, top = self._cell(part), self.drawing.height
        lines = wrapped(cell.text, width - 2 * PADDING)
        height = len(lines) * LINE + 2 * PADDING
        box = Box(x, top, width, height, lines, role, cell.tone, cell.address)
        self.drawing.boxes.append(box)
        self.drawing.height += height
        return box

    def _lanes(self) -> Iterator[str]:
        self.drawing.lanes = [
            (self._cell(lane), [*map(self._cell, lane.notes)])
            for lane in self._diagram.steps or self._diagram.lanes
        ]
        return iter(())

    def _states(self) -> Iterator[str]:
        """Boxes on a grid; the arrows have numbers, which the legend explains."""
        boxes = self._grid(self._diagram.states)
        numbers: dict[Caption, int] = {}
        origins: dict[Caption, dict[str, list[str]]] = defaultdict(dict)
        bundles: dict[frozenset[str], list[tuple[str, str, Caption]]] = defaultdict(list)
        for arrow in self._diagram.arrows:
            if arrow.origin == arrow.target or not {arrow.origin, arrow.target} <= boxes.keys():
                continue
            cell = self._cell(arrow)
            numbers.setdefault(cell, len(numbers) + 1)
            bundle = bundles[frozenset((arrow.origin, arrow.target))]
            bundle.append((arrow.origin, arrow.target, cell))
            origin, target = (" ".join(boxes[key].lines) for key in (arrow.origin, arrow.target))
            origins[cell].setdefault(target, []).append(origin)
            yield f"{origin} → {target}: {cell.text}."
        lines = [line for bundle in bundles.values() for line in _side_by_side(bundle, boxes)]
        strokes = _spread([stroke for stroke, _ in lines], boxes.values())
        self.drawing.strokes = strokes
        for stroke, (_, cell) in zip(strokes, lines, strict=True):
            others = [other for other in strokes if other is not stroke]
            covered = [*boxes.values(), *self.drawing.badges]
            self.drawing.badges.append(_number(str(numbers[cell]), stroke, others, covered))
        self.drawing.legend = [
            ("; ".join(f"{' / '.join(some)} → {target}" for target, some in ends.items()), cell)
            for cell, ends in origins.items()
        ]

    def _grid(self, states: Sequence[State]) -> dict[str, Box]:
        columns = max((state.column for state in states), default=1)
        pitch = (WIDTH + _COLUMN_GAP) / columns
        width = pitch - _COLUMN_GAP
        boxes: dict[str, Box] = {}
        for row in sorted({state.row for state in states}):
            cells = {state.id: state for state in states if state.row == row}
            lines = {
                key: wrapped(self._cell(state).text, (width - 2 * PADDING) / _BOLD, balanced=True)
                for key, state in cells.items()
            }
            above = _CARD if any(state.card for state in cells.values()) else 0
            height = above + max(map(len, lines.values())) * LINE + 2 * PADDING
            top = self.drawing.height + (_ROW_GAP if boxes else 0)
            for key, state in cells.items():
                left = (state.column - 1) * pitch
                address, space = self._cell(state).address, above if state.card else 0
                boxes[key] = Box(
                    left, top, width, height, lines[key], "state", state.tone, address, space
                )
                if state.card:
                    x, y = left + width / 2, top + PADDING + _CARD / 2 - 1
                    self.drawing.cards.append(CardPicture(x, y, state.card, state.tokens))
            self.drawing.height = top + height
        self.drawing.boxes += boxes.values()
        return boxes

    def _bars(self) -> Iterator[str]:
        """A bar below the other, each with its label above and its parts explained below."""
        longest = max(sum(part.value for part in bar.segments) for bar in self._diagram.bars)
        unit = WIDTH / max(longest, *(limit.value for limit in self._diagram.limits), 1)
        for limit in self._diagram.limits:
            x = limit.value * unit
            width = max(2 * min(x, WIDTH - x), WIDTH / 3)
            self._box(limit, min(max(x - width / 2, 0), WIDTH - width), width, "limit")
            yield f"{limit.value}: {self._cell(limit).text}."
        explained: set[tuple[str, str]] = set()
        for number, bar in enumerate(self._diagram.bars):
            self.drawing.height += 14 if number else 0
            self._box(bar, 0, WIDTH, "label")
            self._segments(bar.segments, unit)
            for part in bar.segments:
                key = part.tone, self._cell(part).text
                if key in explained:
                    continue
                explained.add(key)
                swatch = Box(0, self.drawing.height + 9, 14, 14, (), "segment", part.tone)
                self.drawing.boxes.append(swatch)
                self._box(part, 14 + PADDING, WIDTH - 14 - PADDING, "label")
            labels = (f"{part.value} – {self._cell(part).text}" for part in bar.segments)
            yield f"{self._cell(bar).text}: {'; '.join(labels)}."

    def _segments(self, segments: Sequence[Segment], unit: float) -> None:
        """Add the boxes of a bar; short segments count its units from the left."""
        before, top, height = 0, self.drawing.height, LINE + 2 * PADDING
        for part in segments:
            squares = part.value if part.value <= _COUNTED else 1
            width = part.value * unit / squares
            for square in range(squares):
                left = before * unit + square * width
                text = str(before + square + 1 if squares == part.value else part.value)
                box = Box(left, top, width, height, (text,), "segment", part.tone)
                self.drawing.boxes.append(box)
            before += part.value
        for limit in self._diagram.limits:
            self.drawing.limits.append((limit.value * unit, top - PADDING, top + height + PADDING))
        self.drawing.height = top + height

    def _table(self) -> Iterator[str]:
        self.drawing.columns = [self._cell(column) for column in self._diagram.columns]
        self.drawing.rows = [
            [self._cell(row), *map(self._cell, row.cells)] for row in self._diagram.rows
        ]
        return iter(())


def wrapped(text: str, width: float, balanced: bool = False) -> tuple[str, ...]:
    """The lines of a text, by estimate within so many pixels.

    `balanced`: about as long as each other, for centred text.
    """
    letter = _CYRILLIC if any("\u0400" <= char <= "\u04ff" for char in text) else _LATIN
    letters = max(int(width / letter), 4)
    lines = textwrap.wrap(text, letters)
    word = max(map(len, text.split()), default=letters)
    while (
        balanced
        and letters > word
        and len(shorter := textwrap.wrap(text, letters - 1)) == len(lines)
    ):
        lines, letters = shorter, letters - 1
    return tuple(lines)


def _side_by_side(
    bundle: list[tuple[str, str, Caption]], boxes: Mapping[str, Box]
) -> Iterator[tuple[Stroke, Caption]]:
    """The lines between two states, of which those of one direction are beside each other."""
    first = bundle[0][0]
    lanes = sorted(bundle, key=lambda lane: lane[0] == first)
    least = min(min(boxes[key].width, boxes[key].height) for key in bundle[0][:2])
    apart = min(_LANE, 0.8 * least / max(len(lanes) - 1, 1))
    for at, (origin, target, cell) in enumerate(lanes):
        shift = (at - (len(lanes) - 1) / 2) * apart
        ends = _between(boxes[origin], boxes[target], shift if origin == first else -shift)
        yield Stroke(*ends, cell.tone, cell.address), cell


def _spread(strokes: Sequence[Stroke], boxes: Iterable[Box]) -> list[Stroke]:
    """Move the ends of lines at each side of a box apart, in the order of their directions."""
    ends = [([line.x1, line.y1], [line.x2, line.y2]) for line in strokes]
    both = [*ends, *((target, origin) for origin, target in ends)]
    for box in boxes:
        for axis, low, size, across, depth in (
            (0, box.x, box.width, box.y, box.height),
            (1, box.y, box.height, box.x, box.width),
        ):
            for level in (across, across + depth):
                centre = [low + size / 2, across + depth / 2]
                here = [
                    (atan2(far[axis] - centre[0], abs(far[1 - axis] - centre[1])), end)
                    for end, far in both
                    if abs(end[1 - axis] - level) < 0.1 and low <= end[axis] <= low + size
                ]
                here.sort()
                least, most = low + PADDING, low + size - PADDING
                gap = min(_END, (most - least) / max(len(here) - 1, 1))
                for _, end in here:
                    end[axis] = least = max(end[axis], least)
                    least += gap
                for _, end in reversed(here):
                    end[axis] = most = min(end[axis], most)
                    most -= gap
    return [
        replace(line, x1=x1, y1=y1, x2=x2, y2=y2)
        for line, ((x1, y1), (x2, y2)) in zip(strokes, ends, strict=True)
    ]


def _number(text: str, stroke: Stroke, others: Sequence[Stroke], boxes: Sequence[Box]) -> Box:
    """The number of a line, where it covers no box and has room among the other lines."""
    width, height = 19 + 7 * len(text), 24

    def at(share: float) -> Box:
        x, y = stroke.at(share)
        corner = x - width / 2, y - height / 2
        return Box(*corner, width, height, (text,), "number", stroke.tone, stroke.address)

    def room(share: float) -> tuple[bool, float]:
        number, centre = at(share), stroke.at(share)
        is_free = not any(number.covers(box) for box in boxes)
        return is_free, min((_APART, *(line.distance(*centre) for line in others)))

    return at(max(_PLACES, key=room))


def _between(origin: Box, target: Box, shift: float) -> tuple[float, float, float, float]:
    """The ends of the line from box to box, moved aside by `shift` to leave the way back room."""
    x1, y1 = origin.x + origin.width / 2, origin.y + origin.height / 2
    x2, y2 = target.x + target.width / 2, target.y + target.height / 2
    length = Stroke(x1, y1, x2, y2).length
    aside, down = -(y2 - y1) / length * shift, (x2 - x1) / length * shift
    line = Stroke(x1 + aside, y1 + down, x2 + aside, y2 + down)
    back = Stroke(line.x2, line.y2, line.x1, line.y1)
    return *line.at(_leaving(line, origin)), *back.at(_leaving(back, target))


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
