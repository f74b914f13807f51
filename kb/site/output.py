"""The folder that a site is written into. A file that stays the same is not written again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from kb.core.files import link_or_copy

# A file: the beginning of the SHA-256 of its bytes in hexadecimal, and its size.
Written = tuple[str, int]
HASH = 16


class Output:
    """Write files below `folder`. `before`: files that are there already, by address.

    `held`: whether files are only held in memory until `begin` is called.
    """

    def __init__(
        self, folder: Path, before: Mapping[str, Written] | None = None, *, held: bool = False
    ) -> None:
        self.folder = folder
        self.before = before or {}
        self.files: dict[str, Written] = {}
        self._folders: set[str] = set()
        # The files that differ from those before, until `begin` is called.
        self.held: dict[str, bytes] | None = {} if held else None

    def begin(self) -> None:
        """Write the files that are held, and all others at once from now on."""
        held, self.held = self.held or {}, None
        for address, data in held.items():
            self._write(address, data)

    def write(self, address: str, data: bytes | str) -> None:
        """Write a file, unless it is there with the same bytes."""
        raw = encoded(data)
        self.files[address] = written(raw)
        if self.before.get(address) == self.files[address]:
            return
        if self.held is None:
            self._write(address, raw)
        else:
            self.held[address] = raw

    def _write(self, address: str, raw: bytes) -> None:
        path = os.path.join(self.folder, address)
        self._make(os.path.dirname(path))
        if address in self.before:
            # The file may be the same one as that of the site in use.
            os.unlink(path)
        _put(path, raw)

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

    def take(self, files: Mapping[str, Written]) -> None:
        """Note files that others have written, or that stay from before."""
        self.files.update(files)

    def scan(self, below: str) -> None:
        """Note every file below an address, written by others."""
        with os.scandir(self.folder / below) as entries:
            in_order = sorted(entries, key=lambda entry: entry.name)
        for entry in in_order:
            address = f"{below}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                self.scan(address)
                continue
            size = entry.stat().st_size
            known = self.before.get(address)
            # Shards are named by their content.
            if known and known[1] == size and entry.name != "base.js":
                self.files[address] = known
            else:
                self.files[address] = written(Path(entry.path).read_bytes())

    def finish(self) -> None:
        """Delete the files from before that are no longer there."""
        for address in self.before.keys() - self.files.keys():
            path = self.folder / address
            path.unlink(missing_ok=True)
            for folder in path.parents:
                if folder == self.folder:
                    break
                with suppress(OSError):
                    folder.rmdir()


def encoded(data: bytes | str) -> bytes:
    """The bytes of a file's content."""
    return data.encode("utf-8", "replace") if isinstance(data, str) else data


def _put(path: str, data: bytes) -> None:
    """Write a new file without a buffer: there are tens of thousands of small ones."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
    try:
        written = os.write(file, data)
        while written < len(data):
            written += os.write(file, memoryview(data)[written:])
    finally:
        os.close(file)


def written(data: bytes) -> Written:
    """What is noted of a file with some bytes."""
    return hashlib.sha256(data).hexdigest()[:HASH], len(data)


def link_files(source: Path, target: Path, addresses: Iterable[str]) -> None:
    """Copy some files of a folder into an empty one, as hard links where there are any.

    Files keep their times.
    """
    folders: set[str] = set()
    for address in addresses:
        here, mine = f"{source}{os.sep}{address}", f"{target}{os.sep}{address}"
        folder = os.path.dirname(mine)
        if folder not in folders:
            os.makedirs(folder, exist_ok=True)
            folders.add(folder)
        link_or_copy(here, mine)
