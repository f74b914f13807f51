"""How a finished build takes the place of the last one."""

from __future__ import annotations

import json
import shutil
import time
from contextlib import suppress
from pathlib import Path

from kb.build.inputs import STAMP
from kb.build.integrity import write_checksums
from kb.build.staging import reuse_unchanged_files, swap, write_atomically
from kb.core.problems import KbError
from kb.site.context import SEARCH

# The folder of the shards of earlier builds, below the folder of the data.
RETIRED = "shards"
# In seconds.
RETENTION = 3600.0


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


def retain_shards(site: Path, output: Path, data: Path) -> None:
    """Keep the shards of the site in `output` that the new `site` has no more, for open pages.

    They stay in `data` until another build has been published and RETENTION is over.
    """
    retired, now = data / RETIRED, time.time()
    new = {path.name for path in (site / SEARCH).glob("*-*.js")}
    retired.mkdir(parents=True, exist_ok=True)
    for path in retired.iterdir():
        # A clock that was put back leaves times in the future.
        if abs(now - path.stat().st_mtime) > RETENTION:
            path.unlink(missing_ok=True)
    for path in (output / SEARCH).glob("*-*.js"):
        if path.name not in new and not path.is_symlink():
            # A copy: its time says since when it is retired.
            shutil.copyfile(path, retired / path.name)


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
    write_atomically(data / "current", f"{number}\n")
    for path in data.glob(".current.*"):
        # A build was killed while it wrote that.
        path.unlink(missing_ok=True)
    for path in builds.iterdir():
        if path.name not in {number, *keep} and path != staged:
            shutil.rmtree(path, ignore_errors=True)
