"""Sorted lines that are searched where they lie, in a file that is mapped into memory.

Dictionaries are such files: made once a machine and version, in the user's cache.
"""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from kb.core.files import replacing_file, user_cache

# A file that lost its end, in a power cut or on a full disk, lacks this line.
_END = b"\xff end\n"
# Versions of a file that stay: a machine may have several of this program.
_VERSIONS = 3
# Digits of a version in the name of its file.
_DIGITS = 16
# Seconds to wait for another process that makes the same file.
_PATIENCE = 60


class SortedMap:
    """Words by key. `lines`: a key and its words each, tabs between them, sorted as bytes."""

    def __init__(self, lines: bytes | mmap.mmap) -> None:
        self._lines = lines

    @classmethod
    def open(cls, path: Path) -> SortedMap | None:
        """The map in a file; None where there is no whole one."""
        try:
            with open(path, "rb") as file:
                lines = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            return None
        return cls(lines) if lines[-len(_END) :] == _END else None

    def get(self, key: str) -> list[str]:
        """The words of a key; none where it is unknown."""
        lines, start = self._lines, key.encode("utf-8", "replace") + b"\t"
        place = self._place(start)
        if lines[place : place + len(start)] != start:
            return []
        return lines[place + len(start) : lines.find(b"\n", place)].decode().split("\t")

    def items(self, prefix: str = "") -> Iterator[tuple[str, list[str]]]:
        """Every key that begins with a prefix, without it, and its words."""
        first, size = prefix.encode(), len(prefix)
        lines, place = self._lines, self._place(first)
        while lines[place : place + len(first)] == first and lines[place] != _END[0]:
            end = lines.find(b"\n", place)
            key, *words = lines[place:end].decode().split("\t")
            yield key[size:], words
            place = end + 1

    def _place(self, start: bytes) -> int:
        """Where the first line stands that is not less than `start`."""
        lines, size = self._lines, len(start)
        low, high = 0, len(lines)
        while low < high:
            middle = (low + high) // 2
            line = lines.rfind(b"\n", low, middle) + 1 or low
            if lines[line : line + size] < start:
                low = lines.find(b"\n", middle) + 1
            else:
                high = line
        return low


def line(key: str, words: Iterable[str]) -> bytes:
    """The line of a key and its words."""
    return "\t".join((key, *words)).encode()


def map_path(name: str, version: str) -> Path:
    """Where the map of a name and version is, once it is made."""
    digits = hashlib.sha256(version.encode()).hexdigest()[:_DIGITS]
    return user_cache() / "dictionaries" / f"{name}-{digits}.txt"


def cached_map(name: str, version: str, lines: Callable[[], Iterable[bytes]]) -> SortedMap:
    """The map of a name and version in the user's cache, which is made where it is missing.

    `lines`: a line for each key, in any order. Where the cache cannot be written the map is in
    memory.
    """
    path = map_path(name, version)
    folder = path.parent
    known = SortedMap.open(path)
    if known:
        return known
    from filelock import FileLock, Timeout

    with suppress(OSError, Timeout, NotImplementedError):
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f"{name}.lock", timeout=_PATIENCE):
            known = SortedMap.open(path)
            if known:
                return known
            content = _sorted(lines())
            with suppress(OSError):
                with replacing_file(path) as file:
                    file.write(content)
                _remove_old_versions(folder, name)
            return SortedMap.open(path) or SortedMap(content)
    return SortedMap(_sorted(lines()))


def _sorted(lines: Iterable[bytes]) -> bytes:
    return b"\n".join([*sorted(lines), _END])


def _remove_old_versions(folder: Path, name: str) -> None:
    paths = folder.glob(f"{name}-{'?' * _DIGITS}.txt")
    for path in sorted(paths, key=os.path.getmtime, reverse=True)[_VERSIONS:]:
        path.unlink(missing_ok=True)
