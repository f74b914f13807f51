"""What a build is made from, as a hash, and what its site says of itself in build.json."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.parallel import map_chunks
from kb.core.problems import KbError
from kb.pipeline.own_files import listed_files
from kb.records.history import resolve_revision

if TYPE_CHECKING:
    from kb.records.library import Library

STAMP = "build.json"
# Files of a site that one process looks at.
_CHUNK = 20_000
COUNTS = ("rulings", "cards", "games", "pages")


def program_hash(templates: Sequence[Mapping[str, str]], options: object) -> str:
    """A hash of this program, the templates and the options: all that is not records.

    `templates`: checksums of the files in each folder of templates.
    """
    checksums = {
        f"{number}/{name}": checksum
        for number, folder in enumerate(templates)
        for name, checksum in folder.items()
    }
    return _hash(f"{code_hash()} {options!r}", checksums)


def head_revision(rulings: Path) -> str:
    """The last commit of the records' history; empty where they have none."""
    try:
        return resolve_revision(rulings, "HEAD")
    except KbError:
        return ""


def inputs_hash(checksums: Mapping[str, str], program: str) -> str:
    """A hash of all that goes into a build: records, program and history, SOURCE_DATE_EPOCH."""
    return _hash(f"{program} {os.environ.get('SOURCE_DATE_EPOCH', '')}", checksums)


def _hash(text: str, checksums: Mapping[str, str]) -> str:
    files = "".join(f"\n{checksums[path]} {path}" for path in sorted(checksums))
    return hashlib.sha256(f"{text}{files}".encode("utf-8", "backslashreplace")).hexdigest()


@cache
def code_hash() -> str:
    """A hash of this program's code."""
    digest = hashlib.sha256()
    package = Path(__file__).resolve().parent.parent
    for path in sorted(package.rglob("*.py")):
        if "_data" not in path.parts:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def build_date() -> str:
    """Today in UTC, or the day of SOURCE_DATE_EPOCH where that is set, as 2003-06-01."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise KbError(
            f"SOURCE_DATE_EPOCH: {epoch[:40]!r} is no number of seconds since 1970"
        ) from None
    return moment.date().isoformat()


def build_id(library: Library) -> str:
    """The build's id: the same records give the same id."""
    checksums = repr(sorted(library.checksums.items()))
    return hashlib.sha256(checksums.encode("utf-8", "backslashreplace")).hexdigest()[:12]


def write_stamp(folder: Path, stamp: Mapping[str, object]) -> None:
    """Write build.json into the folder of a site, as its last file."""
    # What is there may be the same file as in the site in use.
    (folder / STAMP).unlink(missing_ok=True)
    (folder / STAMP).write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")


def _newest(folder: Path, paths: Sequence[str]) -> float:
    """When the last of some files in a folder was written."""
    return max(os.lstat(f"{folder}/{path}").st_mtime for path in paths)


def site_counts(output: Path, inputs: str) -> dict[str, int] | None:
    """The counts in build.json, when the site was built from some inputs and is still whole."""
    try:
        stamp = json.loads((output / STAMP).read_text(encoding="utf-8"))
        if not inputs or stamp["inputs"] != inputs:
            return None
        files = listed_files(output) or ()
        last = os.stat(output / STAMP).st_mtime
        whole = stamp["files"] == len(files) and last >= max(
            map_chunks(partial(_newest, output), files, _CHUNK), default=last
        )
        return {name: int(stamp[name]) for name in COUNTS} if whole else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
