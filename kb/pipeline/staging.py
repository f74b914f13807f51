"""Staging directories, the build lock, and the swap of a finished folder for the one in use.

Readers see the old folder or the new one, never half of it. Locks are the system's own: it drops
them with the process, so that a killed build leaves none.
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from kb.core.files import TEMPORARY, set_mode
from kb.core.problems import KbError
from kb.pipeline.data_folder import LOCK, STAGED, refuse_foreign_data
from kb.pipeline.own_files import remove_site

_AT_FDCWD = -100
_EXCHANGE = 2
# Seconds that may pass until the last process of a build that was killed has dropped its lock.
_PATIENCE = 3.0
_POLL = 0.05
# The lock beside a staging directory, which whoever is at work in it holds.
_LOCK, _OLD = ".lock", ".old"
_MAX_NAME = 200


@contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder while one build writes into it.

    Raises KbError when another build holds it, or when the folder has somebody's own files.
    """
    from filelock import FileLock, Timeout

    refuse_foreign_data(folder)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, timeout=_PATIENCE, poll_interval=_POLL)
    try:
        lock.acquire()
    except Timeout:
        raise KbError(f"another build is at work in {folder}; wait for it to end") from None
    try:
        yield
    finally:
        lock.release()


@contextmanager
def staging_directory(folder: Path, place: str = "") -> Iterator[Path]:
    """Yield a new directory in `folder`, to be moved away by `swap()`; else it is removed again.

    `place`: the name of the site that it is to replace. Removes what killed builds left behind in
    `folder`: a build that is alive holds the lock of its staging directory. Raises OSError when
    `folder` is not writable.
    """
    from filelock import FileLock

    folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder)
    # The name tells the next build whose files are in it, should this one be killed.
    prefix = f"{STAGED}{place[:_MAX_NAME]}-" if place else STAGED
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=_LOCK, dir=folder)
    os.close(handle)
    staged = Path(name.removesuffix(_LOCK))
    try:
        # Locked before it is there, so that nobody takes it for abandoned.
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

    for name in {path.name.removesuffix(_LOCK).removesuffix(_OLD) for path in paths}:
        lock = folder / f"{name}{_LOCK}"
        with suppress(Timeout), FileLock(lock, timeout=0):
            _remove(folder / name)
            lock.unlink(missing_ok=True)


def _remove(staged: Path) -> None:
    """Remove a staging directory, which after a swap is the site that was replaced."""
    name = staged.name.removeprefix(STAGED).rpartition("-")[0]
    for folder in (staged, _moved_away(staged)):
        if folder.is_dir():
            remove_site(folder, staged.with_name(name) if name else None)


def _moved_away(staged: Path) -> Path:
    """Where a swap in two steps puts the old folder."""
    return staged.with_name(staged.name + _OLD)


def reuse_unchanged_files(new: Path, old: Path, but: str = "") -> None:
    """Replace every file of `new` that equals its namesake in `old` by a link to it.

    So copying programs and web servers see only what really changed. Where the file system has no
    links, the files get the same times. Files with the name `but` stay new.
    """
    for folder, _, names in os.walk(new):
        other = f"{old}{folder.removeprefix(str(new))}"
        for name in names:
            mine, theirs = f"{folder}/{name}", f"{other}/{name}"
            if name == but or os.path.islink(theirs) or not _is_same(mine, theirs):
                continue
            link = f"{folder}/{TEMPORARY}same"
            try:
                os.link(theirs, link)
                os.replace(link, mine)
            except OSError:
                status = os.stat(theirs)
                os.utime(mine, ns=(status.st_atime_ns, status.st_mtime_ns))


def _is_same(one: str, other: str) -> bool:
    try:
        if os.stat(one).st_size != os.stat(other).st_size:
            return False
        with open(one, "rb", buffering=0) as first, open(other, "rb", buffering=0) as second:
            return first.read() == second.read()
    except OSError:
        return False


def swap(new: Path, place: Path) -> None:
    """Put the folder `new`, a staging directory, at `place`; what was there takes its place.

    One atomic exchange where the system has it (Linux), else two renames.
    """
    if not place.exists():
        new.rename(place)
        return
    if not _exchange(new, place):
        place.rename(_moved_away(new))
        new.rename(place)


def _exchange(one: Path, other: Path) -> bool:
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    return bool(
        renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0
    )
