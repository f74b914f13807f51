"""The folder that the site is written into: what each file holds is known, and a file that stays the same is not touched."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

# Of a file: the beginning of the SHA-256 of its bytes in hexadecimal, and its size.
Written = tuple[str, int]
HASH = 16


class Output:
    """Writes files below `folder`. `before`: what is there already, by address; a copy of the site before, or nothing."""

    def __init__(self, folder: Path, before: Mapping[str, Written] | None = None) -> None:
        self.folder = folder
        self.before = before or {}
        self.files: dict[str, Written] = {}
        self._folders: set[str] = set()

    def write(self, address: str, data: bytes | str) -> None:
        """Writes a file, unless it is there with the same bytes."""
        raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
        written = _written(raw)
        self.files[address] = written
        if self.before.get(address) == written:
            return
        path = os.path.join(self.folder, address)
        self._make(os.path.dirname(path))
        if address in self.before:
            # The file may be the same one as that of the site in use.
            os.unlink(path)
        _put(path, raw)

    def read(self, address: str) -> bytes:
        """The bytes of a file of before; none where it is not as it was written."""
        try:
            data = (self.folder / address).read_bytes()
        except OSError:
            return b""
        return data if self.before.get(address) == _written(data) else b""

    def _make(self, folder: str) -> None:
        if folder in self._folders:
            return
        try:
            os.mkdir(folder)
        except FileExistsError:
            pass
        except FileNotFoundError:
            self._make(os.path.dirname(folder))
            os.makedirs(folder, exist_ok=True)
        self._folders.add(folder)

    def keep(self, address: str) -> None:
        """Says that a file of before stays."""
        self.files[address] = self.before[address]

    def take(self, files: Mapping[str, Written]) -> None:
        """Notes what others have written."""
        self.files.update(files)

    def found(self, below: str) -> None:
        """Notes every file below an address that somebody else has written there."""
        with os.scandir(self.folder / below) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            address = f"{below}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                self.found(address)
                continue
            size = entry.stat().st_size
            known = self.before.get(address)
            # Shards are named by their content.
            if known and known[1] == size and entry.name != "base.js":
                self.files[address] = known
            else:
                self.files[address] = _written(Path(entry.path).read_bytes())

    def finish(self) -> None:
        """Deletes what was there before and is no longer."""
        for address in self.before.keys() - self.files.keys():
            path = self.folder / address
            path.unlink(missing_ok=True)
            for folder in path.parents:
                if folder == self.folder:
                    break
                with suppress(OSError):
                    folder.rmdir()


def _put(path: str, data: bytes) -> None:
    """Writes a new file without a buffer between: there are tens of thousands of small ones."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
    finally:
        os.close(file)


def _written(data: bytes) -> Written:
    return hashlib.sha256(data).hexdigest()[:HASH], len(data)


def copied(source: Path, target: Path) -> None:
    """Makes `target`, an empty folder, a copy of `source`: the files are the same ones where the file system can, else copies.

    Times stay what they are.
    """
    waiting = [(str(source), str(target))]
    while waiting:
        there, here = waiting.pop()
        with os.scandir(there) as entries:
            for entry in entries:
                mine = f"{here}{os.sep}{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    os.mkdir(mine)
                    waiting.append((entry.path, mine))
                    continue
                try:
                    os.link(entry.path, mine)
                except OSError:
                    shutil.copy2(entry.path, mine)
