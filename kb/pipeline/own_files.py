"""The files of a site that a build wrote, by its own list; all others belong to somebody else.

Whoever publishes a site may keep `.git`, `CNAME` or `.well-known/` in its folder. A build carries
them over, and deletes nothing that is not in the list of the build that it replaces.
"""

from __future__ import annotations

import filecmp
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from kb.core.files import TEMPORARY, link_or_copy, set_mode
from kb.core.problems import KbError, posix_path

# A path below a site, and whether it is a folder.
Other = tuple[str, bool]
# One path a line, this file's own too.
LIST = "files.txt"
# What NFS calls a file that was deleted while a program had it open.
_NFS = re.compile(r"\.nfs[0-9a-f]{16,32}")


def write_list(folder: Path, files: Iterable[str]) -> None:
    """Write the list of a site's files."""
    path = folder / LIST
    # What is there may be the same file as in the site in use.
    path.unlink(missing_ok=True)
    path.write_text("".join(f"{name}\n" for name in sorted({*files, LIST})), encoding="utf-8")


def own_files(folder: Path) -> frozenset[str] | None:
    """The files of a site by its list; None where no finished site has one."""
    listed = listed_files(folder)
    return None if listed is None else frozenset(listed)


def has_list(folder: Path) -> bool:
    """Whether `own_files` can read the list of a site."""
    try:
        (folder / LIST).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    return True


def listed_files(folder: Path) -> list[str] | None:
    """The same in order."""
    try:
        return sorted((folder / LIST).read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        return None


def files_below(folder: Path) -> Iterator[str]:
    """The paths of all files below a folder, links among them, with slashes."""
    for path, is_folder in _entries(folder):
        if not is_folder:
            yield path


def _entries(folder: Path, below: str = "") -> Iterator[tuple[str, bool]]:
    """Everything below a folder, and whether it is a folder; a folder before what is in it."""
    waiting = [below]
    while waiting:
        start = waiting.pop()
        with os.scandir(f"{folder}/{start}") as entries:
            for entry in entries:
                path, is_folder = f"{start}{entry.name}", entry.is_dir(follow_symlinks=False)
                yield path, is_folder
                if is_folder:
                    waiting.append(f"{path}/")


def others_in(site: Path, found: Sequence[Other] | None = None) -> list[Other]:
    """All that is no build's in a site, a folder before what is in it, but for temporary files.

    `found`: what `all_others` returns, where that is known.
    """
    others = all_others(site) if found is None else found
    return [(path, is_folder) for path, is_folder in others if not _is_temporary(path)]


def all_others(site: Path) -> list[Other]:
    """All that is no build's in a site, a folder before what is in it."""
    own = own_files(site) or frozenset()
    own_folders = _folders(own)
    return [
        (path, is_folder)
        for path, is_folder in _entries(site)
        if path not in (own_folders if is_folder else own)
    ]


def carry_over(output: Path, site: Path, others: Sequence[Other] | None = None) -> None:
    """Link into a new site all that is no build's in the one that it is to replace.

    `others`: what was known to be there, where it will be looked for later what has come since.
    Raises KbError where the build has written a file in the same place.
    """
    for path, is_folder in others_in(output) if others is None else _known_others(output, others):
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


def _known_others(output: Path, others: Sequence[Other]) -> Iterator[Other]:
    """Those that are still there, and what has come since at the root, where most are."""
    yield from (other for other in others if os.path.lexists(output / other[0]))
    own, known = own_files(output) or frozenset(), {path for path, _ in others}
    folders = {path.partition("/")[0] for path in own}
    with os.scandir(output) as scan:
        entries = sorted(scan, key=lambda entry: entry.name)
    for entry in entries:
        name = entry.name
        if name in known or name in own or name in folders or _is_temporary(name):
            continue
        yield name, entry.is_dir(follow_symlinks=False)
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(output, f"{name}/")


def _is_temporary(path: str) -> bool:
    """Whether a killed build, or NFS for a program that has an old file open, has left a file."""
    name = path.rpartition("/")[2]
    return name.startswith(TEMPORARY) or _NFS.fullmatch(name) is not None


def _folders(paths: Iterable[str]) -> set[str]:
    """All folders on the way to some files."""
    folders: set[str] = set()
    for path in paths:
        while (path := path.rpartition("/")[0]) and path not in folders:
            folders.add(path)
    return folders


def remove_site(site: Path, place: Path | None) -> None:
    """Delete a site that another has replaced at `place`, or that was never finished.

    What no build wrote is deleted only where `place` has the same; else it is moved there, or
    stays where it is.
    """
    own = own_files(site)
    if own is None or place is None:
        # A staging directory that has never been a site: all in it is the build's, or a copy.
        shutil.rmtree(site, ignore_errors=True)
        return
    for path in own - {LIST}:
        with suppress(OSError):
            os.unlink(f"{site}/{path}")
    for path in sorted(_folders(own), key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(f"{site}/{path}")
    with suppress(OSError):
        hand_over_others(site, place)
        if os.listdir(site) == [LIST]:
            os.unlink(site / LIST)
            os.rmdir(site)


def hand_over_others(site: Path, place: Path, found: Sequence[Other] | None = None) -> bool:
    """Leave in a site that another has replaced at `place` nothing but its own files.

    Return whether nothing else is left. `found`: what is no build's in it, where that is known.
    """
    own = own_files(site)
    if own is None:
        return False
    there, is_done = [*(_entries(site) if found is None else found)], True
    for path in [path for path, is_folder in there if not is_folder and path not in own]:
        if _is_temporary(path):
            os.unlink(site / path)
            continue
        if place.is_dir():
            _hand_over(site / path, place / path)
        is_done = is_done and not os.path.lexists(site / path)
    own_folders = _folders(path for path, is_folder in there if not is_folder and path in own)
    for path in reversed([path for path, is_folder in there if is_folder]):
        if path not in own_folders:
            with suppress(OSError):
                os.rmdir(site / path)
    return is_done


def _hand_over(path: Path, target: Path) -> None:
    with suppress(OSError):
        if not os.path.lexists(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            os.rename(path, target)
        elif _is_same(path, target):
            os.unlink(path)


def _is_same(path: Path, other: Path) -> bool:
    if path.is_symlink() or other.is_symlink():
        return path.is_symlink() and other.is_symlink() and os.readlink(path) == os.readlink(other)
    return path.samefile(other) or filecmp.cmp(path, other, shallow=False)
