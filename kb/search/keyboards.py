"""Queries typed on another keyboard: another layout, the digit row, Russian in Latin letters.

Each reading of a query changes it piece by piece; the one that makes most pieces known words of its
language is taken, and only where it knows clearly more than the query as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Literal

from kb.language import LANGUAGES, FormTable, fold, words_of
from kb.language.keyboards import digit_row
from kb.search.expansion import stop_words

_LATIN = "`qwertyuiop[]asdfghjkl;'zxcvbnm,.~QWERTYUIOP{}ASDFGHJKL:\"ZXCVBNM<>"
_CYRILLIC = "ёйцукенгшщзхъфывапролджэячсмитьбюЁЙЦУКЕНГШЩЗХЪФЫВАПРОЛДЖЭЯЧСМИТЬБЮ"
_TO_CYRILLIC = str.maketrans(_LATIN, _CYRILLIC)
_TO_LATIN = str.maketrans(_CYRILLIC, _LATIN)
SWAP = str.maketrans("yzYZ", "zyZY")
# Russian sounds in Latin letters, the longest first, each with the letters that it may stand for.
SOUNDS = {
    "shch": ("щ",), "sch": ("щ",), "kh": ("х",), "zh": ("ж",), "ts": ("ц", "тс"), "tz": ("ц",),
    "ch": ("ч",), "sh": ("ш",), "yu": ("ю",), "ju": ("ю",), "iu": ("ю", "иу"), "ya": ("я",),
    "ja": ("я",), "ia": ("ия", "я"), "yo": ("е",), "jo": ("е",), "ye": ("е",), "je": ("е",),
    "iy": ("ий",), "yy": ("ый",), "ij": ("ий",), "yj": ("ый",), "a": ("а",), "b": ("б",),
    "c": ("ц", "к"), "d": ("д",), "e": ("е", "э"), "f": ("ф",), "g": ("г",), "h": ("х",),
    "i": ("и", "й"), "j": ("й", "ж"), "k": ("к",), "l": ("л", "ль"), "m": ("м",), "n": ("н",),
    "o": ("о",), "p": ("п",), "q": ("к",), "r": ("р",), "s": ("с",), "t": ("т", "ть"),
    "u": ("у",), "v": ("в",), "w": ("в", "ш"), "x": ("х", "кс"), "y": ("ы", "й"), "z": ("з",),
    "4": ("ч",), "6": ("ш",), "'": ("ь", "ъ"), "’": ("ь", "ъ"), "`": ("ь",),
}  # fmt: skip
_SOUND = re.compile("|".join(sorted(map(re.escape, SOUNDS), key=len, reverse=True)))
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
    row where there are letters beside them; the `sounds` of Russian in Latin letters. `whole`: it
    changes unknown words as well.
    """

    languages: tuple[str, ...]
    kind: Literal["layout", "swapped", "sounds"]
    table: Mapping[int, int] = field(default_factory=dict)
    whole: bool = False

    def read(self, piece: str) -> Iterator[str]:
        """What a piece of a query may mean, the likeliest first."""
        bare = piece.rstrip(END_MARKS)
        if self.kind == "sounds":
            yield from _transliterated(piece)
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


def _transliterated(piece: str) -> Iterator[str]:
    """The spellings of Russian in Latin letters, the plainest first."""
    bare = piece.lower().strip(END_MARKS + '"()')
    sounds = _SOUND.findall(bare)
    if "".join(sounds) == bare and sounds:
        spellings = product(*(SOUNDS[sound] for sound in sounds))
        yield from ("".join(letters) for letters in islice(spellings, MAX_SPELLINGS))


def _digit_row(lang: str) -> dict[int, int]:
    row = digit_row(LANGUAGES[lang].keyboard)
    return str.maketrans("".join(row), "".join(row.values()))


KEYBOARDS = (
    Keyboard(("pl", "en"), "swapped"),
    Keyboard(("sk",), "swapped", _digit_row("sk")),
    Keyboard(("cs", "sk"), "swapped", _digit_row("cs")),
    Keyboard(("ru",), "layout", _TO_CYRILLIC, whole=True),
    Keyboard(("en", "pl", "sk", "cs"), "layout", _TO_LATIN, whole=True),
    Keyboard(("ru",), "sounds", whole=True),
)


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
