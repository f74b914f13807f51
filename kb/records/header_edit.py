"""Changes one key of a record's header; every other byte stays."""

from __future__ import annotations

import re
from collections.abc import Sequence


def with_header_key(text: str, key: str, values: Sequence[str] | dict[str, str]) -> str:
    """Return a record's text with a header key of these values.

    A list has one `- value` a line, a mapping `name: value` pairs.

    An entry that is there is replaced where it stands, a new one goes to the end of the header; no
    values take it out. Raises ValueError for a text without a header.
    """
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(newline)
    first = 0 if lines[0].removeprefix("\ufeff").rstrip() == "---" else -1
    last = next(
        (number for number, line in enumerate(lines) if number and line.rstrip() in ("---", "...")),
        -1,
    )
    if first < 0 or last < 0:
        raise ValueError("no header between two lines of ---")
    start = next(
        (at for at in range(first + 1, last) if re.match(rf"{re.escape(key)}\s*:", lines[at])), last
    )
    end = start
    if start < last:
        end += 1
        while end < last and re.match(r"\s+\S|\s*-\s", lines[end]):
            end += 1
    rows = (
        [f"  {name}: {value}" for name, value in values.items()]
        if isinstance(values, dict)
        else [f"  - {entry}" for entry in values]
    )
    return newline.join([*lines[:start], *([f"{key}:", *rows] if rows else []), *lines[end:]])
