"""Completion of names by a prefix of any of their words."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from kb.core.invisible import clean_typed
from kb.language import fold, tokenize

K = TypeVar("K")


class PrefixIndex(Generic[K]):
    """Names with their keys, found whatever the case and the diacritics of what is typed."""

    def __init__(self, names: Iterable[tuple[str, K]]) -> None:
        rows = []
        for name, key in names:
            folded = fold(name)
            starts = dict.fromkeys([0, *(token.start for token in tokenize(folded))])
            rows += [
                (folded[start:], bool(start), len(folded), number, key)
                for number, start in enumerate(starts)
            ]
        rows.sort(key=lambda row: row[:4])
        self._suffixes = [row[0] for row in rows]
        self._rows = rows

    def complete(
        self, typed: str, limit: int, accept: Callable[[K], bool] = lambda key: True
    ) -> list[K]:
        """Return the keys of matching names: matches at the start first, then shorter names."""
        folded = fold(clean_typed(typed))
        if not folded:
            return []
        position = bisect_left(self._suffixes, folded)
        matches: list[tuple[bool, int, str, K]] = []
        while position < len(self._rows) and self._suffixes[position].startswith(folded):
            suffix, inner, length, _, key = self._rows[position]
            if accept(key):
                matches.append((inner, length, suffix, key))
            position += 1
        matches.sort(key=lambda match: match[:3])
        return list(dict.fromkeys(match[3] for match in matches))[:limit]
