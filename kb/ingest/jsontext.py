"""Reads the entries of a list in a JSON file, each with its line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kb.core.problems import KbError, posix_path
from kb.ingest.common import text_of

_DECODER = json.JSONDecoder()
_SEPARATORS = re.compile(r"[\s,]*")


class Entry(NamedTuple):
    """A value of a list, and the line in which it begins."""

    value: Any
    line: int


def text_under(value: Any, key: str) -> str:
    """Return the text under a key of an object; empty without one."""
    text = value.get(key) if isinstance(value, dict) else None
    return text.strip() if isinstance(text, str) else ""


def read_entries(path: Path, key: str = "") -> list[Entry]:
    """Return the entries of a file's list, or of the list under a key of its object.

    Raises KbError, with the line, for a file that is not JSON; the list is empty without one.
    """
    text, name = text_of(path), posix_path(path)
    try:
        json.loads(text)
        start = re.search(rf'\A\s*\{{[^\[\]{{}}]*?"{key}"\s*:\s*\[' if key else r"\A\s*\[", text)
        return list(_entries(text, start.end())) if start else []
    except json.JSONDecodeError as error:
        raise KbError(
            f"{name}:{error.lineno}: not JSON ({error.msg}); fetch the file again, it may be cut"
            " off"
        ) from error
    except (RecursionError, ValueError) as error:
        raise KbError(
            f"{name}: nested too deeply, or a number too long, to be a file of this format"
        ) from error


def _entries(text: str, offset: int) -> Iterator[Entry]:
    line, counted = 1, 0
    while True:
        match = _SEPARATORS.match(text, offset)
        offset = match.end() if match else offset
        if text.startswith("]", offset):
            return
        line, counted = line + text.count("\n", counted, offset), offset
        value, offset = _DECODER.raw_decode(text, offset)
        yield Entry(value, line)
