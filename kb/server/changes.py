"""Changes below folders, found by comparison, with or without events of the system."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_TEMPORARY_PREFIXES = (".", "#")
_TEMPORARY_SUFFIXES = ("~", ".swp", ".bak", ".orig")
# Size, modification time and inode of a file.
_FileState = tuple[int, int, int]


class FolderWatch:
    """Compares folders with their state at the last `remember`.

    Events of the system are incomplete: they miss changes before the watch begins and files of a
    new or replaced folder, and some network file systems have none.
    """

    # A comparison is followed by a pause of 50 times its duration: it takes 2 % of the time.
    _PAUSE = 50

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = folders
        self._remembered: dict[str, _FileState] = {}
        self._identity: tuple[tuple[int, int], ...] = ()
        self._next_comparison = 0.0

    def identity(self) -> tuple[tuple[int, int], ...]:
        """Return device and inode of each folder, which differ for a replaced folder."""
        return tuple(_identity(folder) for folder in self.folders)

    def remember(self) -> None:
        """Remember the current state; call it before the folders are read."""
        self._identity = self.identity()
        self._remembered = dict(self._entries())
        self._next_comparison = 0.0

    def has_changed(self) -> bool:
        """Return whether the folders differ from the remembered state.

        A new, removed or replaced folder is noticed at once, a file after the pause.
        """
        if self.identity() != self._identity:
            return True
        start = time.monotonic()
        if start < self._next_comparison:
            return False
        changed = dict(self._entries()) != self._remembered
        now = time.monotonic()
        self._next_comparison = now + self._PAUSE * (now - start)
        return changed

    def is_relevant(self, path: str) -> bool:
        """Return whether a path is no temporary file of a text editor."""
        for folder in self.folders:
            if Path(path).is_relative_to(folder.absolute()):
                return not any(map(_is_temporary, Path(path).relative_to(folder.absolute()).parts))
        return True

    def _entries(self) -> Iterator[tuple[str, _FileState]]:
        for path in self.folders:
            if path.is_file():
                yield str(path), _file_state(path)
            for parent, folders, files in os.walk(path):
                folders[:] = [name for name in folders if not _is_temporary(name)]
                for name in files:
                    if not _is_temporary(name):
                        # The file may have been deleted meanwhile.
                        with suppress(OSError):
                            yield f"{parent}/{name}", _file_state(Path(parent, name))


def _file_state(path: Path) -> _FileState:
    status = path.lstat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _identity(folder: Path) -> tuple[int, int]:
    try:
        status = folder.stat()
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def _is_temporary(name: str) -> bool:
    return name.startswith(_TEMPORARY_PREFIXES) or name.endswith(_TEMPORARY_SUFFIXES)
