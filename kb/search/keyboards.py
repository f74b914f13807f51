"""Queries typed on another keyboard: another layout, the digit row, Latin for other letters.

Each reading of a query changes it piece by piece; the one that makes most pieces known words of its
language is taken, and only where it knows clearly more than the query as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import islice, product
from typing import Literal

from kb.language import LANGUAGES, FormTable, fold, words_of
from kb.language.base import digit_row, script_keys
from kb.search.expansion import stop_words

SWAP = str.maketrans(dict(zip("yzYZ", "zyZY", strict=True)))
MAX_SPELLINGS = 64
# A word of fewer letters counts less: it may be known by chance.
SHORT, SHORT_WEIGHT = 4, 0.4
# What may end a piece of a query and not belong to it.
END_MARKS = ".,?!;:"
# Queries with such marks, or of more pieces, mean what they say.
MEANT_MARKS, MAX_PIECES = '"„“”«»*', 60
# A reading must know so much more than the query as typed: a part of its weight, at most the
# weight of so many words.
BETTER_PART, BETTER_MOST = 0.5, 1.0


@dataclass(frozen=True)
class Keyboard:
    """A way to read a query, for the languages that it gives words of.

    `kind`: letters of a `layout`; letters z and y `swapped`, and those of the `table` of a digit
    row where there are letters beside them; the `sounds` of another script in Latin letters, each
    with what it may stand for. `whole`: it changes unknown words as well.
    """

    languages: tuple[str, ...]
    kind: Literal["layout", "swapped", "sounds"]
    table: Mapping[int, str] = field(default_factory=dict)
    sounds: Mapping[str, Sequence[str]] = field(default_factory=dict)
    whole: bool = False

    def read(self, piece: str) -> Iterator[str]:
        """What a piece of a query may mean, the likeliest first."""
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
    """The words that Latin letters may stand for, the plainest first."""
    bare = piece.lower().strip(END_MARKS + '"()')
    heard = _sound(tuple(sounds)).findall(bare)
    if "".join(heard) == bare and heard:
        spellings = product(*(sounds[sound] for sound in heard))
        yield from ("".join(letters) for letters in islice(spellings, MAX_SPELLINGS))


@cache
def _sound(sounds: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(sorted(map(re.escape, sounds), key=len, reverse=True)))


def _keyboards() -> Iterator[Keyboard]:
    """The ways to read a query that the languages' own keyboards and spellings give."""
    scripts = {code: script_keys(one.keyboard) for code, one in LANGUAGES.items()}
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
    """Reads queries as if they were typed on another keyboard.

    `languages`: those that may be meant.
    """

    def __init__(self, table: FormTable, languages: Sequence[str]) -> None:
        self.table, self.languages = table, languages

    def read(self, text: str) -> str | None:
        """What a query most likely means, or None where it means what it says."""
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
        """The pieces read on a keyboard, and how much of them is known in a language.

        A name may stay as it was typed.
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
        """What part of the words of a piece a language knows."""
        words = words_of(piece)
        if not words:
            return 0.0
        stop = stop_words(lang)
        known = sum(fold(word) in stop or self.table.known(word, lang) for word in words)
        return known / len(words) if len(words) == 1 or known == len(words) else 0.0


def _weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True))
