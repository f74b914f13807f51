"""Changes below folders, by events of the system and by comparison."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_TEMPORARY_PREFIXES = (".", "#")
_TEMPORARY_SUFFIXES = ("~", ".swp", ".bak", ".orig")
# Events are reported after this time without another one, and at the latest after _MAX_WAIT, in
# milliseconds.
_SETTLE = 20
_MAX_WAIT = 1600
# Interval between two looks at the folders without an event, in milliseconds.
_TICK = 500
# A comparison is followed by a pause of 50 times its duration: it takes 2 % of the time.
_PAUSE = 50
# Size, modification time and inode of a file.
_FileState = tuple[int, int, int]


class FolderWatch:
    """Compares folders and files with their state at the previous check.

    Events of the system are incomplete: they miss changes before the watch begins and files of a
    new or replaced folder, and some network file systems report nothing.
    """

    def __init__(self, find_folders: Callable[[], Sequence[Path]]) -> None:
        """`find_folders` is called for every look; the folders need not exist."""
        self._find_folders = find_folders
        self._folders = self._identities()
        self._files = dict(self._file_states())
        self._next_comparison = 0.0

    def looks(self, stop: threading.Event) -> Iterator[bool]:
        """Yield whether anything changed, after each event and every _TICK, until `stop` is set."""
        from watchfiles import watch

        while not stop.is_set():
            watched = self._identities()
            try:
                for events in watch(
                    *(folder for folder in watched if folder.is_dir()),
                    watch_filter=None,
                    stop_event=stop,
                    debounce=_MAX_WAIT,
                    step=_SETTLE,
                    rust_timeout=_TICK,
                    yield_on_timeout=True,
                ):
                    yield self.has_changed(at_once=bool(events))
                    if self._identities() != watched:
                        break
            except OSError:
                # A folder is gone; most often another one is about to take its place.
                stop.wait(_TICK / 1000)
                yield self.has_changed()

    def has_changed(self, *, at_once: bool = False) -> bool:
        """Return whether anything changed since the previous check.

        A new, removed or replaced folder is noticed at once, a file `at_once` or after the pause.
        """
        before, start = (self._folders, self._files), time.monotonic()
        self._folders = self._identities()
        if at_once or self._folders != before[0] or start >= self._next_comparison:
            self._files = dict(self._file_states())
            now = time.monotonic()
            self._next_comparison = now + _PAUSE * (now - start)
        return (self._folders, self._files) != before

    def _identities(self) -> dict[Path, tuple[int, int]]:
        """Return device and inode of each folder, which differ for a replaced folder."""
        identities = {}
        for folder in self._find_folders():
            identities[folder] = 0, 0
            with suppress(OSError):
                status = folder.stat()
                identities[folder] = status.st_dev, status.st_ino
        return identities

    def _file_states(self) -> Iterator[tuple[str, _FileState]]:
        for path in map(str, self._folders):
            for file in [path] if os.path.isfile(path) else _files_below(path):
                # The file may have been deleted meanwhile.
                with suppress(OSError):
                    status = os.lstat(file)
                    yield file, (status.st_size, status.st_mtime_ns, status.st_ino)


def _files_below(folder: str) -> Iterator[str]:
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not _is_temporary(name)]
        for name in files:
            if not _is_temporary(name):
                yield f"{parent}/{name}"


def _is_temporary(name: str) -> bool:
    """Return whether a file is one that text editors write next to the edited file."""
    return name.startswith(_TEMPORARY_PREFIXES) or name.endswith(_TEMPORARY_SUFFIXES)
