"""The folder of a site: which files are a build's, and how a new site takes its place.

A webmaster may keep `.git`, `CNAME` or `.well-known/` in the folder. A build carries them over,
and deletes only the files in the list of the build that it replaces. Readers see the old site or
the new one, never half of it.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from kb.core import urls
from kb.core.files import TEMPORARY, is_inside, link_or_copy, set_mode
from kb.core.json import dumps
from kb.core.problems import KbError, posix_path
from kb.pipeline.paths import Paths

# The list of a site's files, one path a line, its own path among them.
LIST = "files.txt"
# The file that describes a site's build.
STAMP = "build.json"
COUNTS = ("rulings", "cards", "games", "pages")
# Folders removed in parallel.
_THREADS = 16
# NFS gives such a name to a file that was deleted while a program had it open.
_NFS = re.compile(r"\.nfs[0-9a-f]{16,32}")
_AT_FDCWD = -100
_EXCHANGE = 2
# The end of the name of a replaced folder.
OLD = ".old"


def finish_site(folder: Path, files: Iterable[str], stamp: Mapping[str, object]) -> None:
    """Write the list of a site's files, and last build.json with their number."""
    names = sorted({*files, LIST, STAMP})
    (folder / LIST).write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
    text = dumps({**stamp, "files": len(names)})
    (folder / STAMP).write_text(f"{text}\n", encoding="utf-8")


def own_files(folder: Path) -> frozenset[str] | None:
    """The files of a site by its list; None without a list."""
    try:
        return frozenset((folder / LIST).read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        return None


def read_stamp(folder: Path) -> dict[str, Any]:
    """The content of a site's build.json; empty if it cannot be read."""
    try:
        stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def site_counts(output: Path, inputs: str) -> dict[str, int] | None:
    """The counts in build.json if the site is whole and was built from `inputs`, else None."""
    stamp, files = read_stamp(output), own_files(output) or ()
    if stamp.get("inputs") != inputs or stamp.get("files") != len(files):
        return None
    try:
        last = os.stat(output / STAMP).st_mtime
        if any(os.lstat(f"{output}/{path}").st_mtime > last for path in files):
            return None
        return {name: int(stamp[name]) for name in COUNTS}
    except (OSError, ValueError, KeyError, TypeError):
        return None


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
    if read_stamp(output).get("generator") != "kb":
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
        reuse_unchanged_files(site, output)
        carry_over(output, site)
        if not any(output.iterdir()):
            output.rmdir()
    swap(site, output)


def reuse_unchanged_files(new: Path, old: Path) -> None:
    """Replace every file of `new` that equals the file of that name in `old` by a hard link.

    Copying programs and web servers then see only the changed files. Where the file system has no
    links, the files get the same times. The stamp stays new: it tells the files changed after it.
    """
    for folder, _, names in os.walk(new):
        other = f"{old}{folder.removeprefix(str(new))}"
        for name in names:
            mine, theirs = f"{folder}/{name}", f"{other}/{name}"
            if name == STAMP or os.path.islink(theirs) or not _is_same(mine, theirs):
                continue
            link = f"{folder}/{TEMPORARY}same"
            try:
                os.link(theirs, link)
                os.replace(link, mine)
            except OSError:
                status = os.stat(theirs)
                os.utime(mine, ns=(status.st_atime_ns, status.st_mtime_ns))


def _is_same(one: str | Path, other: str | Path) -> bool:
    try:
        if os.stat(one).st_size != os.stat(other).st_size:
            return False
        with open(one, "rb", buffering=0) as first, open(other, "rb", buffering=0) as second:
            return first.read() == second.read()
    except OSError:
        return False


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


def _is_temporary(path: str) -> bool:
    """Whether a killed build left a file, or NFS for a program that had it open."""
    name = path.rpartition("/")[2]
    return name.startswith(TEMPORARY) or _NFS.fullmatch(name) is not None


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


def moved_away(staged: Path) -> Path:
    """Where a swap in two steps puts the old folder."""
    return staged.with_name(staged.name + OLD)


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
    elif path.is_symlink() or target.is_symlink():
        if path.is_symlink() and target.is_symlink() and os.readlink(path) == os.readlink(target):
            os.unlink(path)
    elif path.samefile(target) or _is_same(path, target):
        os.unlink(path)
