"""How a finished build takes the place of the last one."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from pathlib import Path

from kb.build.inputs import STAMP
from kb.build.integrity import write_checksums
from kb.build.staging import reuse_unchanged_files, swap
from kb.core.files import remove_temporary_files, write_file
from kb.core.problems import KbError


def refuse_foreign_files(output: Path) -> None:
    """Raise KbError where the site would replace anything but an earlier site."""
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise KbError(f"{output}: not a folder; --output names a folder for the site")
    if not output.exists() or not any(output.iterdir()):
        return
    try:
        ours = json.loads((output / STAMP).read_text(encoding="utf-8")).get("generator") == "kb"
    except (OSError, ValueError, AttributeError):
        ours = False
    if not ours:
        raise KbError(
            f"{output}: holds files that no build of the site made;"
            " name an empty or a new folder with --output"
        )


def publish_site(site: Path, output: Path, *, copied: bool) -> None:
    """Put the site in its place. Files that stay the same keep their times.

    `copied`: the site began as a copy of the last one, so that they have them already.
    """
    if output.exists():
        if not copied:
            reuse_unchanged_files(site, output)
        if not any(output.iterdir()):
            output.rmdir()
    swap(site, output)


def publish_data(staged: Path, data: Path) -> None:
    """Move a build in and point `current` at it.

    Deletes all builds but the last one, which a reader may still have open.
    """
    write_checksums(staged)
    keep: set[str] = set()
    builds = data / "builds"
    with suppress(OSError):
        keep.add((data / "current").read_text(encoding="utf-8").strip())
    numbers = (int(path.name) for path in builds.iterdir() if path.name.isdigit())
    number = str(max(numbers, default=0) + 1)
    staged.rename(builds / number)
    write_file(data / "current", f"{number}\n")
    remove_temporary_files(data)
    for path in builds.iterdir():
        if path.name not in {number, *keep} and path != staged:
            shutil.rmtree(path, ignore_errors=True)
