"""What is no build's in a site, found by looking only into folders that may have other entries.

Like git's cache of untracked files: what comes into a folder, leaves it or gets another name
changes the folder's times. A build changes those of the folders that it writes into. Where a file
system does not keep them, a file is found when the folder is removed.
"""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kb.pipeline.own_files import Other, all_others, listed_files

# The coarsest ticks are those of FAT, of two seconds.
_TICK = 2_000_000_000
# Sites that are remembered: the one in use, and the one that takes turns with it.
_SITES = 2
_Look = tuple[int, int, int]
# No folder looks like this: it is listed again.
_UNKNOWN: _Look = (0, 0, 0)


class _Folder(NamedTuple):
    """What was no build's in a folder, and what told the folder from others then."""

    look: _Look
    others: Sequence[Other]


class SiteOthers:
    """Finds what is no build's in sites, and remembers it for the next time."""

    def __init__(self) -> None:
        # By what tells a site's folder from others, whatever it is called.
        self._sites: dict[tuple[int, int], dict[str, _Folder]] = {}

    def find(self, site: Path) -> list[Other]:
        """All that is no build's in a site, as `all_others` returns it. Raises OSError."""
        own = listed_files(site)
        if own is None or os.name == "nt":
            # Windows does not tell when a folder was changed.
            return all_others(site)
        stat = os.stat(site)
        place = stat.st_dev, stat.st_ino
        known, folders = self._sites.pop(place, {}), {}
        settled = time.time_ns() - _TICK
        others: list[Other] = []
        for path, folder in _folders(f"{site}/", own, known):
            others += folder.others
            # One that has just changed may change again in the same tick of the clock.
            is_settled = max(folder.look[1:]) < settled
            folders[path] = folder if is_settled else folder._replace(look=_UNKNOWN)
        self._sites[place] = folders
        for old in [*self._sites][:-_SITES]:
            del self._sites[old]
        # A folder before what is in it.
        return sorted(others)


def _folders(
    site: str, own: Sequence[str], known: dict[str, _Folder]
) -> Iterator[tuple[str, _Folder]]:
    """Yield the folders of a site by their paths, with a slash at the end, as they are now."""
    waiting = [] if "" in known else [""]
    for path, folder in known.items():
        try:
            look = _look(site + path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        if look == folder.look:
            yield path, folder
        else:
            waiting.append(path)
    done = set()
    while waiting:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        try:
            look = _look(site + path)
            with os.scandir(site + path) as scan:
                entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in scan]
        except (FileNotFoundError, NotADirectoryError):
            continue
        others = []
        for name, is_folder in entries:
            below = f"{path}{name}/" if is_folder else path + name
            if not _is_own(below, own):
                others.append((path + name, is_folder))
            if is_folder and below not in known:
                waiting.append(below)
        yield path, _Folder(look, others)


def _look(path: str) -> _Look:
    stat = os.lstat(path)
    return stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns


def _is_own(path: str, own: Sequence[str]) -> bool:
    """Whether a build has written a file, or any file in a folder, whose path ends with a slash."""
    at = bisect_left(own, path)
    return at < len(own) and (own[at].startswith(path) if path[-1] == "/" else own[at] == path)
