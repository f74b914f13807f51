"""The list of the files that a build wrote; all other files of a site belong to somebody else.

A webmaster may keep `.git`, `CNAME` or `.well-known/` in the folder of a site. A build carries
them over, and deletes only the files in the list of the build that it replaces.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

from kb.core.files import TEMPORARY, link_or_copy, set_mode
from kb.core.problems import KbError, posix_path

# One path a line, its own path among them.
LIST = "files.txt"
# Folders removed in parallel.
_THREADS = 16
# NFS gives such a name to a file that was deleted while a program had it open.
_NFS = re.compile(r"\.nfs[0-9a-f]{16,32}")


def write_list(folder: Path, files: Iterable[str]) -> None:
    """Write the list of a site's files."""
    names = sorted({*files, LIST})
    (folder / LIST).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")


def own_files(folder: Path) -> frozenset[str] | None:
    """The files of a site by its list; None without a list."""
    try:
        return frozenset((folder / LIST).read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        return None


def files_below(folder: Path) -> Iterator[str]:
    """The paths of all files below a folder, links among them, with slashes."""
    return (path for path, is_folder in _entries(folder) if not is_folder)


def _entries(folder: Path) -> Iterator[tuple[str, bool]]:
    """The paths below a folder, each with whether it is a folder; folders before their contents."""
    waiting = [""]
    while waiting:
        start = waiting.pop()
        with os.scandir(f"{folder}/{start}") as entries:
            for entry in entries:
                path, is_folder = f"{start}{entry.name}", entry.is_dir(follow_symlinks=False)
                yield path, is_folder
                if is_folder:
                    waiting.append(f"{path}/")


def carry_over(output: Path, site: Path) -> None:
    """Link other people's files from the folder of a site into the new site.

    Raises KbError where the build has written a file in the same place.
    """
    own = own_files(output) or frozenset()
    own |= {parent.as_posix() for name in own for parent in Path(name).parents}
    for path, is_folder in _entries(output):
        if path in own or _is_temporary(path):
            continue
        try:
            if is_folder:
                (site / path).mkdir(exist_ok=True)
                set_mode(site / path, (output / path).stat().st_mode & 0o7777)
            else:
                link_or_copy(output / path, site / path)
        except (FileExistsError, NotADirectoryError):
            raise KbError(
                f"{posix_path(output / path)}: is not the build's, and the build would write a"
                " file there; move it away"
            ) from None


def _is_temporary(path: str) -> bool:
    """Whether a killed build left a file, or NFS for a program that had it open."""
    name = path.rpartition("/")[2]
    return name.startswith(TEMPORARY) or _NFS.fullmatch(name) is not None


def remove_site(site: Path, place: Path | None) -> None:
    """Delete a site that was replaced by the one at `place`, or was never finished.

    Other people's files are deleted only where `place` has the same; else they are moved there,
    or stay.
    """
    own = own_files(site)
    if own is None or place is None:
        # A staging directory that never was a site holds only files of the build and copies.
        shutil.rmtree(site, ignore_errors=True)
        return
    folders: dict[int, list[str]] = {}
    for path, is_folder in [*_entries(site)]:
        with suppress(OSError):
            if is_folder:
                folders.setdefault(path.count("/"), []).append(path)
            elif path in own or _is_temporary(path):
                # Keep the list to the end: if this build is killed, the next one needs it.
                if path != LIST:
                    os.unlink(site / path)
            elif place.is_dir():
                _hand_over(site / path, place / path)
    # Linux may wait 2 ms for each folder: the 1,280 folders of the three games' site, removed one
    # after another, would take as long as the rest of a build.
    with ThreadPoolExecutor(_THREADS) as threads:
        for depth in sorted(folders, reverse=True):
            list(threads.map(partial(_remove_empty, site), folders[depth]))
    with suppress(OSError):
        if os.listdir(site) == [LIST]:
            os.unlink(site / LIST)
            os.rmdir(site)


def _remove_empty(site: Path, folder: str) -> None:
    with suppress(OSError):
        os.rmdir(site / folder)


def _hand_over(path: Path, target: Path) -> None:
    if not os.path.lexists(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(path, target)
    elif _has_same_content(path, target):
        os.unlink(path)


def _has_same_content(path: Path, other: Path) -> bool:
    if path.is_symlink() or other.is_symlink():
        return path.is_symlink() and other.is_symlink() and os.readlink(path) == os.readlink(other)
    return path.samefile(other) or filecmp.cmp(path, other, shallow=False)
