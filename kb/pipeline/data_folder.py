"""Checks of the data folder: are its builds undamaged, and are all files in it from builds?"""

from __future__ import annotations

import json
import os
import re
import stat
import zlib
from collections.abc import Iterable
from pathlib import Path

from kb.core.problems import KbError, NotBuilt, posix_path

CHECKSUMS = "checksums.json"
_CHUNK = 1 << 20
# Before a search, files of at most this many bytes are checked: it takes 10 to 20 ms. Builds check
# the larger ones, and opening the index of Whoosh checks its own.
_QUICK = 16_000_000
BUILDS, CURRENT, LOCK = "builds", "current", "lock"
# The folder of the previous build's index for browsers.
RETIRED = "shards"
_NUMBER = re.compile(r"[0-9]{1,12}\n?")
# The beginning of the name of a staging directory, and of its lock.
STAGED = ".kb-new-"
# Any of these shows that a folder is a build, even a damaged one.
_PARTS = (CHECKSUMS, "kb.sqlite", "forms.sqlite")


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
    if not os.path.lexists(data):
        return None
    if not data.is_dir():
        return data
    if not _is_lock(data / LOCK):
        return data / LOCK
    if _has_build(data):
        return None
    builds, retired = data / BUILDS, data / RETIRED
    for folder in (builds, retired):
        if os.path.lexists(folder) and not _is_folder(folder):
            return folder
    if builds.is_dir():
        for path in sorted(builds.iterdir()):
            if not path.name.startswith(STAGED):
                return path
    if retired.is_dir() and any(retired.iterdir()):
        return retired
    # Somebody who deletes the builds leaves these files.
    is_left = _read_start(data / CURRENT) is None or (
        (data / LOCK).exists() and _NUMBER.fullmatch(_read_start(data / CURRENT) or "")
    )
    return None if is_left else data / CURRENT


def _has_build(data: Path) -> bool:
    return _is_folder(data / BUILDS) and any(
        (path / part).is_file()
        for path in (data / BUILDS).iterdir()
        if _NUMBER.fullmatch(path.name)
        for part in _PARTS
    )


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _is_lock(path: Path) -> bool:
    """Whether a file is a lock, or missing.

    A lock is empty, or has the number of a process on systems without locks.
    """
    try:
        is_file = stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return True
    return is_file and re.match(r"\d+\s|\Z", _read_start(path) or "") is not None


def _read_start(path: Path) -> str | None:
    """The beginning of a file; None if it is missing."""
    if not os.path.lexists(path):
        return None
    try:
        with path.open("rb") as file:
            return file.read(100).decode("utf-8", "replace")
    except OSError:
        return ""
