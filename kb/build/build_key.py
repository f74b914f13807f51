"""Whether a build would make anything new: a hash of all that goes into it, kept with what came out."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from kb.build.paths import Paths
from kb.build.stat_cache import StatCache
from kb.core.problems import NotBuilt

STAMP = "build.json"
INPUTS = "inputs"


def program(templates: Path, options: object) -> str:
    """A hash of this program, the templates and the options: all that a build depends on besides the records."""
    return _digest(f"{_code()} {options!r}", StatCache(templates).sums)


def inputs(rulings: Path, sums: Mapping[str, str], program: str) -> str:
    """A hash of all that goes into a build: the records by their checksums, their history, and the program."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return _digest(f"{program} {_revision(rulings)} {epoch}", sums)


def _digest(text: str, sums: Mapping[str, str]) -> str:
    told = "".join(f"\n{sums[path]} {path}" for path in sorted(sums))
    return hashlib.sha256(f"{text}{told}".encode("utf-8", "backslashreplace")).hexdigest()


def _revision(rulings: Path) -> str:
    from kb.core.problems import KbError
    from kb.records.history import revision_of

    try:
        return revision_of(rulings, "HEAD")
    except KbError:
        return ""


@cache
def _code() -> str:
    digest = hashlib.sha256()
    package = Path(__file__).resolve().parent.parent
    for path in sorted(package.rglob("*.py")):
        if "_data" not in path.parts:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def last(places: Paths, output: Path) -> dict[str, int] | None:
    """The counts of the last build when its site is still whole; else None."""
    try:
        key = (places.current / INPUTS).read_text(encoding="utf-8")
        stamp = json.loads((output / STAMP).read_text(encoding="utf-8"))
        whole = (
            bool(key)
            and stamp["inputs"] == key
            and stamp["files"] == _untouched(output, (output / STAMP).stat().st_mtime)
        )
        counts = {name: int(stamp[name]) for name in ("rulings", "cards", "games", "pages")}
    except (OSError, ValueError, KeyError, TypeError, NotBuilt):
        return None
    return counts if whole else None


def _untouched(folder: Path | str, since: float) -> int:
    """How many files a folder holds that have not been written after a moment; -1 when another has."""
    count = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                inside = _untouched(entry.path, since)
                if inside < 0:
                    return -1
                count += inside
            elif entry.stat(follow_symlinks=False).st_mtime > since:
                return -1
            else:
                count += 1
    return count


def unchanged(key: str, places: Paths, output: Path) -> dict[str, int] | None:
    """The counts of the last build when site and index were made of the same inputs and are whole; else None."""
    try:
        if (places.current / INPUTS).read_text(encoding="utf-8") != key:
            return None
    except (OSError, ValueError, NotBuilt):
        return None
    counts = last(places, output)
    if counts is None:
        return None
    # Records that were touched and not changed are no news for a search.
    os.utime(places.data / "current")
    return counts
