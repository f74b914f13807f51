"""The inputs of a build, as one hash."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from kb.core.problems import KbError
from kb.language.answers import program_version
from kb.pipeline.paths import Paths, find_templates
from kb.records.history import resolve_revision
from kb.records.roots import has_site_files, static_folder
from kb.records.validity import today

# The file of a build that holds the hash of its inputs.
INPUTS = "inputs"


def input_hash(places: Paths, options: object) -> str:
    """Hash records, templates, program, history and `options`."""
    parts = [
        code_hash(),
        repr(options),
        head_revision(places.rulings),
        # What is in force depends on the day, and pages name the day of the build.
        (today(), build_date()),
        sorted(_checksums(places.rulings)),
        _site_checksums(places.rulings),
        sorted(_checksums(static_folder(places.rulings), hidden=True)),
        *(sorted(_checksums(folder)) for folder in find_templates(places.rulings).folders),
    ]
    text = repr(parts).encode("utf-8", "backslashreplace")
    return hashlib.sha256(text).hexdigest()


def _site_checksums(rulings: Path) -> list[tuple[str, str]]:
    """Checksums of site.yaml and the files that it names; empty in most bases."""
    if not has_site_files(rulings):
        return []
    from kb.records.site_config import read_site_files

    return sorted(read_site_files(rulings).checksums.items())


def _checksums(folder: Path, *, hidden: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the paths and checksums of all files below a folder; hidden ones only if asked."""
    for parent, folders, names in os.walk(folder):
        if not hidden:
            folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            path = os.path.join(parent, name)
            if (name.startswith(".") and not hidden) or not os.path.isfile(path):
                continue
            # Reading the records reports a file that cannot be read.
            with suppress(OSError), open(path, "rb") as file:
                checksum = hashlib.file_digest(file, "sha256").hexdigest()
                yield os.path.relpath(path, folder), checksum


def head_revision(rulings: Path) -> str:
    """The last commit of the records; empty without a history."""
    try:
        return resolve_revision(rulings, "HEAD")
    except KbError:
        return ""


@cache
def code_hash() -> str:
    """A hash of this program's code and word lists, and of the versions of the analysers."""
    digest = hashlib.sha256(program_version().encode())
    package = Path(__file__).resolve().parent.parent
    for path in sorted(package.rglob("*")):
        if path.suffix in (".py", ".tsv") and "_data" not in path.parts:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def build_date() -> str:
    """The day of SOURCE_DATE_EPOCH if that is set, else today in UTC, as 2003-06-01."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise KbError(
            f"SOURCE_DATE_EPOCH: {epoch[:40]!r} is not a number of seconds since 1970"
        ) from None
    return moment.date().isoformat()
