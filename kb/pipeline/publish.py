"""How a finished build takes the place of the last one."""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from kb.core.files import is_inside, link_or_copy, remove_temporary_files, write_file
from kb.core.problems import KbError
from kb.pipeline.data_folder import RETIRED
from kb.pipeline.inputs import STAMP
from kb.pipeline.integrity import CHECKSUMS, write_checksums
from kb.pipeline.own_files import LIST, Other, carry_over, files_below, has_list, write_list
from kb.pipeline.paths import Paths
from kb.pipeline.staging import reuse_unchanged_files, swap
from kb.search.browser.shards import shard_files
from kb.site.context import SEARCH

# How long shards of earlier builds are kept, in seconds.
RETENTION = 3600.0

_NUMBER = re.compile("[0-9]+")


def refuse_foreign_folder(output: Path, paths: Paths) -> None:
    """Raise KbError where the site would replace anything but an earlier site."""
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise KbError(f"{output}: not a folder; --output names a folder for the site")
    if is_inside(output, paths.rulings) or is_inside(output, paths.data):
        raise KbError(f"{output}: is among the records or what is built from them; name another")
    if not output.exists() or not any(output.iterdir()):
        return
    if is_inside(paths.rulings, output) or is_inside(paths.data, output):
        raise KbError(f"{output}: the records, or what is built from them, are in it; name another")
    try:
        stamp = json.loads((output / STAMP).read_text(encoding="utf-8"))
        ours = stamp.get("generator") == "kb"
    except (OSError, ValueError, AttributeError):
        ours = False
    if not ours:
        raise KbError(
            f"{output}: holds files that no build of the site made;"
            " name an empty or a new folder with --output"
        )
    if not has_list(output):
        _list_files(output, stamp.get("files"))


def _list_files(output: Path, count: object) -> None:
    """Write the list of a site that has none. Raises KbError where others have added files."""
    files = [*files_below(output)]
    if len(files) != count:
        raise KbError(
            f"{output}: has no {LIST} that tells the site's own files from yours;"
            " move yours away (such as .git or CNAME) and build into a new folder"
        )
    write_list(output, files)


def publish_site(
    site: Path, output: Path, *, copied: bool, others: Sequence[Other] | None = None
) -> None:
    """Put the site in its place. Files that stay the same keep their times, others' files stay.

    `copied`: the site began as a copy of the last one, so that they have them already. `others`:
    see `carry_over`. Raises KbError where the site has a file in the place of somebody else's.
    """
    if output.exists():
        if not copied:
            reuse_unchanged_files(site, output)
        carry_over(output, site, others)
        if not any(output.iterdir()):
            output.rmdir()
    swap(site, output)


@contextmanager
def retain_shards(site: Path, output: Path, data: Path) -> Iterator[None]:
    """Keep the shards of the site in `output` that the new `site` has no more, for open pages.

    They stay in `data` until `forget_shards` is called when RETENTION is over. In the body the new
    site takes the place of the old one.
    """
    folder = data / RETIRED
    folder.mkdir(parents=True, exist_ok=True)
    retired = []
    for name in shard_files(output / SEARCH) - shard_files(site / SEARCH):
        path = output / SEARCH / name
        if not path.is_symlink():
            retired.append(folder / name)
            retired[-1].unlink(missing_ok=True)
            link_or_copy(path, retired[-1])
    yield
    for path in retired:
        # Its time says since when it is retired; before, it was a file of the site in use.
        os.utime(path)


def forget_shards(data: Path) -> None:
    """Delete the shards that were retired long ago."""
    now = time.time()
    for name in shard_files(data / RETIRED):
        path = data / RETIRED / name
        with suppress(OSError):
            # A clock that was put back leaves times in the future.
            if abs(now - path.stat().st_mtime) > RETENTION:
                path.unlink()


def publish_data(staged: Path, data: Path) -> None:
    """Move a build in and point `current` at it.

    Deletes all builds but the last one, which a reader may still have open.
    """
    keep: set[str] = set()
    builds = data / "builds"
    with suppress(OSError):
        keep.add((data / "current").read_text(encoding="utf-8").strip())
    write_checksums(staged, next((builds / name for name in keep), None))
    numbers = (int(path.name) for path in builds.iterdir() if _NUMBER.fullmatch(path.name))
    number = str(max(numbers, default=0) + 1)
    staged.rename(builds / number)
    write_file(data / "current", f"{number}\n")
    remove_temporary_files(data)
    for path in builds.iterdir():
        if _NUMBER.fullmatch(path.name) and path.name not in {number, *keep}:
            _remove_build(path)


def _remove_build(folder: Path) -> None:
    """Delete an old build, its checksums last: they tell a build, killed half-way, from others."""
    with suppress(OSError):
        children = list(folder.iterdir())
        if children and not (folder / CHECKSUMS).is_file():
            return
        for child in children:
            if child.is_dir() and not child.is_symlink():
                shutil.rmtree(child)
            elif child.name != CHECKSUMS:
                child.unlink()
        (folder / CHECKSUMS).unlink(missing_ok=True)
        folder.rmdir()
