"""How far two spellings are apart, and whether one is a slip of the finger for the other."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Iterator
from functools import cache, reduce
from operator import or_

# Bits for the letters of a word.
_LETTER_BITS = 30
_UNDOUBLED = re.compile(r"(.)\1+")


def allowed(word: str) -> int:
    """The slips that a word may have: 1 up to 7 letters, 2 above; 0 below 4 or with a digit."""
    if len(word) < 4 or any(char.isdigit() for char in word):
        return 0
    return 1 if len(word) <= 7 else 2


def distance(word: str, other: str, most: int) -> int:
    """The optimal string alignment distance of two words, at most `most + 1`.

    That is the Levenshtein distance with a swap of neighbours as one edit.
    """
    if abs(len(word) - len(other)) > most:
        return most + 1
    if word == other:
        return 0
    # A common beginning or end needs no edits.
    word, other = _differing(word, other)
    if not word or not other:
        return len(word) + len(other)
    before_last: list[int] = []
    last = list(range(len(other) + 1))
    for row, char in enumerate(word, 1):
        # Cells farther from the diagonal need too many edits.
        current = [most + 1] * (len(other) + 1)
        current[0] = row
        for column in range(max(1, row - most), min(len(other), row + most) + 1):
            theirs = other[column - 1]
            if char == theirs:
                edits = last[column - 1]
            else:
                edits = 1 + min(last[column], current[column - 1], last[column - 1])
                if row > 1 and column > 1 and char == other[column - 2] and word[row - 2] == theirs:
                    edits = min(edits, before_last[column - 2] + 1)
            current[column] = edits
        if min(current) > most and (not before_last or min(last) > most):
            return most + 1
        before_last, last = last, current
    return min(last[-1], most + 1)


def _differing(word: str, other: str) -> tuple[str, str]:
    """Two different words without their common beginning and end."""
    shorter = min(len(word), len(other))
    start = 0
    while start < shorter and word[start] == other[start]:
        start += 1
    end, shorter = 0, shorter - start
    while end < shorter and word[-1 - end] == other[-1 - end]:
        end += 1
    return word[start : len(word) - end], other[start : len(other) - end]


class ComparedWords:
    """The words that a mistyped word may mean, by length."""

    def __init__(self, words: Iterable[str], corpus: Collection[str]) -> None:
        """`corpus`: the words that the texts have."""
        self.corpus = frozenset(corpus)
        self._by_length: dict[int, list[str]] = {}
        for word in words:
            self._by_length.setdefault(len(word), []).append(word)
        self._letters: dict[int, array[int]] = {}

    def near(self, word: str, most: int) -> Iterator[tuple[str, int]]:
        """Yield the words at most `most` edits away, and their distances."""
        bits, differing = _letter_bits(word), 2 * most
        for length in range(len(word) - most, len(word) + most + 1):
            words = self._by_length.get(length, [])
            letters = self._letters.get(length)
            if letters is None:
                letters = self._letters[length] = array("I", map(_letter_bits, words))
            # An edit changes two letters at most.
            for place, others in enumerate(letters):
                if (bits ^ others).bit_count() <= differing:
                    apart = distance(word, words[place], most)
                    if apart <= most:
                        yield words[place], apart


@cache
def _bit_of(letter: str) -> int:
    """A bit for a letter; letters may share one."""
    return 1 << ord(letter) % _LETTER_BITS


def _letter_bits(word: str) -> int:
    """The letters of a word as bits."""
    return reduce(or_, map(_bit_of, word), 0)


def is_slip(word: str, other: str) -> bool:
    """Whether a folded word is a slip of the finger for another, rather than a different word.

    Slips are swapped neighbours, wrongly doubled or single letters, and one letter too many or too
    few inside the word. A replaced letter, another first or last letter make a different word:
    przytrzymać is not a slip of przetrzymać.
    """
    typed, meant = _UNDOUBLED.sub(r"\1", word), _UNDOUBLED.sub(r"\1", other)
    if word == other or typed[:1] != meant[:1]:
        return False
    if len(typed) == len(meant):
        at = 1
        while at < len(typed):
            if typed[at] == meant[at]:
                at += 1
            elif typed[at : at + 2] == meant[at : at + 2][::-1]:
                at += 2
            else:
                return False
        return True
    longer, shorter = sorted((typed, meant), key=len, reverse=True)
    return any(longer[:at] + longer[at + 1 :] == shorter for at in range(1, len(longer) - 1))
