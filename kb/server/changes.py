"""What has changed below some folders, whether or not the system has reported it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

_TEMPORARY_PREFIXES = (".", "#")
_TEMPORARY_SUFFIXES = ("~", ".swp", ".bak", ".orig")
# Path, size, modification time and inode of a file.
_Entry = tuple[str, int, int, int]


class FolderWatch:
    """Compares folders with what they were when `remember` was called.

    Events of the system are not enough: they begin only when a folder is watched, miss the files
    of a folder that is created or replaced, and do not exist on some network file systems.
    """

    # At most so much of the time goes into looking.
    _SHARE = 50

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = folders
        self._known: frozenset[_Entry] = frozenset()
        self._next_look = 0.0

    def identity(self) -> tuple[tuple[int, int], ...]:
        """Return what tells each folder from another one at the same path."""
        return tuple(_identity(folder) for folder in self.folders)

    def remember(self) -> None:
        """Take the folders as they are now for known; call it before they are read."""
        self._known = frozenset(self._entries())

    def has_changed(self) -> bool:
        """Return whether the folders differ, as far as there was time to look."""
        start = time.monotonic()
        if start < self._next_look:
            return False
        changed = frozenset(self._entries()) != self._known
        now = time.monotonic()
        self._next_look = now + self._SHARE * (now - start)
        return changed

    def is_relevant(self, path: str) -> bool:
        """Return whether a path is not just a temporary file of a text editor."""
        for folder in self.folders:
            if Path(path).is_relative_to(folder.absolute()):
                return not any(map(_is_temporary, Path(path).relative_to(folder.absolute()).parts))
        return True

    def _entries(self) -> Iterator[_Entry]:
        waiting = [str(folder) for folder in self.folders if folder.is_dir()]
        for file in (path for path in self.folders if path.is_file()):
            stat = file.stat()
            yield str(file), stat.st_size, stat.st_mtime_ns, stat.st_ino
        while waiting:
            try:
                with os.scandir(waiting.pop()) as scan:
                    entries = [entry for entry in scan if not _is_temporary(entry.name)]
            except OSError:
                continue
            for entry in entries:
                try:
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    else:
                        stat = entry.stat(follow_symlinks=False)
                        yield entry.path, stat.st_size, stat.st_mtime_ns, stat.st_ino
                except OSError:
                    continue


def _identity(folder: Path) -> tuple[int, int]:
    try:
        stat = folder.stat()
    except OSError:
        return 0, 0
    return stat.st_dev, stat.st_ino


def _is_temporary(name: str) -> bool:
    return name.startswith(_TEMPORARY_PREFIXES) or name.endswith(_TEMPORARY_SUFFIXES)
