"""The data folder: its lock and its builds, their checksums, and a check for foreign files."""

from __future__ import annotations

import json
import os
import re
import shutil
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kb.core.files import link_or_copy, remove_temporary_files, write_file
from kb.core.problems import KbError, NotBuilt, posix_path

CHECKSUMS = "checksums.json"
_CHUNK = 1 << 20
# Before a search, files of at most this many bytes are checked: it takes 10 to 20 ms. Builds check
# the larger ones, and opening the index of Whoosh checks its own.
_QUICK = 16_000_000
BUILDS, CURRENT, LOCK = "builds", "current", "lock"
# The folder of the previous build's index for browsers.
RETIRED = "shards"
BUILD_NUMBER = re.compile("[0-9]{1,12}")
# The beginning of the name of a staging directory, and of its lock.
STAGED = ".kb-new-"
# Any of these shows that a folder is a build, even a damaged one.
_PARTS = (CHECKSUMS, "kb.sqlite", "forms.sqlite")
# Seconds to wait for the last process of a killed build to drop its lock.
_PATIENCE = 3.0
_POLL = 0.05


@contextmanager
def build_lock(data: Path) -> Iterator[None]:
    """Hold the lock of the data folder while one build writes into it.

    The system drops the lock with the process, so that a killed build leaves none. Raises KbError
    when another build holds it, or when a build would overwrite or delete files of somebody else.
    """
    from filelock import FileLock, Timeout

    refuse_foreign_data(data)
    data.mkdir(parents=True, exist_ok=True)
    lock = FileLock(data / LOCK, timeout=_PATIENCE, poll_interval=_POLL)
    try:
        lock.acquire()
    except Timeout:
        raise KbError(f"another build is at work in {data}; wait for it to end") from None
    try:
        yield
    finally:
        lock.release()


def swap_in_data(staged: Path, data: Path) -> None:
    """Move a build in and point `current` at it.

    Deletes older builds, except the one that was current: a reader may still have it open.
    """
    write_checksums(staged)
    builds, kept = data / BUILDS, _start(data / CURRENT).strip()
    numbers = [int(path.name) for path in builds.iterdir() if BUILD_NUMBER.fullmatch(path.name)]
    number = max(numbers, default=0) + 1
    staged.rename(builds / str(number))
    write_file(data / CURRENT, f"{number}\n")
    remove_temporary_files(data)
    for old in numbers:
        if str(old) != kept:
            _remove_build(builds / str(old))


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


def retain_index(index: Path, data: Path) -> None:
    """Keep the browser's index of the old site in `data` until the next build, for open pages."""
    if (data / RETIRED).is_dir():
        shutil.rmtree(data / RETIRED)
    for path in index.glob("**/*.js"):
        target = data / RETIRED / path.relative_to(index)
        target.parent.mkdir(parents=True, exist_ok=True)
        link_or_copy(path, target)


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files of a build."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    checksums = {path.relative_to(folder).as_posix(): _checksum(path) for path in paths}
    (folder / CHECKSUMS).write_text(json.dumps(checksums, indent=0) + "\n", encoding="utf-8")


def verify_checksums(folder: Path, names: Iterable[str] = (), limit: int | None = None) -> None:
    """Raise NotBuilt unless the named files of a build, by default all, match their checksums.

    Skips files of more than `limit` bytes. A build without checksums is of another version.
    """
    try:
        known: dict[str, int] = json.loads((folder / CHECKSUMS).read_text(encoding="utf-8"))
        for name in names or known:
            path = folder / name
            if (limit is None or path.stat().st_size <= limit) and _checksum(path) != known[name]:
                raise NotBuilt(f"{name} of the last build is damaged")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotBuilt(
            f"the last build is missing something or of another version ({type(error).__name__})"
        ) from None


def verify_small_files(folder: Path) -> None:
    """Raise NotBuilt if the store or the table of forms is damaged; skips large ones."""
    verify_checksums(folder, ("kb.sqlite", "forms.sqlite"), _QUICK)


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return checksum


def refuse_foreign_data(data: Path) -> None:
    """Raise KbError if a build would overwrite or delete files that no build wrote."""
    foreign = _foreign_file(data)
    if foreign is not None:
        raise KbError(
            f"{posix_path(foreign)}: is not kb's; KB_DATA names a folder for what kb build derives"
            " from the records, with nothing else in it"
        )


def _foreign_file(data: Path) -> Path | None:
    """A file or folder in the way of a build that no build wrote, else None."""
    if not data.is_dir():
        return data if os.path.lexists(data) else None
    if not _is_lock(data / LOCK):
        return data / LOCK
    if _has_build(data):
        return None
    foreign = [path for path in _content(data / BUILDS) if not path.name.startswith(STAGED)]
    foreign += _content(data / RETIRED)
    # Somebody who deletes the builds leaves lock and `current`.
    is_left = (data / LOCK).exists() and BUILD_NUMBER.fullmatch(_start(data / CURRENT).strip())
    if os.path.lexists(data / CURRENT) and not is_left:
        foreign.append(data / CURRENT)
    return next(iter(foreign), None)


def _has_build(data: Path) -> bool:
    return any(
        (path / part).is_file()
        for path in _content(data / BUILDS)
        if BUILD_NUMBER.fullmatch(path.name)
        for part in _PARTS
    )


def _content(folder: Path) -> list[Path]:
    """The content of a folder that may be missing; anything but a folder itself."""
    if folder.is_dir() and not folder.is_symlink():
        return sorted(folder.iterdir())
    return [folder] if os.path.lexists(folder) else []


def _is_lock(path: Path) -> bool:
    """Whether a file is a lock, or missing.

    A lock is empty, or has the number of a process on systems without locks.
    """
    if not os.path.lexists(path):
        return True
    is_file = path.is_file() and not path.is_symlink()
    return is_file and re.match(r"\d+\s|\Z", _start(path)) is not None


def _start(path: Path) -> str:
    """The beginning of a file; empty if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(100).decode("utf-8", "replace")
    except OSError:
        return ""
