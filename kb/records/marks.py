"""The card marks of a text: `[[Card]]`, `[[Card|words]]`, and `[[-|words]]` for no card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

MARK = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]|\n]{1,300}))?\]\]")
_NOT_A_CARD = "-"
_BRACKETS = re.compile(r"\[\[|\]\]")


class Mark(NamedTuple):
    """A card mark: its place in the text (code points), the card's label and the words shown."""

    start: int
    end: int
    label: str
    surface: str

    @property
    def is_card(self) -> bool:
        """Whether the mark names a card, unlike `[[-|words]]`."""
        return self.label != _NOT_A_CARD


def _mark(match: re.Match[str]) -> Mark:
    # In a table of Markdown a bar in a cell may be written with a backslash.
    label = (match[1].removesuffix("\\") if match[2] else match[1]).strip()
    return Mark(match.start(), match.end(), label, (match[2] or label).strip())


def find_marks(text: str) -> tuple[Mark, ...]:
    """Return the marks of a text in order."""
    return tuple(map(_mark, MARK.finditer(text))) if "[[" in text else ()


def mark_at(text: str, start: int) -> Mark | None:
    """Return the mark that begins at a place."""
    match = MARK.match(text, start)
    return _mark(match) if match else None


def broken_marks(text: str) -> Iterator[int]:
    """Yield the offsets of double brackets that belong to no whole mark."""
    blanked = MARK.sub(lambda match: " " * len(match[0]), text)
    for match in _BRACKETS.finditer(blanked):
        yield match.start()


def write_mark(label: str, surface: str) -> str:
    """Return a mark as Markdown."""
    return f"[[{label}]]" if label == surface else f"[[{label}|{surface}]]"


def plain_text(text: str) -> str:
    """Return a text with each mark replaced by the words it shows."""
    return MARK.sub(lambda match: _mark(match).surface, text) if "[[" in text else text
