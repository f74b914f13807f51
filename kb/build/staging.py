"""Putting a finished folder in the place of the one in use, so that readers see the old or the new one, never half of it."""

from __future__ import annotations

import ctypes
import filecmp
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from kb.core.problems import KbError

_AT_FDCWD = -100
_EXCHANGE = 2
# So many seconds may pass until the last process of a build that was killed has dropped its lock.
_PATIENCE = 3.0


@contextmanager
def build_lock(folder: Path) -> Iterator[None]:
    """Holds the lock of a folder while one build writes into it.

    The system drops the lock with the process, so none is ever left over. Raises KbError when another build holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("a+b") as file:
        if not _lock(file):
            raise KbError(f"another build is at work in {folder}; wait for it to end")
        yield


def _lock(file: IO[bytes]) -> bool:
    try:
        import fcntl
    except ImportError:
        return True
    patience = time.monotonic() + _PATIENCE
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            if time.monotonic() > patience:
                return False
            time.sleep(0.05)


@contextmanager
def staging_directory(folder: Path) -> Iterator[Path]:
    """A new folder in `folder`, gone afterwards unless it was moved into its place.

    What builds left behind that were killed is deleted: a build that is alive holds the lock of its own.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        _clear(folder)
        made = Path(tempfile.mkdtemp(prefix=_NEW, dir=folder))
        held = _hold(made)
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
        if held is not None:
            os.close(held)


_NEW = ".kb-new-"


def _clear(folder: Path) -> None:
    for left in folder.glob(f"{_NEW}*"):
        held = _hold(left)
        if held is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(held)


def _hold(folder: Path) -> int | None:
    """Takes the lock of a folder, which the system drops with the process; None where another holds it or there are none."""
    try:
        import fcntl

        held = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        return None
    return held


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One after the other: between a folder's making and its locking nobody clears up."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    held = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def write_atomically(path: Path, text: str) -> None:
    """Writes a small file so that it is there whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with beside.open("w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def reuse_unchanged_files(new: Path, old: Path) -> int:
    """Makes every file of `new` that is equal to its namesake in `old` the same file, with its old time; returns how many.

    So copying programs and web servers see only what really changed.
    """
    kept = 0
    for folder, _, names in os.walk(new):
        other = old / Path(folder).relative_to(new)
        for name in names:
            mine, theirs = Path(folder) / name, other / name
            if (
                theirs.is_symlink()
                or not theirs.is_file()
                or not filecmp.cmp(mine, theirs, shallow=False)
            ):
                continue
            spare = mine.with_name(f".{name}.same")
            with suppress(OSError):
                os.link(theirs, spare)
                spare.replace(mine)
                kept += 1
    return kept


def swap(new: Path, place: Path) -> None:
    """Puts the folder `new` (on the same file system) at `place`; what was there is deleted afterwards.

    One atomic exchange where the system has it (Linux), else two renames.
    """
    if not place.exists():
        new.rename(place)
        return
    if not _exchange(new, place):
        old = place.with_name(f".{place.name}.old-{os.getpid()}")
        place.rename(old)
        new.rename(place)
        new = old
    shutil.rmtree(new, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError, TypeError):
        return False
    return bool(
        renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _EXCHANGE) == 0
    )
