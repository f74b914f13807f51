"""The data folder: its lock, its builds with their checksums, and which build is current."""

from __future__ import annotations

import json
import os
import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.files import TEMPORARY, is_own
from kb.core.problems import KbError, NotBuilt, posix_path

if TYPE_CHECKING:
    from kb.search.searcher import Searcher

CHECKSUMS = "checksums.json"
_CHUNK = 1 << 20
# Before a search, databases of at most this many bytes are checked: it takes 10 to 20 ms. Builds
# check the larger ones.
_QUICK = 16_000_000
BUILDS, CURRENT, LOCK = "builds", "current", "lock"
BUILD_NUMBER = re.compile("[0-9]{1,12}")
# The folder among the builds that the running build writes into.
_STAGED = "new"
# Marks the folder as kb's, and for programs that make backups as derived (bford.info/cachedir).
_TAG = "CACHEDIR.TAG"
_TAG_TEXT = "Signature: 8a477f597d28d172789f06886806bc55\n# Derived from the records by kb build.\n"
# Seconds to wait for the last process of a killed build to drop its lock.
_PATIENCE = 3.0


@contextmanager
def staging_build(data: Path) -> Iterator[Path]:
    """Yield an empty directory for a new build, to be made current by `switch_builds`.

    Removed again if it is still there at the end. Holds the lock of the data folder. Raises KbError
    when another build holds it, or for a folder with files that no build wrote.
    """
    from filelock import FileLock, Timeout

    _require_own(data)
    # First the mark: the next build knows a folder as kb's wherever this one is killed.
    data.mkdir(parents=True, exist_ok=True)
    (data / _TAG).write_text(_TAG_TEXT, encoding="ascii")
    (data / BUILDS).mkdir(exist_ok=True)
    # Only for the user: anyone who can open a lock can hold it.
    lock = FileLock(data / LOCK, timeout=_PATIENCE, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        raise KbError(f"another build is running in {data}; wait for it to end") from None
    staged = data / BUILDS / _STAGED
    try:
        for left in data.glob(f"{TEMPORARY}*"):
            left.unlink()
        shutil.rmtree(staged, ignore_errors=True)
        staged.mkdir()
        yield staged
    finally:
        shutil.rmtree(staged, ignore_errors=True)
        lock.release()


@contextmanager
def switch_builds(staged: Path, data: Path) -> Iterator[None]:
    """Make a staged build current when the block ends; delete older ones.

    The build that was current stays for its readers.
    """
    write_checksums(staged)
    old = _current_number(data)
    number = max((int(path.name) for path in _builds(data)), default=0) + 1
    staged.rename(data / BUILDS / str(number))
    # Before the block: a full disk is noticed while nothing has changed.
    pointer = data / f"{TEMPORARY}{CURRENT}"
    pointer.write_text(f"{number}\n", encoding="ascii")
    yield
    pointer.replace(data / CURRENT)
    for path in _builds(data):
        if path.name not in (old, str(number)):
            shutil.rmtree(path, ignore_errors=True)


def current_build(data: Path) -> Path:
    """Return the folder of the current build. Raises NotBuilt without a build."""
    number = _current_number(data)
    if not number:
        raise NotBuilt("nothing is built yet")
    if not (data / BUILDS / number).is_dir():
        raise NotBuilt("the current build is gone")
    return data / BUILDS / number


def _current_number(data: Path) -> str:
    """Return the number of the current build; empty without a build."""
    try:
        number = (data / CURRENT).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        return ""
    return number if BUILD_NUMBER.fullmatch(number) else ""


def _builds(data: Path) -> list[Path]:
    return [
        path
        for path in (data / BUILDS).iterdir()
        if BUILD_NUMBER.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
    ]


def open_build(folder: Path) -> Searcher:
    """Open a build. Raises NotBuilt when it is damaged or of another version."""
    from kb.search.searcher import Searcher

    verify_checksums(folder, _QUICK)
    return Searcher(folder)


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files of a build."""
    checksums = {name: _checksum(path) for name, path in _files(folder)}
    (folder / CHECKSUMS).write_text(json.dumps(checksums, indent=0) + "\n", encoding="utf-8")


def verify_checksums(folder: Path, limit: int | None = None) -> None:
    """Raise NotBuilt unless the files of a build match their checksums.

    Skips databases of more than `limit` bytes. A build without checksums is of another version.
    """
    try:
        known: dict[str, int] = json.loads((folder / CHECKSUMS).read_text(encoding="utf-8"))
        for name, path in _files(folder):
            checksum, is_database = known.pop(name), path.suffix == ".sqlite"
            if limit is not None and is_database and path.stat().st_size > limit:
                continue
            if _checksum(path) != checksum:
                raise NotBuilt(f"{name} of the last build is damaged")
        if known:
            raise KeyError(*known)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotBuilt(
            f"the last build is missing something or of another version ({type(error).__name__})"
        ) from None


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files of a build, but for their checksums, with their paths in it."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != CHECKSUMS:
            yield path.relative_to(folder).as_posix(), path


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return checksum


def _require_own(data: Path) -> None:
    """Raise KbError for a folder with files unless a build of this user has marked it."""
    if data.is_dir():
        if not is_own(data.stat()):
            raise KbError(
                f"{posix_path(data)}: belongs to another user;"
                " name a folder of your own with KB_DATA"
            )
        is_marked = (data / _TAG).is_file() and not (data / BUILDS).is_symlink()
        if is_marked or not any(data.iterdir()):
            return
    if os.path.lexists(data):
        raise KbError(
            f"{posix_path(data)}: kb did not make this; name a new or an empty folder with KB_DATA"
        )
