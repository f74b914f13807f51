"""Words in running text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import repeat
from operator import add
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


def placed(words: Sequence[str], text: str) -> list[Token]:
    """The tokens of a text whose words, all of them in order, are known already."""
    starts, place = [], 0
    for word in words:
        # Between two words stands no letter: where a word first occurs is its position.
        place = text.find(word, place)
        starts.append(place)
        place += len(word)
    ends = map(add, starts, map(len, words))
    # Thousands of texts have a million words: no Python function is called for each.
    return list(map(tuple.__new__, repeat(Token), zip(starts, ends, words, strict=True)))


def words_of(text: str) -> list[str]:
    """The words of a text without their positions."""
    return WORD.findall(text)


def parts(word: str) -> tuple[str, ...]:
    """The pieces of a hyphenated word, first joined: `R2-D2` -> R2D2, R2, D2.

    Empty for other words.
    """
    if word.isalnum():
        return ()
    pieces = [piece for piece in _HYPHEN.split(word) if piece]
    return ("".join(pieces), *pieces) if len(pieces) > 1 else ()


def owner(word: str) -> str:
    """The owner in a possessive (Sidious's, Vader’s -> Sidious, Vader); else the word."""
    return word[:-2] if len(word) > 3 and word[-1] == "s" and word[-2] in APOSTROPHES else word
