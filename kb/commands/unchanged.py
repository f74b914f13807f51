"""Whether a build would make anything new: a hash of all that goes into it, kept with what came out."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kb.commands.places import Places
from kb.problems import NotBuilt

STAMP = "build.json"
INPUTS = "inputs"
# No record is longer; what is, is a problem that its length tells.
_MOST = 20_000_000


def program(templates: Path, options: object) -> str:
    """A hash of this program, the templates and the options: all that a build depends on besides the records."""
    return _digest(f"{_code()} {options!r}", templates)


def inputs(rulings: Path, program: str) -> str:
    """A hash of all that goes into a build: the records, their history, and the program."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return _digest(f"{program} {_revision(rulings)} {epoch}", rulings)


def _digest(text: str, root: Path) -> str:
    digest = hashlib.sha256(text.encode())
    for path in _files(root):
        try:
            with path.open("rb") as file:
                data = file.read(_MOST)
        except FileNotFoundError:
            # Deleted since it was listed.
            continue
        digest.update(f"{path.relative_to(root).as_posix()} {len(data)}\n".encode("utf-8", "replace"))
        digest.update(data)
    return digest.hexdigest()


def _files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in sorted(names):
            path = Path(folder) / name
            if not name.startswith(".") and path.is_file() and not path.is_symlink():
                yield path


def _revision(rulings: Path) -> str:
    from kb.problems import KbError
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


def last(places: Places, output: Path) -> tuple[str, dict[str, int]] | None:
    """What the last build was made of, by `inputs`, and its counts, when its site is still whole; else None."""
    try:
        key = (places.current / INPUTS).read_text(encoding="utf-8")
        stamp = json.loads((output / STAMP).read_text(encoding="utf-8"))
        whole = bool(key) and stamp["inputs"] == key and stamp["files"] == _untouched(output, (output / STAMP).stat().st_mtime)
        counts = {name: int(stamp[name]) for name in ("rulings", "cards", "games", "pages")}
    except (OSError, ValueError, KeyError, TypeError, NotBuilt):
        return None
    return (key, counts) if whole else None


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


def unchanged(key: str, places: Places, output: Path) -> dict[str, int] | None:
    """The counts of the last build when site and index were made of the same inputs and are whole; else None."""
    found = last(places, output)
    if found is None or found[0] != key:
        return None
    counts = found[1]
    # Records that were touched and not changed are no news for a search.
    os.utime(places.data / "current")
    return counts
