"""Checksums of files, read only where a file may be another than when it was last read.

Like git, compare size, inode, mtime and ctime. The last one is set by the system alone, so that no
program that restores a file's time hides a change. A file that was changed just before it was read
may have been changed again in the same tick of the clock: it is read the next time too.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from pathlib import Path

from kb.core.files import TEMPORARY
from kb.core.json import json_bytes
from kb.pipeline.cache import EMPTY, Row, Stage

# The coarsest ticks are those of FAT, of two seconds.
_TICK = 2_000_000_000
# No record is longer; one that is has a problem that its length tells.
_MAX_BYTES = 20_000_000


class StatCache:
    """Checksums of the files below a folder, without hidden ones.

    `known`: rows of an earlier look at the same folder. `checksums`: by path below the folder; of
    what is no plain file something that no checksum is, since whoever reads the files reports it.
    `folders`: the paths of all folders. `rows`: those of this look, for the next one. `temporary`:
    files of saves that are under way, or were killed.
    """

    def __init__(self, root: Path, known: Stage = EMPTY) -> None:
        # Windows does not tell when an inode was changed.
        self._known = known if os.name != "nt" else EMPTY
        # Before anything is looked at.
        self._settled = time.time_ns() - _TICK
        self.rows: dict[str, Row] = {}
        self.temporary: list[str] = []
        self.folders: set[str] = set()
        self.checksums: dict[str, str] = dict(self._walk(str(root), ""))

    def _walk(self, folder: str, below: str) -> Iterator[tuple[str, str]]:
        try:
            with os.scandir(folder) as scan:
                entries = list(scan)
        except OSError:
            # Gone since it was listed, or not to be read: whoever reads the records reports it.
            return
        self.folders.add(below)
        for entry in entries:
            if entry.name.startswith("."):
                if entry.name.startswith(TEMPORARY):
                    self.temporary.append(entry.path)
                continue
            try:
                if entry.is_dir(follow_symlinks=False):
                    yield from self._walk(entry.path, f"{below}{entry.name}/")
                elif entry.is_file(follow_symlinks=False):
                    path = f"{below}{entry.name}"
                    yield path, self._checksum(entry, path)
                else:
                    yield f"{below}{entry.name}", _other(entry)
            except FileNotFoundError:
                # Deleted since it was listed.
                continue

    def _checksum(self, entry: os.DirEntry[str], path: str) -> str:
        # The look is older than the bytes: a change between the two is seen the next time.
        stat = entry.stat(follow_symlinks=False)
        look = json_bytes([stat.st_size, stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns])
        known = self._known.get(path)
        if known and known.blob == look:
            self.rows[path] = known
            return known.hash
        checksum = hashlib.sha256(_read(entry.path)).hexdigest()
        # A name that is not UTF-8 cannot be written into the cache.
        if max(stat.st_mtime_ns, stat.st_ctime_ns) < self._settled and path.isprintable():
            self.rows[path] = Row(checksum, look)
        return checksum


def _other(entry: os.DirEntry[str]) -> str:
    """What tells a link, or what is no file at all, from another; a template may be a link."""
    if not entry.is_symlink():
        return "not a file"
    try:
        data = _read(entry.path) if entry.is_file() else b""
    except OSError:
        data = b""
    return f"a link to {os.readlink(entry.path)!a}: {hashlib.sha256(data).hexdigest()}"


def _read(path: str) -> bytes:
    """The bytes of a file, at most so many. There are many small files: read without a buffer."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return os.read(file, min(os.fstat(file).st_size + 1, _MAX_BYTES))
    finally:
        os.close(file)
