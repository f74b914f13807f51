"""Three-way merge of texts, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kb.core.diff import bounded_opcodes


class _Edit(NamedTuple):
    """Replaces lines `start` to `stop` of the common ancestor by `lines`."""

    start: int
    stop: int
    lines: tuple[str, ...]


def merge(ancestor: str, ours: str, theirs: str) -> str | None:
    """Return `ours` with the changes from `ancestor` to `theirs`; None where both touch a place.

    Changes of adjacent lines touch each other, except that both may make the same change.
    """
    if theirs in (ancestor, ours):
        return ours
    if ours == ancestor:
        return theirs
    old = ancestor.split("\n")
    mine, other = (_edits(old, text.split("\n")) for text in (ours, theirs))
    for edit in other:
        if edit not in mine and any(_touch(edit, each) for each in mine):
            return None
    merged = list(old)
    for edit in sorted({*mine, *other}, reverse=True):
        merged[edit.start : edit.stop] = edit.lines
    return "\n".join(merged)


def _edits(old: Sequence[str], new: Sequence[str]) -> list[_Edit]:
    codes = bounded_opcodes(old, new)
    return [_Edit(i1, i2, tuple(new[j1:j2])) for what, i1, i2, j1, j2 in codes if what != "equal"]


def _touch(one: _Edit, other: _Edit) -> bool:
    return one.start <= other.stop and other.start <= one.stop
