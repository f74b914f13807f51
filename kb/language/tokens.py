"""Words in running text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

APOSTROPHES = "'’‘ʼ`´"
HYPHENS = "‐‑-"
# Letters and digits with the marks above and below them.
_LETTERS = r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*"
_HYPHEN = re.compile(f"[{HYPHENS}]")
WORD = re.compile(rf"\d+(?:\.\d+)+(?![\w])|{_LETTERS}(?:[{APOSTROPHES}{HYPHENS}]{_LETTERS})*")


class Token(NamedTuple):
    """A word and its position (code points)."""

    start: int
    end: int
    text: str


def tokenize(text: str) -> Iterator[Token]:
    """The words of a text in order.

    A word is letters and digits; inner apostrophes and hyphens stay, `113.5` is one word.
    """
    for match in WORD.finditer(text):
        yield Token(match.start(), match.end(), match[0])


def words_of(text: str) -> list[str]:
    """The words of a text without their positions."""
    return WORD.findall(text)


def parts(word: str) -> tuple[str, ...]:
    """The joined word and the pieces of a hyphenated one (R2-D2 -> R2D2, R2, D2); else empty."""
    if word.isalnum():
        return ()
    pieces = [piece for piece in _HYPHEN.split(word) if piece]
    return ("".join(pieces), *pieces) if len(pieces) > 1 else ()


def owner(word: str) -> str:
    """The owner in a possessive (Sidious's, Vader’s -> Sidious, Vader), else the word."""
    return word[:-2] if len(word) > 3 and word[-1] == "s" and word[-2] in APOSTROPHES else word
