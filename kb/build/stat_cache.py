"""Checksums of files, as they are now; a file is read only where it may be another than when it was last read.

What tells is what git goes by: size, inode, and when content and inode were last changed. The last one is set by the system
alone, so that no program that keeps a file's time hides a change. A file that was changed at the moment it was read, or a little
before, may have been changed again in the same tick of the clock: it is read the next time too.
"""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

FILE = "seen.json"
# The coarsest ticks are those of FAT, of two seconds.
_TICK = 2_000_000_000
# No record is longer; what is, is a problem that its length tells.
_MOST = 20_000_000
# What a file was like: size, inode, times of its content and of its inode (ns), and the checksum of its bytes.
_Look = list[Any]


class StatCache:
    """The files below a folder, but for hidden ones and links. `sums`: their checksums by their path in it.

    `keeper` is a file in which what is seen is saved; without `trust` every file is read, whatever was seen before.
    """

    def __init__(self, root: Path, keeper: Path | None = None, *, trust: bool = True) -> None:
        self._root, self._keeper = str(root.resolve()), keeper
        # Windows does not tell when an inode was changed.
        self._held = self._read() if keeper and trust and os.name != "nt" else {}
        self._looks: dict[str, _Look] = {}
        # Before anything is looked at.
        self._settled = time.time_ns() - _TICK
        self.sums: dict[str, str] = dict(self._sums(str(root), ""))

    def _read(self) -> dict[str, _Look]:
        assert self._keeper is not None
        try:
            checksum, _, told = self._keeper.read_bytes().partition(b"\n")
            root, looks = orjson.loads(told) if checksum == _checksum(told) else ("", {})
        except (OSError, ValueError, TypeError):
            return {}
        return looks if root == self._root else {}

    def _sums(self, folder: str, below: str) -> Iterator[tuple[str, str]]:
        try:
            with os.scandir(folder) as scan:
                entries = [entry for entry in scan if not entry.name.startswith(".")]
        except OSError:
            # Gone since it was listed, or not to be read: what reads the records tells it.
            return
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    yield from self._sums(entry.path, f"{below}{entry.name}/")
                elif entry.is_file(follow_symlinks=False):
                    yield f"{below}{entry.name}", self._sum(entry, f"{below}{entry.name}")
            except FileNotFoundError:
                # Deleted since it was listed.
                continue

    def _sum(self, entry: os.DirEntry[str], path: str) -> str:
        # What is known of a file is older than its bytes: a change between the two is seen the next time.
        stat = entry.stat(follow_symlinks=False)
        look = [stat.st_size, stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns]
        held = self._held.get(path)
        if held and held[:-1] == look:
            self._looks[path] = held
            return str(held[-1])
        found = hashlib.sha256(_bytes(entry.path)).hexdigest()
        if max(stat.st_mtime_ns, stat.st_ctime_ns) < self._settled:
            self._looks[path] = [*look, found]
        return found

    def save(self) -> None:
        """Keeps what was seen for the next time, where it can be written; its folder has to be there.

        What was not written to its end has another checksum, and is passed over.
        """
        if self._keeper is None or self._looks == self._held:
            return
        told = orjson.dumps([self._root, self._looks])
        with suppress(OSError):
            self._keeper.write_bytes(_checksum(told) + b"\n" + told)


def _checksum(data: bytes) -> bytes:
    return b"%08x" % zlib.crc32(data)


def _bytes(path: str) -> bytes:
    """The bytes of a file, at most so many; there are many small ones."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return os.read(file, min(os.fstat(file).st_size + 1, _MOST))
    finally:
        os.close(file)
