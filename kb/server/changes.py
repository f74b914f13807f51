"""What has changed below some folders, whether or not the system has reported it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_TEMPORARY_PREFIXES = (".", "#")
_TEMPORARY_SUFFIXES = ("~", ".swp", ".bak", ".orig")
# Size, modification time and inode of a file.
_Look = tuple[int, int, int]


class FolderWatch:
    """Compares folders with what they were when `remember` was called.

    Events of the system are not enough: they begin only when a folder is watched, miss the files
    of a folder that is created or replaced, and do not exist on some network file systems.
    """

    # At most so much of the time goes into looking.
    _SHARE = 50

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = folders
        self._known: dict[str, _Look] = {}
        self._identity: tuple[tuple[int, int], ...] = ()
        self._next_look = 0.0

    def identity(self) -> tuple[tuple[int, int], ...]:
        """Return what tells each folder from another one at the same path."""
        return tuple(_identity(folder) for folder in self.folders)

    def remember(self) -> None:
        """Take the folders as they are now for known; call it before they are read."""
        self._identity = self.identity()
        self._known = dict(self._entries())
        self._next_look = 0.0

    def has_changed(self) -> bool:
        """Return whether the folders differ, as far as there was time to look.

        One that is created, removed or replaced is noticed at once.
        """
        if self.identity() != self._identity:
            return True
        start = time.monotonic()
        if start < self._next_look:
            return False
        changed = dict(self._entries()) != self._known
        now = time.monotonic()
        self._next_look = now + self._SHARE * (now - start)
        return changed

    def is_relevant(self, path: str) -> bool:
        """Return whether a path is not just a temporary file of a text editor."""
        for folder in self.folders:
            if Path(path).is_relative_to(folder.absolute()):
                return not any(map(_is_temporary, Path(path).relative_to(folder.absolute()).parts))
        return True

    def _entries(self) -> Iterator[tuple[str, _Look]]:
        for path in self.folders:
            if path.is_file():
                yield str(path), _look(path)
            for parent, folders, files in os.walk(path):
                folders[:] = [name for name in folders if not _is_temporary(name)]
                for name in files:
                    if not _is_temporary(name):
                        # It may be gone by now.
                        with suppress(OSError):
                            yield f"{parent}/{name}", _look(Path(parent, name))


def _look(path: Path) -> _Look:
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
