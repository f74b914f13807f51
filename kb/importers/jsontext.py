"""The entries of a list in a JSON file, with the line of each."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kb.core.problems import KbError, posix_path
from kb.importers.common import Lines, text_of

_DECODER = json.JSONDecoder()
_BETWEEN = re.compile(r"[\s,:]*")


class Entry(NamedTuple):
    """A value of a list or of an object, its key there, and where it stands (offsets)."""

    key: str
    value: Any
    start: int
    end: int


class JsonFile:
    """A JSON file; `name` is how problems name it."""

    def __init__(self, path: Path) -> None:
        """Read a file. Raises KbError with the line where it is not JSON."""
        self.name = posix_path(path)
        self.text = text_of(path)
        self._lines = Lines(self.text)
        try:
            self.value: Any = json.loads(self.text)
        except json.JSONDecodeError as error:
            raise KbError(
                f"{self.name}:{error.lineno}: not JSON ({error.msg}); fetch the file again, it may"
                " be cut off"
            ) from error
        except (RecursionError, ValueError) as error:
            raise KbError(
                f"{self.name}: nested too deeply, or a number too long, to be a file of this format"
            ) from error

    def line(self, offset: int) -> int:
        """The line of an offset."""
        return self._lines.at(offset)

    def entries(self, key: str = "") -> Iterator[Entry]:
        """Yield the entries of the file's list, or of the list under a key of its object."""
        start = _after(self.text, 0)
        if key:
            members = _members(self.text, start) if isinstance(self.value, dict) else ()
            start = max((member.start for member in members if member.key == key), default=-1)
        if start >= 0 and self.text[start] == "[":
            yield from _members(self.text, start)


def _members(text: str, start: int) -> Iterator[Entry]:
    """Yield the members of the list or object that begins at an offset of valid JSON."""
    place = _after(text, start + 1)
    while text[place] not in "]}":
        key = ""
        if text[start] == "{":
            key, end = _DECODER.raw_decode(text, place)
            place = _after(text, end)
        value, end = _DECODER.raw_decode(text, place)
        yield Entry(key, value, place, end)
        place = _after(text, end)


def _after(text: str, offset: int) -> int:
    """The first offset behind space, commas and colons."""
    match = _BETWEEN.match(text, offset)
    return match.end() if match else offset
