"""Hints for unknown ids, in a time independent of the number of ids."""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections.abc import Iterable

_MAX_HINTS = 3
# The least share of equal letters (`difflib`) for a hint.
_MIN_SIMILARITY = 0.7
# Neighbours that are compared in each order; each takes about 20 microseconds.
_NEIGHBOURS = 60
_MAX_LENGTH = 100


class SimilarIds:
    """Ids in alphabetical order, also of their reversed texts.

    A typing slip leaves the beginning or the end of an id right, so the right id is a neighbour.
    """

    def __init__(self, ids: Iterable[str]) -> None:
        self._forwards = sorted(ids)
        self._backwards = sorted(text[::-1] for text in self._forwards)

    def did_you_mean(self, unknown: str) -> str:
        """Return a sentence with the most similar ids; empty without any."""
        similar = self.similar(unknown, _MAX_HINTS)
        return f" Did you mean {', '.join(similar)}?" if similar else ""

    def did_you_mean_or_known(self, unknown: str) -> str:
        """Return a sentence with the most similar ids, else with all; for short lists."""
        return self.did_you_mean(unknown) or f" Known: {', '.join(self._forwards) or 'none'}."

    def similar(self, unknown: str, most: int) -> list[str]:
        """Return the most similar ids, the nearest first."""
        unknown = unknown[:_MAX_LENGTH]
        near = _neighbours(self._forwards, unknown)
        near += [text[::-1] for text in _neighbours(self._backwards, unknown[::-1])]
        near = [text for text in dict.fromkeys(near) if len(text) <= 2 * _MAX_LENGTH]
        return difflib.get_close_matches(unknown, near, most, _MIN_SIMILARITY)


def _neighbours(ordered: list[str], unknown: str) -> list[str]:
    """Return the neighbours of an unknown id and of its beginnings, nearest first."""
    near: dict[str, None] = {}
    for text in (unknown, unknown[: 2 * len(unknown) // 3], unknown[: len(unknown) // 3]):
        place = bisect_left(ordered, text)
        near.update(
            dict.fromkeys(ordered[max(0, place - _NEIGHBOURS // 6) : place + _NEIGHBOURS // 6])
        )
    return list(near)
