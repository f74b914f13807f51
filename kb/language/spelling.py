"""How far two words are apart."""

from __future__ import annotations


def allowed(word: str) -> int:
    """How many slips a word may hold: none below 4 letters or with a digit, 1 up to 7 letters, 2 above."""
    if len(word) < 4 or any(char.isdigit() for char in word):
        return 0
    return 1 if len(word) <= 7 else 2


def distance(one: str, other: str, most: int) -> int:
    """The Damerau-Levenshtein distance (optimal string alignment: a swap of neighbours counts once), at most `most + 1`."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, char in enumerate(one, 1):
        here = [row] + [0] * len(other)
        for column, theirs in enumerate(other, 1):
            cost = char != theirs
            here[column] = min(last[column] + 1, here[column - 1] + 1, last[column - 1] + cost)
            if row > 1 and column > 1 and char == other[column - 2] and one[row - 2] == theirs:
                here[column] = min(here[column], before[column - 2] + 1)
        if min(here) > most and (not before or min(last) > most):
            return most + 1
        before, last = last, here
    return min(last[-1], most + 1)
