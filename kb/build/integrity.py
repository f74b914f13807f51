"""Checksums of a build's files, written with it: a bit that flipped on the disk is found before it becomes an answer."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from pathlib import Path

from kb.core.problems import NotBuilt

SUMS = "sums"
_PIECE = 1 << 20
# What a search looks over before it answers takes no longer than a hundredth of a second or two; larger files are looked over by
# builds, and by whoever reads the index of Whoosh.
_QUICK = 16_000_000


def write_checksums(folder: Path) -> None:
    """Notes the checksums of everything in the folder of a build."""
    found = {
        path.relative_to(folder).as_posix(): _sum(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != SUMS
    }
    (folder / SUMS).write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


def verify_checksums(folder: Path, names: Iterable[str] = (), most: int | None = None) -> None:
    """Raises NotBuilt unless the files of a build (those of the names; by default all) are as they were written.

    Of more than `most` bytes a file is not looked at. A build without checksums is of another version.
    """
    try:
        known: dict[str, int] = json.loads((folder / SUMS).read_text(encoding="utf-8"))
        for name in names or known:
            path = folder / name
            if (most is None or path.stat().st_size <= most) and _sum(path) != known[name]:
                raise NotBuilt(f"{name} of the last build is damaged")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise NotBuilt(
            f"the last build is missing something or of another version ({type(error).__name__})"
        ) from None


def verify_small_files(folder: Path) -> None:
    """Raises NotBuilt when the store or the table of forms is not as it was written, as far as that is told at once."""
    verify_checksums(folder, ("kb.sqlite", "forms.sqlite"), _QUICK)


def _sum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            found = zlib.crc32(piece, found)
    return found
