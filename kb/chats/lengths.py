"""Lengths as the chats count them, and texts cut to them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

ELLIPSIS = "…"


def length(text: str) -> int:
    """Return the length in UTF-16 code units, the largest of the counts that the chats use."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut(text: str, limit: int, escape: Callable[[str], str] = str) -> str:
    """Return a text, escaped, in at most `limit` units; what is cut ends with an ellipsis.

    `escape` never makes a text shorter, and the text is cut before it is escaped, so that no
    escape sequence is torn.
    """
    if len(text) <= limit and length(whole := escape(text)) <= limit:
        return whole
    sizes = range(min(len(text), limit) + 1)
    longest = bisect_right(sizes, limit - 1, key=lambda size: length(escape(text[:size]))) - 1
    return escape(text[: max(longest, 0)].rstrip()) + ELLIPSIS


def fitting(parts: Sequence[str], separator: str, limit: int) -> str:
    """Join as many parts as fit into `limit` units, an ellipsis in place of the others."""
    shown: list[str] = []
    for number, part in enumerate(parts, 1):
        following = [ELLIPSIS] if number < len(parts) else []
        if length(separator.join([*shown, part, *following])) > limit:
            return separator.join([*shown, ELLIPSIS])
        shown.append(part)
    return separator.join(shown)
