"""Changes below folders, by events of the system."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

_TEMPORARY_PREFIXES = (".", "#")
_TEMPORARY_SUFFIXES = ("~", ".swp", ".bak", ".orig")
# Events are reported after this time without another one, and at the latest after _MAX_WAIT, in
# milliseconds.
_SETTLE = 20
_MAX_WAIT = 1600
# Interval between two looks without an event, in milliseconds.
_TICK = 100
# Interval between two comparisons of all files where the system reports no events.
_POLL = 1000


def looks(find_folders: Callable[[], Sequence[Path]], stop: threading.Event) -> Iterator[bool]:
    """Yield whether anything changed, after each event and every _TICK, until `stop` is set.

    `find_folders` is called for every look; the folders and files need not exist.
    """
    from watchfiles import watch

    is_replaced, polls = False, False
    while not stop.is_set():
        watched = _identities(find_folders())
        existing = [path for path, identity in watched.items() if identity]
        try:
            for events in watch(
                *existing,
                watch_filter=None,
                stop_event=stop,
                debounce=_MAX_WAIT,
                step=_SETTLE,
                rust_timeout=_TICK,
                yield_on_timeout=True,
                force_polling=polls or None,
                poll_delay_ms=_POLL,
                ignore_permission_denied=True,
            ):
                # Here, because files may have changed before a new folder was watched.
                yield is_replaced or any(_is_edit(path, existing) for _, path in events)
                is_replaced = _identities(find_folders()) != watched
                if is_replaced:
                    break
        except FileNotFoundError:
            # Most often another folder is about to take the place of this one.
            is_replaced = True
            stop.wait(_TICK / 1000)
        except (OSError, RuntimeError):
            if polls:
                raise
            # The system allows no more watches.
            polls = True


def _identities(paths: Iterable[Path]) -> dict[Path, tuple[int, int] | None]:
    """Return device and inode of each path, which differ for a replaced folder; None if missing."""
    identities: dict[Path, tuple[int, int] | None] = {}
    for path in paths:
        identities[path] = None
        with suppress(OSError):
            status = path.stat()
            identities[path] = status.st_dev, status.st_ino
    return identities


def _is_edit(place: str, folders: Iterable[Path]) -> bool:
    """Return whether a path is not hidden, and not of a file that text editors write as well."""
    path = Path(place)
    folder = next((folder for folder in folders if path.is_relative_to(folder)), path.parent)
    return not any(
        name.startswith(_TEMPORARY_PREFIXES) or name.endswith(_TEMPORARY_SUFFIXES)
        for name in path.relative_to(folder).parts
    )
