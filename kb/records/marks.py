"""The curators' marks for cards in a text: `[[Card]]`, `[[Card|as it stands]]`, and `[[-|words]]` for what is not a card."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from kb.records.model import Ruling

_MARK = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|([^\[\]|\n]{1,300}))?\]\]")
NOT_A_CARD = "-"
_LOOSE = re.compile(r"\[\[|\]\]")


class Mark(NamedTuple):
    """One mark: its place in the text (code points), the card's label and the words shown."""

    start: int
    end: int
    card: str
    surface: str


def marks(text: str) -> Iterator[Mark]:
    """The card marks of a text, in order; marks that say that something is not a card are left out."""
    for found in _MARK.finditer(text) if "[[" in text else ():
        card = found[1].strip()
        if card == NOT_A_CARD:
            continue
        yield Mark(found.start(), found.end(), card, (found[2] or card).strip())


def broken_marks(text: str) -> Iterator[int]:
    """The offsets of double brackets that belong to no whole mark."""
    blanked = _MARK.sub(lambda found: " " * len(found[0]), text)
    for found in _LOOSE.finditer(blanked):
        yield found.start()


def ruling_cards(ruling: Ruling) -> dict[str, bool]:
    """The labels of a ruling's cards in order: those that it is about (True), then those that its texts mention (False)."""
    found = dict.fromkeys(ruling.header.about, True)
    for text in ruling.texts:
        for mark in marks(text.body):
            found.setdefault(mark.card, False)
    return found


def plain_text(text: str) -> str:
    """A text with each mark replaced by the words it shows."""
    return _MARK.sub(lambda found: (found[2] or found[1]).strip(), text) if "[[" in text else text
