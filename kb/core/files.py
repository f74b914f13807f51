"""Write files of users atomically: a temporary file next to the target is synced, then renamed.

If the process is killed, a file has its old or its new content. Nothing is written through a
symbolic link.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from kb.core.problems import KbError, posix_path

TEMPORARY = ".kb-tmp-"
# Seconds after which a temporary file counts as left by a killed process.
_ABANDONED = 3600
# Seconds to wait for another program that saves into the same folder.
_PATIENCE = 30.0
# Read once, because it can only be read by setting it, also for other threads.
_UMASK = os.umask(0)
os.umask(_UMASK)


def user_cache() -> Path:
    """Return the folder of this program in the user's cache; it may not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kb")


def read_bounded(path: Path, limit: int) -> bytes:
    """Read at most `limit` + 1 bytes of a file."""
    with open(path, "rb") as file:
        # The size of the file, because `limit` bytes would be allocated for each small file.
        return file.read(min(os.fstat(file.fileno()).st_size, limit) + 1)


def file_bytes(path: Path) -> bytes | None:
    """Read a file, to be given to `write_file` as `expected`; None for a missing one."""
    return path.read_bytes() if path.is_file() else None


class FileChanged(OSError):
    """A file is no longer as it was when it was read."""


def write_file(
    path: Path, content: bytes | str, *, exclusive: bool = False, expected: bytes | None = None
) -> None:
    """Write a file atomically; text as UTF-8, with its line ends unchanged.

    `exclusive`: raise FileExistsError for an existing file. `expected`: raise FileChanged for a
    file with other bytes. Raises OSError; the file is unchanged then.
    """
    with replacing_file(path, exclusive=exclusive, expected=expected) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def write_new_folder(folder: Path, contents: Mapping[str, bytes]) -> None:
    """Write a folder that is missing or empty, whole or not at all.

    `contents`: by path relative to the folder. Raises FileExistsError for a folder with files.
    """
    if folder.is_symlink() or (folder.exists() and any(folder.iterdir())):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=folder.parent) as staging:
        new = Path(staging, folder.name)
        for name, content in contents.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        new.rename(folder)


@contextmanager
def replacing_file(
    path: Path, *, exclusive: bool = False, expected: bytes | None = None
) -> Iterator[IO[bytes]]:
    """Yield a file that replaces `path`, with its mode, when the block succeeds.

    Raises OSError with the name of `path`, FileExistsError if `exclusive` and the file exists,
    FileChanged if it has other bytes than `expected`.
    """
    try:
        mode = _mode_to_keep(path)
        with tempfile.NamedTemporaryFile(prefix=TEMPORARY, dir=path.parent, delete=False) as file:
            try:
                os.chmod(file.name, mode)
                yield file
                file.flush()
                os.fsync(file.fileno())
                file.close()
                # After the sync, which may take long: others may write meanwhile.
                _require_unchanged(path, expected)
                if exclusive:
                    os.link(file.name, path)
                else:
                    os.replace(file.name, path)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(file.name)
    except OSError as error:
        if error.filename is None or TEMPORARY in str(error.filename):
            error.filename, error.filename2 = str(path), None
        raise


def delete_file(path: Path, expected: bytes | None) -> None:
    """Delete a file. Raises OSError, FileChanged if it has other bytes than `expected`."""
    _require_unchanged(path, expected)
    path.unlink()


def _require_unchanged(path: Path, expected: bytes | None) -> None:
    """Raise FileChanged if a file has other bytes; None expects nothing."""
    try:
        is_changed = expected is not None and path.read_bytes() != expected
    except FileNotFoundError:
        is_changed = True
    if is_changed:
        raise FileChanged(errno.EBUSY, "another program has just written it", str(path))


def _mode_to_keep(path: Path) -> int:
    """Return the mode of a file, existing or new. Raises OSError for a symbolic link."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return 0o666 & ~_UMASK
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "a symbolic link; kb does not write through it", str(path))
    return stat.S_IMODE(status.st_mode)


def remove_temporary_files(folder: Path) -> None:
    """Delete the user's temporary files below a folder that killed processes have left."""
    oldest = time.time() - _ABANDONED
    for parent, _, names in os.walk(folder):
        for name in (name for name in names if name.startswith(TEMPORARY)):
            path = Path(parent, name)
            with suppress(OSError):
                status = path.lstat()
                if stat.S_ISREG(status.st_mode) and status.st_mtime < oldest and is_own(status):
                    path.unlink()


def is_own(status: os.stat_result) -> bool:
    """Whether a file belongs to the user who runs this program."""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or in it, also through links."""
    return path.resolve().is_relative_to(folder.resolve())


@contextmanager
def folder_lock(folder: Path, patience: float | None = None) -> Iterator[None]:
    """Hold the lock of a folder, which excludes the user's other processes and threads.

    The folder may be missing. The lock is a file in the user's cache, where no other user of the
    machine can take it. Raises KbError when another program holds the lock for `patience` seconds,
    by default half a minute.
    """
    from filelock import FileLock, Timeout

    name = hashlib.sha256(os.fsencode(folder.resolve())).hexdigest()[:32]
    path = user_cache() / "locks" / name
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(path, timeout=_PATIENCE if patience is None else patience, mode=0o600)
    try:
        lock.acquire()
    except Timeout:
        message = f"{posix_path(folder)}: another program is saving there; try again"
        raise KbError(message) from None
    try:
        yield
    finally:
        lock.release()
