"""Words in running text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import repeat
from operator import add
from typing import NamedTuple

APOSTROPHES = "'’‘ʼ`´"
HYPHENS = "‐‑-"
_LETTER = r"(?:[^\W_][\u0300-\u036f]*)"
_HYPHEN = re.compile(f"[{HYPHENS}]")
WORD = re.compile(rf"\d+(?:\.\d+)+(?![\w])|{_LETTER}+(?:[{APOSTROPHES}{HYPHENS}]{_LETTER}+)*")


class Token(NamedTuple):
    """A word and its place (code points)."""

    start: int
    end: int
    text: str


def tokenize(text: str) -> Iterator[Token]:
    """The words of a text in order: letters and digits; inner apostrophes and hyphens stay, `113.5` is one word."""
    for found in WORD.finditer(text):
        yield Token(found.start(), found.end(), found[0])


def placed(words: Sequence[str], text: str) -> list[Token]:
    """The words of a text, all of them in order, with their places: what `tokenize` gives, for words that are known already."""
    starts, place = [], 0
    for word in words:
        # Between two words stands no letter, so that the first place where a word is found is its own.
        place = text.find(word, place)
        starts.append(place)
        place += len(word)
    ends = map(add, starts, map(len, words))
    # Thousands of texts have a million words: no function of Python's is called for each.
    return list(map(tuple.__new__, repeat(Token), zip(starts, ends, words, strict=True)))


def words_of(text: str) -> list[str]:
    """The words alone."""
    return WORD.findall(text)


def parts(word: str) -> tuple[str, ...]:
    """A hyphenated word's pieces and, first, the pieces joined: `R2-D2` -> R2D2, R2, D2. Empty for other words."""
    pieces = [piece for piece in _HYPHEN.split(word) if piece]
    return ("".join(pieces), *pieces) if len(pieces) > 1 else ()
