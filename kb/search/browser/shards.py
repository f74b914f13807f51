"""Sorted rows -> shard files.

Where a shard ends depends only on the rows near its end, so that a changed row changes few files.
"""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

Row = tuple[str, Any, int]
Gather = Callable[[list[Any]], object]
BASE = "base.js"
HASH_LENGTH = 8
# A letter of the hash has five bits.
_HASH_BYTES = HASH_LENGTH * 5 // 8
# A shard that is large enough ends before a key whose checksum is a multiple of this, and at
# three times the size anyway.
_SPREAD = 4


class Shard(NamedTuple):
    """One file: the keys of its first and last row, and the hash that names it."""

    first: str
    last: str
    hash: str


def order(key: str) -> bytes:
    """Strings in the order of a browser, which compares UTF-16 units."""
    return key.encode("utf-16-be", "surrogatepass")


def in_order(keys: Iterable[str]) -> list[str]:
    """Return keys in the order of `order`."""
    listed = list(keys)
    joined = "".join(listed)
    # Without characters of two units it is the order of Python, which needs no copies.
    if len(joined.encode("utf-16-be", "surrogatepass")) == 2 * len(joined):
        return sorted(listed)
    return sorted(listed, key=order)


def script(value: object) -> str:
    """JSON that may stand in a script, in a page too."""
    text = orjson.dumps(value).decode()
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("<", "\\u003c")


Present = Callable[[Shard, bytes, bytes | None], Iterator[Row]]


class Files:
    """The folder of shards. Files that are there already are not written again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, kind: str, data: object) -> str:
        """Writes a shard; gives the hash that names it."""
        body = script(data)
        salt = 0
        while True:
            digest = hashlib.sha256(f"{kind}{salt or ''}{body}".encode()).digest()
            name = base64.b32encode(digest[:_HASH_BYTES]).decode().lower()
            path = self.folder / f"{kind}-{name}.js"
            text = f'KB_SHARD("{kind}-{name}",{body});\n'.encode()
            try:
                with open(path, "xb", buffering=0) as file:
                    file.write(text)
                return name
            except FileExistsError:
                if path.read_bytes() == text:
                    return name
            # Two contents of one name, once in some ten million bases: the later one takes another.
            salt += 1

    def read(self, kind: str, name: str) -> Any:
        """The data of a shard."""
        return _data((self.folder / f"{kind}-{name}.js").read_bytes())

    def write_base(self, data: Mapping[str, object]) -> None:
        """Writes the file that the browser loads first, which names the shards."""
        text = f'KB_SHARD("base",{script(data)});\n'.encode()
        path = self.folder / BASE
        if not path.exists() or path.read_bytes() != text:
            path.unlink(missing_ok=True)
            path.write_bytes(text)

    def base(self) -> dict[str, Any]:
        """The data of that file."""
        data: dict[str, Any] = _data((self.folder / BASE).read_bytes())
        return data

    def keep(self, names: Iterable[str]) -> None:
        """Deletes every other shard."""
        kept = {f"{name}.js" for name in names}
        for name in shard_files(self.folder) - kept:
            (self.folder / name).unlink()


def _data(text: bytes) -> Any:
    """What a file of the index passes on."""
    return orjson.loads(text[text.index(b",") + 1 : text.rindex(b")")])


def shard_files(folder: Path) -> set[str]:
    """The names of all shards in a folder; none where there is no such folder."""
    try:
        names = os.listdir(folder)
    except OSError:
        return set()
    return {name for name in names if name.endswith(".js") and "-" in name}


class Cutter:
    """Writes sorted rows to shards of about `size` characters, rows of one key together."""

    def __init__(self, files: Files, kind: str, size: int, gather: Gather) -> None:
        self.files, self.kind, self.size, self.gather = files, kind, size, gather
        self.shards: list[Shard] = []
        self._held: list[Any] = []
        self._length = 0
        self._first = self._last = ""

    def ends(self, key: str) -> bool:
        """Whether a shard would end before a row of this key."""
        if not self._held or key == self._last or self._length <= self.size:
            return False
        return self._length > 3 * self.size or zlib.crc32(order(key)) % _SPREAD == 0

    def take(self, rows: Iterable[Row]) -> None:
        """Takes rows in, each with its key and about how many characters it has."""
        for key, row, length in rows:
            # Most of some hundred thousand rows end no shard, and need no call.
            if self._length > self.size and self.ends(key):
                self.end()
            if not self._held:
                self._first = key
            self._held.append(row)
            self._length += length
            self._last = key

    def end(self) -> None:
        """Writes what is held."""
        if self._held:
            self.shards.append(
                Shard(self._first, self._last, self.files.write(self.kind, self.gather(self._held)))
            )
        self._held, self._length = [], 0

    def all(self, rows: Iterable[Row]) -> list[Shard]:
        """Takes all rows and ends."""
        self.take(rows)
        self.end()
        return self.shards

    def again(self, before: Sequence[Shard], changed: Iterable[str], rows: Present) -> list[Shard]:
        """Cut the shards around changed keys again, up to where a shard begins as before.

        `rows(shard, start, end)` returns the current rows with keys from `start` up to but not
        including `end`, the range that `shard` had. The first shard starts with everything before
        it, the last has no end.
        """
        places = [order(one.first) for one in before]
        touched = set(_places(places, before, changed))
        if not before:
            return self.all(rows(Shard("", "", ""), b"", None))
        for number, shard in enumerate(before):
            end = places[number + 1] if number + 1 < len(before) else None
            if not self._held and number not in touched:
                self.shards.append(shard)
                continue
            self.take(rows(shard, places[number] if number else b"", end))
            if (
                number + 1 < len(before)
                and number + 1 not in touched
                and self.ends(before[number + 1].first)
            ):
                self.end()
        self.end()
        return self.shards


def _places(starts: Sequence[bytes], shards: Sequence[Shard], keys: Iterable[str]) -> Iterator[int]:
    """Yield the numbers of the shards that keys belong to.

    Where a shard begins with a key, the shard before it may no longer end there.
    """
    for key in keys:
        number = max(0, bisect_right(starts, order(key)) - 1)
        yield number
        if number and shards[number].first == key:
            yield number - 1


def starts(shards: Iterable[Shard]) -> list[str]:
    """Return where each shard begins, shortened to what differs from the one before."""
    found = []
    last = None
    for shard in shards:
        key = shard.first
        found.append(
            ""
            if last is None
            else next((key[:end] for end in range(1, len(key)) if order(key[:end]) > last), key)
        )
        last = order(shard.last)
    return found


def ranges(shards: Sequence[Shard]) -> list[str]:
    """Return where each shard begins, and hashes."""
    return ["\n".join(starts(shards)), "".join(shard.hash for shard in shards)]
