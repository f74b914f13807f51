"""JSON read value by value, with the line of each; bulk files are long."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kb.core.problems import KbError, posix_path
from kb.importers.common import Lines, text_of

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class Piece(NamedTuple):
    """One value of a JSON text: the keys above it, itself, and where it stands (offsets)."""

    keys: tuple[str | int, ...]
    value: Any
    start: int
    end: int


class JsonFile:
    """A JSON file; `name` is how problems name it."""

    def __init__(self, path: Path) -> None:
        self.name = posix_path(path)
        self.text = text_of(path)
        self._lines = Lines(self.text)

    def line(self, offset: int) -> int:
        """The line of an offset."""
        return self._lines.at(offset)

    def opens(self) -> str:
        """The first character that is not space: `[` or `{` in JSON that holds anything."""
        start = self._space(0)
        return self.text[start : start + 1]

    def pieces(self, *pattern: str) -> Iterator[Piece]:
        """Yield the values at a place.

        `*` stands for every key or item: `data`, `*` gives each value of the object under `data`.

        Values beside the place are passed over. Raises KbError where the text is not JSON.
        """
        try:
            end = yield from self._walk(self._space(0), pattern, ())
            if self._space(end) < len(self.text):
                raise json.JSONDecodeError("text after the end", self.text, self._space(end))
        except json.JSONDecodeError as error:
            raise self.broken(error.pos, error.msg) from error
        except (RecursionError, ValueError) as error:
            raise KbError(
                f"{self.name}: nested too deeply, or a number too long, to be a file of this format"
            ) from error

    def broken(self, offset: int, what: str) -> KbError:
        """The failure of a text that is no JSON."""
        return KbError(
            f"{self.name}:{self.line(offset)}: not JSON ({what}); fetch the file again, it may be"
            " cut off"
        )

    def _space(self, offset: int) -> int:
        match = _SPACE.match(self.text, offset)
        return match.end() if match else offset

    def _walk(
        self, start: int, pattern: Sequence[str], keys: tuple[str | int, ...]
    ) -> Generator[Piece, None, int]:
        opening = self.text[start : start + 1]
        if not pattern or opening not in ("{", "["):
            value, end = _DECODER.raw_decode(self.text, start)
            if not pattern:
                yield Piece(keys, value, start, end)
            return end
        place, number, closing = self._space(start + 1), 0, "}" if opening == "{" else "]"
        if self.text[place : place + 1] == closing:
            return place + 1
        while True:
            key: str | int = number
            if opening == "{":
                key, place = self._key(place)
            if pattern[0] in ("*", key):
                place = yield from self._walk(place, pattern[1:], (*keys, key))
            else:
                place = _DECODER.raw_decode(self.text, place)[1]
            place, number = self._space(place), number + 1
            mark = self.text[place : place + 1]
            if mark == closing:
                return place + 1
            if mark != ",":
                raise json.JSONDecodeError(f"a comma or {closing} is expected", self.text, place)
            place = self._space(place + 1)

    def _key(self, place: int) -> tuple[str, int]:
        key, end = _DECODER.raw_decode(self.text, place)
        end = self._space(end)
        if not isinstance(key, str) or self.text[end : end + 1] != ":":
            raise json.JSONDecodeError("a key and a colon are expected", self.text, place)
        return key, self._space(end + 1)
