"""Staging directories: where a build writes before its files take the place of the last ones."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kb.core.files import set_mode
from kb.pipeline.data_folder import STAGED
from kb.pipeline.output_folder import OLD, moved_away, remove_site

# The build that writes into a staging directory holds the lock beside it.
_LOCK = ".lock"
_MAX_NAME = 200


@contextmanager
def staging_directory(folder: Path, place: str = "") -> Iterator[Path]:
    """Yield a new directory in `folder`, removed at the end unless it was moved away.

    `place`: the name of the site that it will replace. First removes the staging directories of
    killed builds; a running build holds the lock of its own. Raises OSError when `folder` is not
    writable.
    """
    from filelock import FileLock

    folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder)
    # If this build is killed, the name tells the next one which site the files belong to.
    prefix = f"{STAGED}{place[:_MAX_NAME]}-" if place else STAGED
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=_LOCK, dir=folder)
    os.close(handle)
    staged = Path(name.removesuffix(_LOCK))
    try:
        # Lock before making the directory, so that no other build takes it for abandoned.
        with FileLock(name):
            staged.mkdir()
            set_mode(staged, 0o755)
            yield staged
    finally:
        _remove(staged)
        Path(name).unlink(missing_ok=True)


def remove_abandoned(folder: Path) -> None:
    """Remove the staging directories and their locks that killed builds left in a folder."""
    paths = list(folder.glob(f"{STAGED}*"))
    if not paths:
        return
    from filelock import FileLock, Timeout

    for name in {path.name.removesuffix(_LOCK).removesuffix(OLD) for path in paths}:
        lock = folder / f"{name}{_LOCK}"
        with suppress(Timeout), FileLock(lock, timeout=0):
            _remove(folder / name)
            lock.unlink(missing_ok=True)


def _remove(staged: Path) -> None:
    """Remove a staging directory; after a swap it holds the replaced site."""
    name = staged.name.removeprefix(STAGED).rpartition("-")[0]
    for folder in (staged, moved_away(staged)):
        if folder.is_dir():
            remove_site(folder, staged.with_name(name) if name else None)
