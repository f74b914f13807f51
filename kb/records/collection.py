"""Collections: files with many short rulings, each after a line `=== id`.

    === 100001-lsj-19980302-2
    ---
    kind: ruling
    ...
    ---

    # en: Title

    Text.

Each ruling is written as in a file of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

MARK = "=== "
_MARK = re.compile(r"^=== ([^\r\n]*)\r?\n", re.MULTILINE)


@dataclass(frozen=True)
class CollectionItem:
    """A ruling of a collection; `start` is the place of its text, `offset` the lines before it."""

    id: str
    text: str
    start: int = 0
    offset: int = 0


def is_collection(data: bytes) -> bool:
    """Whether a file is a collection."""
    return data.removeprefix(b"\xef\xbb\xbf").startswith(MARK.encode())


def split_collection(text: str) -> Iterator[CollectionItem]:
    """Yield the rulings of a collection in their order."""
    lines = counted = 0
    mark = _MARK.search(text)
    while mark:
        following = _MARK.search(text, mark.end())
        end = following.start() if following else len(text)
        lines, counted = lines + text.count("\n", counted, mark.end()), mark.end()
        yield CollectionItem(mark[1].rstrip(" \t"), text[mark.end() : end], mark.end(), lines)
        mark = following


def replace_items(collection: str, texts: Mapping[str, str]) -> str:
    """Replace rulings of a collection by id; new rulings are added at its end.

    Raises ValueError, with the reason, for an id that occurs twice and for a text that would change
    other rulings.
    """
    items = list(split_collection(collection))
    ids = [item.id for item in items]
    if collection.strip() and not items:
        raise ValueError("it has no line `=== id`, so it is no collection")
    twice = next((name for name in texts if ids.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"`{MARK}{twice}` occurs twice; delete one of them")
    newline = "\r\n" if "\r\n" in collection else "\n"
    replaced, place = "", 0
    for item in items:
        if item.id in texts:
            space = item.text[len(item.text.rstrip()) :] or newline
            text = texts[item.id].rstrip().replace("\n", newline) + space
            replaced += collection[place : item.start] + text
            place = item.start + len(item.text)
    replaced += collection[place:]
    new_ids = [name for name in texts if name not in ids]
    for name in new_ids:
        if replaced:
            replaced = replaced.rstrip("\r\n") + newline * 2
        text = texts[name].rstrip().replace("\n", newline)
        replaced += f"{MARK}{name}{newline}{text}{newline}"
    if [item.id for item in split_collection(replaced)] != [*ids, *new_ids]:
        raise ValueError("it cannot be changed in one place only")
    return replaced
