"""Reads queries typed on another keyboard: y for z, another layout, Latin for Cyrillic.

Each keyboard gives a reading of the query, piece by piece. The reading with the most known words
wins, if they are clearly more than those of the query as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import compress, islice, product

from kb.language import LANGUAGES, FormTable, words_of
from kb.language.base import script_keys
from kb.search.expansion import is_familiar

_SWAP = str.maketrans(dict(zip("yzYZ", "zyZY", strict=True)))
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

    `table`: the letters of another layout. `sounds`, instead: Latin letters as those of another
    script, each sound with its alternatives. `whole`: unknown words are changed as well.
    """

    languages: tuple[str, ...]
    table: Mapping[int, str] = field(default_factory=dict)
    sounds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    whole: bool = False

    def read(self, piece: str) -> Iterator[str]:
        """Yield the readings of a piece, the likeliest first."""
        if self.sounds:
            yield from _spellings(piece, self.sounds)
            return
        yield piece.translate(self.table)
        # A comma or a full stop at the end may be meant.
        bare = piece.rstrip(END_MARKS)
        if bare != piece:
            yield bare.translate(self.table)


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
    latin = tuple(code for code, language in LANGUAGES.items() if not language.keyboard)
    yield Keyboard(latin, _SWAP)
    for code, language in LANGUAGES.items():
        if language.keyboard:
            keys = script_keys(language.keyboard)
            yield Keyboard((code,), str.maketrans(keys), whole=True)
            typed = {letter: key for key, letter in keys.items()}
            yield Keyboard(latin, str.maketrans(typed), whole=True)
    for code, language in LANGUAGES.items():
        if language.latin_spellings:
            yield Keyboard((code,), sounds=language.latin_spellings, whole=True)


KEYBOARDS = tuple(_keyboards())


def other_reading(text: str, table: FormTable, languages: Sequence[str]) -> str | None:
    """The likeliest reading of a query typed on another keyboard, in one of some languages.

    None for the query as typed.
    """
    pieces = text.split()
    if any(mark in text for mark in MEANT_MARKS) or len(pieces) > MAX_PIECES:
        return None

    def is_known(piece: str, lang: str) -> bool:
        words = words_of(piece)
        return bool(words) and all(is_familiar(word, lang, table) for word in words)

    def read(
        keyboard: Keyboard, lang: str, piece: str, is_known_anywhere: bool
    ) -> tuple[str, bool]:
        """A piece read on a keyboard, and whether it is known then; names may stay as typed."""
        for reading in (piece, *keyboard.read(piece)):
            if is_known(reading, lang):
                return reading, True
        is_changed = keyboard.whole and not is_known_anywhere
        return next(keyboard.read(piece), piece) if is_changed else piece, False

    known = [any(is_known(piece, lang) for lang in languages) for piece in pieces]
    weights = [SHORT_WEIGHT if len(piece) < SHORT else 1.0 for piece in pieces]
    best, most = None, sum(compress(weights, known))
    most += min(BETTER_MOST, BETTER_PART * sum(weights))
    if sum(weights) <= most:
        return None
    for keyboard in KEYBOARDS:
        for lang in (each for each in keyboard.languages if each in languages):
            readings = [read(keyboard, lang, *piece) for piece in zip(pieces, known, strict=True)]
            spellings, is_read = zip(*readings, strict=True)
            score = sum(compress(weights, is_read))
            if score > most and list(spellings) != pieces:
                best, most = " ".join(spellings), score
    return best
