"""Collections: files with many short rulings, each after a line `=== id`.

    === 100001-lsj-19980302-2
    ---
    kind: ruling
    ...
    ---

    # en: Title

    Text.

What follows the line is a ruling's file as any other; problems keep the lines of the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

MARK = "=== "
_MARK = re.compile(r"^=== ([^\r\n]*)\r?\n", re.MULTILINE)


@dataclass(frozen=True)
class CollectionItem:
    """One ruling of a collection: `offset` lines stand before its text."""

    id: str
    text: str
    offset: int


def is_collection(data: bytes) -> bool:
    """Whether a file is a collection."""
    return data.removeprefix(b"\xef\xbb\xbf").startswith(MARK.encode())


def split_collection(text: str) -> Iterator[CollectionItem]:
    """The rulings of a collection in their order."""
    marks = list(_MARK.finditer(text))
    lines = counted = 0
    for mark, following in zip_longest(marks, marks[1:]):
        end = following.start() if following else len(text)
        lines, counted = lines + text.count("\n", counted, mark.end()), mark.end()
        yield CollectionItem(mark[1].rstrip(" \t"), text[mark.end() : end], lines)


def join_collection(texts: Mapping[str, str]) -> str:
    """Rulings by id -> a collection."""
    return (
        "".join(f"{MARK}{name}\n{text.rstrip()}\n\n" for name, text in texts.items()).rstrip("\n")
        + "\n"
    )
