"""How far two spellings are apart."""

from __future__ import annotations


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
