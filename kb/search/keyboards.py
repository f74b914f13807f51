"""Reads queries typed on another keyboard: another layout, the digit row, Latin for Cyrillic.

Each keyboard gives a reading of the query, piece by piece. The reading with the most known words
wins, if they are clearly more than those of the query as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, product
from typing import Literal

from kb.language import LANGUAGES, FormTable, words_of
from kb.language.base import digit_row, script_keys
from kb.search.expansion import is_familiar

SWAP = str.maketrans(dict(zip("yzYZ", "zyZY", strict=True)))
MAX_SPELLINGS = 64
# The weight of a word of fewer than SHORT letters, which may be known by chance.
SHORT, SHORT_WEIGHT = 4, 0.4
# Marks at the end of a piece that may not belong to it.
END_MARKS = ".,?!;:"
# Queries with such marks, or of more pieces, are never read otherwise.
MEANT_MARKS, MAX_PIECES = '"„“”«»*', 60
# A reading must know more than the query as typed: by this part of the query's weight, at most by
# the weight of this many words.
BETTER_PART, BETTER_MOST = 0.5, 1.0


@dataclass(frozen=True)
class Keyboard:
    """A way to read a query as words of some languages.

    `kind`: `layout`, letters by the `table` of another layout; `swapped`, y and z exchanged, and a
    digit row read by the `table` in pieces that are no numbers; `sounds`, Latin letters as those of
    another script, each sound with its alternatives. `whole`: unknown words are changed as well.
    """

    languages: tuple[str, ...]
    kind: Literal["layout", "swapped", "sounds"]
    table: Mapping[int, str] = field(default_factory=dict)
    sounds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    whole: bool = False

    def read(self, piece: str) -> Iterator[str]:
        """Yield the readings of a piece, the likeliest first."""
        bare = piece.rstrip(END_MARKS)
        if self.kind == "sounds":
            yield from _spellings(piece, self.sounds)
        elif self.kind == "layout":
            # A comma or a full stop at the end may be meant.
            yield piece.translate(self.table)
            if bare != piece:
                yield bare.translate(self.table)
        else:
            yield piece.translate(SWAP)
            if self.table and not piece.isdigit():
                yield bare.translate(self.table)
                yield bare.translate(self.table).translate(SWAP)


def _spellings(piece: str, sounds: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield the words that Latin letters may stand for, the plainest first."""
    bare = piece.lower().strip(END_MARKS + '"()')
    heard = _sound(tuple(sounds)).findall(bare)
    if "".join(heard) == bare and heard:
        spellings = product(*(sounds[sound] for sound in heard))
        yield from ("".join(letters) for letters in islice(spellings, MAX_SPELLINGS))


@cache
def _sound(sounds: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, sounds), key=len, reverse=True)))


def _keyboards() -> Iterator[Keyboard]:
    """Yield the keyboards that the languages declare."""
    scripts = {code: script_keys(language.keyboard) for code, language in LANGUAGES.items()}
    latin = tuple(code for code, keys in scripts.items() if not keys)
    rows = {code: str.maketrans(digit_row(LANGUAGES[code].keyboard)) for code in latin}
    yield Keyboard(tuple(code for code, row in rows.items() if not row), "swapped")
    yield from (Keyboard((code,), "swapped", row) for code, row in rows.items() if row)
    for code, row in rows.items():
        others = tuple(sister.code for sister in LANGUAGES[code].sisters)
        if row and others:
            yield Keyboard(others, "swapped", row)
    for code, keys in scripts.items():
        if keys:
            yield Keyboard((code,), "layout", str.maketrans(keys), whole=True)
            typed = {letter: key for key, letter in keys.items()}
            yield Keyboard(latin, "layout", str.maketrans(typed), whole=True)
    for code, language in LANGUAGES.items():
        if language.latin_spellings:
            yield Keyboard((code,), "sounds", sounds=language.latin_spellings, whole=True)


KEYBOARDS = tuple(_keyboards())


class KeyboardReader:
    """Reads queries as if they were typed on another keyboard, in one of some languages."""

    def __init__(self, table: FormTable, languages: Sequence[str]) -> None:
        self.table, self.languages = table, languages

    def read(self, text: str) -> str | None:
        """The likeliest reading of a query; None for the query as typed."""
        pieces = text.split()
        if (
            not pieces
            or not self.languages
            or any(mark in text for mark in MEANT_MARKS)
            or len(pieces) > MAX_PIECES
        ):
            return None
        typed = [max(self._known(piece, lang) for lang in self.languages) for piece in pieces]
        weights = [SHORT_WEIGHT if len(piece) < SHORT else 1.0 for piece in pieces]
        known = _weighted(typed, weights)
        best, most = None, known + min(BETTER_MOST, BETTER_PART * sum(weights))
        if sum(weights) <= most:
            return None
        for keyboard in KEYBOARDS:
            for lang in keyboard.languages:
                if lang in self.languages:
                    read, score = self._reading(pieces, typed, weights, keyboard, lang)
                    if score > most and read != pieces:
                        best, most = read, score
        return " ".join(best) if best else None

    def _reading(
        self,
        pieces: Sequence[str],
        typed: Sequence[float],
        weights: Sequence[float],
        keyboard: Keyboard,
        lang: str,
    ) -> tuple[list[str], float]:
        """The pieces read on a keyboard, and their known weight in a language.

        Words known as typed, such as names, may stay.
        """
        read, known = [], []
        for piece, anywhere in zip(pieces, typed, strict=True):
            as_typed = self._known(piece, lang)
            spelling, value = piece, as_typed
            if keyboard.whole and not anywhere:
                spelling = next(keyboard.read(piece), piece)
            for other in () if as_typed == 1 else keyboard.read(piece):
                if self._known(other, lang) > value:
                    spelling, value = other, self._known(other, lang)
                    break
            read.append(spelling)
            known.append(value)
        return read, _weighted(known, weights)

    def _known(self, piece: str, lang: str) -> float:
        """1 if a language knows all words of a piece, else 0."""
        words = words_of(piece)
        if not words:
            return 0.0
        return 1.0 if all(is_familiar(word, lang, self.table) for word in words) else 0.0


def _weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True))
