"""Reads the entries of a list in a JSON file, each with its line."""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kb.core.problems import KbError, posix_path
from kb.ingest.common import text_of

_DECODER = json.JSONDecoder()
_SEPARATORS = re.compile(r"[\s,:]*")


class Entry(NamedTuple):
    """A value of a list with its offsets."""

    value: Any
    start: int
    end: int


def text_under(value: Any, key: str) -> str:
    """Return the text under a key of an object; empty without one."""
    text = value.get(key) if isinstance(value, dict) else None
    return text.strip() if isinstance(text, str) else ""


class JsonFile:
    """A JSON file; `name` is its path in messages."""

    def __init__(self, path: Path) -> None:
        """Read a file. Raises KbError with the line where it is not JSON."""
        self.name = posix_path(path)
        self.text = text_of(path)
        self._line_ends = [newline.start() for newline in re.finditer("\n", self.text)]
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
        """Return the line of an offset, from 1."""
        return bisect_left(self._line_ends, offset) + 1

    def entries(self, key: str = "") -> Iterator[Entry]:
        """Yield the entries of the file's list, or of the list under a key of its object."""
        if key and not isinstance(self.value, dict):
            return
        offset = self._offset_of(key) if key else self._skip_separators(0)
        if not self.text.startswith("[", offset):
            return
        offset = self._skip_separators(offset + 1)
        while self.text[offset] != "]":
            value, end = _DECODER.raw_decode(self.text, offset)
            yield Entry(value, offset, end)
            offset = self._skip_separators(end)

    def _offset_of(self, key: str) -> int:
        """The offset of the last value under a key of the file's object; 0 without the key."""
        found, offset = 0, self._skip_separators(self._skip_separators(0) + 1)
        while self.text[offset] != "}":
            name, end = _DECODER.raw_decode(self.text, offset)
            start = self._skip_separators(end)
            found = start if name == key else found
            offset = self._skip_separators(_DECODER.raw_decode(self.text, start)[1])
        return found

    def _skip_separators(self, offset: int) -> int:
        match = _SEPARATORS.match(self.text, offset)
        return match.end() if match else offset
