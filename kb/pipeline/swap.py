"""How a finished build takes the place of the last one.

Readers see the old folder or the new one, never half of it.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
from contextlib import suppress
from pathlib import Path

from kb.core import urls
from kb.core.files import (
    TEMPORARY,
    is_inside,
    link_or_copy,
    remove_temporary_files,
    write_file,
)
from kb.core.problems import KbError
from kb.pipeline.data_folder import CHECKSUMS, RETIRED, write_checksums
from kb.pipeline.inputs import STAMP
from kb.pipeline.own_files import LIST, carry_over, files_below, own_files
from kb.pipeline.paths import Paths
from kb.pipeline.staging import moved_away

_NUMBER = re.compile("[0-9]+")
_AT_FDCWD = -100
_EXCHANGE = 2


def refuse_foreign_folder(output: Path, paths: Paths) -> None:
    """Raise KbError where the site would replace anything but an earlier site."""
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise KbError(f"{output}: not a folder; --output names a folder for the site")
    if is_inside(output, paths.rulings) or is_inside(output, paths.data):
        raise KbError(f"{output}: is among the records or what is built from them; name another")
    if not output.exists() or not any(output.iterdir()):
        return
    if is_inside(paths.rulings, output) or is_inside(paths.data, output):
        raise KbError(f"{output}: the records, or what is built from them, are in it; name another")
    try:
        ours = json.loads((output / STAMP).read_text(encoding="utf-8"))["generator"] == "kb"
    except (OSError, ValueError, KeyError, TypeError):
        ours = False
    if not ours:
        raise KbError(
            f"{output}: holds files that no build of the site made;"
            " name an empty or a new folder with --output"
        )
    if own_files(output) is None:
        raise KbError(
            f"{output}: has no {LIST} that tells the site's own files from yours;"
            " move yours away (such as .git or CNAME) and build into a new folder"
        )


def leave_robots_out(site: Path, output: Path) -> bool:
    """Delete the build's robots.txt if the webmaster has one in the folder; whether it did."""
    is_own = urls.ROBOTS in (own_files(output) or ())
    if is_own or not all((folder / urls.ROBOTS).is_file() for folder in (site, output)):
        return False
    (site / urls.ROBOTS).unlink()
    return True


def swap_in_site(site: Path, output: Path) -> None:
    """Put the site in its place. Unchanged files keep their times, other people's files stay.

    Raises KbError where the site has a file in the place of somebody else's.
    """
    if output.exists():
        # The stamp is the newest file of a site: somebody has changed any newer file.
        reuse_unchanged_files(site, output, but=STAMP)
        carry_over(output, site)
        if not any(output.iterdir()):
            output.rmdir()
    swap(site, output)


def retain_index(output: Path, data: Path) -> None:
    """Keep the browser's index of the old site in `data` until the next build, for open pages."""
    retired, index = data / RETIRED, output / urls.SEARCH_INDEX
    if retired.is_dir():
        shutil.rmtree(retired)
    if index.is_dir():
        for name in files_below(index):
            (retired / name).parent.mkdir(parents=True, exist_ok=True)
            link_or_copy(index / name, retired / name)


def swap_in_data(staged: Path, data: Path) -> None:
    """Move a build in and point `current` at it.

    Deletes older builds, except the one that was current: a reader may still have it open.
    """
    keep: set[str] = set()
    builds = data / "builds"
    with suppress(OSError):
        keep.add((data / "current").read_text(encoding="utf-8").strip())
    write_checksums(staged)
    numbers = (int(path.name) for path in builds.iterdir() if _NUMBER.fullmatch(path.name))
    number = str(max(numbers, default=0) + 1)
    staged.rename(builds / number)
    write_file(data / "current", f"{number}\n")
    remove_temporary_files(data)
    for path in builds.iterdir():
        if _NUMBER.fullmatch(path.name) and path.name not in {number, *keep}:
            _remove_build(path)


def _remove_build(folder: Path) -> None:
    """Delete an old build, its checksums last: they identify a build that was half deleted."""
    with suppress(OSError):
        children = list(folder.iterdir())
        if children and not (folder / CHECKSUMS).is_file():
            return
        for child in children:
            if child.is_dir() and not child.is_symlink():
                shutil.rmtree(child)
            elif child.name != CHECKSUMS:
                child.unlink()
        (folder / CHECKSUMS).unlink(missing_ok=True)
        folder.rmdir()


def reuse_unchanged_files(new: Path, old: Path, but: str = "") -> None:
    """Replace every file of `new` that equals its namesake in `old` by a link to it.

    Copying programs and web servers then see only the changed files. Where the file system has no
    links, the files get the same times. Files with the name `but` stay new.
    """
    for folder, _, names in os.walk(new):
        other = f"{old}{folder.removeprefix(str(new))}"
        for name in names:
            mine, theirs = f"{folder}/{name}", f"{other}/{name}"
            if name == but or os.path.islink(theirs) or not _is_same(mine, theirs):
                continue
            link = f"{folder}/{TEMPORARY}same"
            try:
                os.link(theirs, link)
                os.replace(link, mine)
            except OSError:
                status = os.stat(theirs)
                os.utime(mine, ns=(status.st_atime_ns, status.st_mtime_ns))


def _is_same(one: str, other: str) -> bool:
    try:
        if os.stat(one).st_size != os.stat(other).st_size:
            return False
        with open(one, "rb", buffering=0) as first, open(other, "rb", buffering=0) as second:
            return first.read() == second.read()
    except OSError:
        return False


def swap(new: Path, place: Path) -> None:
    """Exchange the staging directory `new` with the folder at `place`.

    One atomic exchange where the system has it (Linux), else two renames.
    """
    if not place.exists():
        new.rename(place)
        return
    if not _exchange(new, place):
        place.rename(moved_away(new))
        new.rename(place)


def _exchange(one: Path, other: Path) -> bool:
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    return bool(
        renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0
    )
