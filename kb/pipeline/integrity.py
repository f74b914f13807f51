"""Checksums of a build's files, so that a damaged file is found before it becomes an answer."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from pathlib import Path

from kb.core.problems import NotBuilt

CHECKSUMS = "checksums.json"
_CHUNK = 1 << 20
# Reading so many bytes before a search takes a hundredth of a second or two. Larger files are
# checked by builds, and by whoever opens the index of Whoosh.
_QUICK = 16_000_000


def write_checksums(folder: Path) -> None:
    """Write the checksums of all files of a build."""
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    checksums = {path.relative_to(folder).as_posix(): _checksum(path) for path in paths}
    (folder / CHECKSUMS).write_text(json.dumps(checksums, indent=0) + "\n", encoding="utf-8")


def verify_checksums(folder: Path, names: Iterable[str] = (), limit: int | None = None) -> None:
    """Raise NotBuilt unless some files of a build, by default all, are as they were written.

    A file of more than `limit` bytes is not read. A build without checksums is of another version.
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
    """Raise NotBuilt when the store or the table of forms is damaged, unless they are large."""
    verify_checksums(folder, ("kb.sqlite", "forms.sqlite"), _QUICK)


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            checksum = zlib.crc32(chunk, checksum)
    return checksum
