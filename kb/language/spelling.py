"""How far two spellings are apart."""

from __future__ import annotations

import re

_UNDOUBLED = re.compile(r"(.)\1+")


def allowed(word: str) -> int:
    """How many slips a word may hold: 1 up to 7 letters, 2 above.

    None below 4 letters or with a digit.
    """
    if len(word) < 4 or any(char.isdigit() for char in word):
        return 0
    return 1 if len(word) <= 7 else 2


def distance(word: str, other: str, most: int) -> int:
    """The optimal string alignment distance of two words, at most `most + 1`.

    It is the Levenshtein distance with a swap of neighbours as one edit.
    """
    if abs(len(word) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, char in enumerate(word, 1):
        here = [row] + [0] * len(other)
        for column, theirs in enumerate(other, 1):
            cost = char != theirs
            here[column] = min(last[column] + 1, here[column - 1] + 1, last[column - 1] + cost)
            if row > 1 and column > 1 and char == other[column - 2] and word[row - 2] == theirs:
                here[column] = min(here[column], before[column - 2] + 1)
        if min(here) > most and (not before or min(last) > most):
            return most + 1
        before, last = last, here
    return min(last[-1], most + 1)


def is_slip(word: str, other: str) -> bool:
    """Whether a folded word is another with a slip of the finger, rather than a word of its own.

    Slips are neighbours swapped, a letter doubled or not, or else one letter too many or too few
    inside the word. Other letters, beginnings and endings make other words: przytrzymać is none
    for przetrzymać.
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
