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
    """Return `ours` with the changes from `ancestor` to `theirs`; None for a conflict.

    Different changes of the same or adjacent lines are a conflict.
    """
    if theirs in (ancestor, ours):
        return ours
    if ours == ancestor:
        return theirs
    old = ancestor.split("\n")
    our_edits, their_edits = (_edits(old, text.split("\n")) for text in (ours, theirs))
    for edit in their_edits:
        if edit not in our_edits and any(_touch(edit, other) for other in our_edits):
            return None
    merged = list(old)
    for edit in sorted({*our_edits, *their_edits}, reverse=True):
        merged[edit.start : edit.stop] = edit.lines
    return "\n".join(merged)


def _edits(old: Sequence[str], new: Sequence[str]) -> list[_Edit]:
    codes = bounded_opcodes(old, new)
    return [_Edit(i1, i2, tuple(new[j1:j2])) for what, i1, i2, j1, j2 in codes if what != "equal"]


def _touch(edit: _Edit, other: _Edit) -> bool:
    return edit.start <= other.stop and other.start <= edit.stop
