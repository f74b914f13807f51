"""Writes the rows of a provision as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from kb.ingest.common import literal
from kb.plugins.text.rows import Row

_LIST = re.compile(r"[-*+] +|\d{1,9}[.)] +")


def markdown(rows: Sequence[Row], is_markdown: bool) -> str:
    """Return rows as Markdown that shows the signs of a plain text; lists stay nested."""
    body = ""
    # Of the lists around a row: the column in the source, and where their texts begin.
    lists: list[tuple[int, int]] = []
    was_item = False
    for row, sign in zip(rows, _list_signs(rows, is_markdown), strict=True):
        while lists and lists[-1][0] >= row.column:
            lists.pop()
        indent = lists[-1][1] if lists else 0
        words = row.text if sign or row.kind in ("question", "answer") else row.raw.rstrip()
        words = words.replace("[[", "[ [").replace("]]", "] ]") if is_markdown else literal(words)
        margin = "\n" + " " * (indent + len(sign))
        body += ("\n" if was_item and sign else "\n\n") + " " * indent + sign
        body += words.replace("\n", margin)
        if sign:
            lists.append((row.column, indent + len(sign)))
        was_item = bool(sign)
    return body.strip("\n")


def _list_signs(rows: Sequence[Row], is_markdown: bool) -> Iterator[str]:
    """Yield the sign of each row that is a list item in Markdown, else an empty string.

    In a plain text, items have bullets, or numbers that count from 1.
    """
    numbers: dict[int, int] = {}
    for row in rows:
        own = row.raw.rstrip().removesuffix(row.text.rstrip())
        if is_markdown:
            yield own if _LIST.fullmatch(own) else ""
        elif row.kind == "item":
            yield "- "
        elif row.number == str(numbers.get(row.column, 0) + 1):
            numbers[row.column] = int(row.number)
            yield f"{row.number}. "
        else:
            yield ""
