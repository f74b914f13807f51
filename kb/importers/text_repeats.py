"""Text that a document has twice: paragraphs matched to the first of their kind by similarity."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher

from kb.importers.text_rows import Row
from kb.language import fold

# A paragraph this long is a repetition by itself; a shorter one only in a run of repetitions.
_ALONE = 160
_ALIKE = 0.9
_TRIED = 6


def mark_repeats(rows: Sequence[Row]) -> None:
    """Mark each paragraph that repeats an earlier one as a `repeat` of that one's line.

    Numbers must be equal, words nearly so.
    """
    solid = [row for row in rows if row.shape not in ("blank", "left")]
    matches = _matches(solid)
    sure: list[int | None] = [None] * len(solid)
    for at, other in enumerate(matches):
        beside = [matches[index] for index in (at - 1, at + 1) if 0 <= index < len(matches)]
        near = any(
            index is not None and other is not None and 0 < abs(index - other) <= 4
            for index in beside
        )
        if other is not None and (near or len(solid[at].text) >= _ALONE):
            # What is repeated may itself repeat: the first of all is meant.
            first = sure[other]
            sure[at] = other if first is None else first
    for row, other in zip(solid, sure, strict=True):
        if other is not None:
            row.shape, row.repeats = "repeat", solid[other].line


def _matches(solid: Sequence[Row]) -> list[int | None]:
    """Return for each paragraph the index of the earlier one that it repeats.

    Of several, the one after the last match comes first.
    """
    whole: dict[str, list[int]] = defaultdict(list)
    edges: dict[tuple[str, ...], list[int]] = defaultdict(list)
    matches: list[int | None] = []
    last = -1
    for at, row in enumerate(solid):
        key = " ".join(re.findall(r"\w+", fold(row.text)))
        words = key.split()
        exact = whole.get(key, [])
        after = bisect_right(exact, last)
        other = exact[after % len(exact)] if exact else None
        ends = [("^", *words[:3]), ("$", *words[-3:])] if len(words) >= 8 else []
        if other is None:
            tried = dict.fromkeys(
                candidate for end in ends for candidate in edges.get(end, ())[:_TRIED]
            )
            other = next(
                (candidate for candidate in tried if _alike(solid[candidate].text, row.text)), None
            )
        matches.append(other)
        last = last if other is None else other
        whole[key].append(at)
        for end in ends:
            edges[end].append(at)
    return matches


def _alike(first: str, second: str) -> bool:
    if re.findall(r"\d+", first) != re.findall(r"\d+", second):
        return False
    matcher = SequenceMatcher(None, fold(first).split(), fold(second).split(), autojunk=False)
    return (
        matcher.real_quick_ratio() >= _ALIKE
        and matcher.quick_ratio() >= _ALIKE
        and matcher.ratio() >= _ALIKE
    )
