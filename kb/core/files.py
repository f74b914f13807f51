"""Writes files of users atomically: a temporary file is synced and then renamed.

If the process is killed, a file has its old or its new content. Nothing is written through a
symbolic link. A killed process may leave a temporary file; the system drops its lock, so that
`remove_temporary_files` tells an abandoned file from one that is being written.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kb.core.problems import KbError, posix_path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

TEMPORARY = ".kb-tmp-"
# Seconds after which a temporary file counts as abandoned on a system without locks.
_MAX_AGE = 3600
# Seconds to wait for another program that writes into the same folder, and between two attempts.
_PATIENCE = 30.0
_POLL = 0.02
_LOCK_FILE = ".kb-lock"
# Errors of file systems without modes.
_NO_MODES = {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}


def user_cache() -> Path:
    """Return the folder of this program in the user's cache; it may not exist."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kb")


def read_bounded(path: Path, limit: int) -> bytes:
    """Read at most `limit` + 1 bytes of a file."""
    with open(path, "rb") as file:
        # The size of the file, because `limit` bytes would be allocated for each small file.
        return file.read(min(os.fstat(file.fileno()).st_size, limit) + 1)


def write_file(path: Path, content: bytes | str, *, exclusive: bool = False) -> None:
    """Write a file atomically; text as UTF-8, with its line ends unchanged.

    Removes temporary files of killed runs from the folder. `exclusive`: raise FileExistsError for
    an existing file. Raises OSError; the file is unchanged then.
    """
    remove_temporary_files(path.parent)
    with replacing_file(path, exclusive=exclusive) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def write_files(contents: Mapping[Path, str]) -> None:
    """Write several files, each atomically, and create their folders."""
    for path, text in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing_file(path, sync_folder=False) as file:
            file.write(text.encode("utf-8"))
    for folder in {path.parent for path in contents}:
        _sync_folder(folder)


def write_new_files(folder: Path, contents: Mapping[Path, bytes]) -> None:
    """Write files into an empty or missing folder, or complete a run that was killed.

    Raises FileExistsError if the folder has another file, or all of them.
    """
    remove_temporary_files(folder, below=True)
    existing = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    is_incomplete = len(existing) < len(contents) and all(
        path.is_file() and contents.get(path) == path.read_bytes() for path in existing
    )
    if not (is_incomplete and folder.is_dir() and not folder.is_symlink()):
        _require_absent(folder)
    for path, content in contents.items():
        if path not in existing:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content, exclusive=True)


def set_mode(path: Path | str | int, mode: int) -> None:
    """Set the mode of a file or descriptor, if the file system has modes."""
    try:
        os.chmod(path, mode)
    except OSError as error:
        if error.errno not in _NO_MODES:
            raise


def link_or_copy(path: Path | str, target: Path | str) -> None:
    """Make a hard link to a file, or copy it with its time and mode if that is impossible.

    Symbolic links stay links. Raises FileExistsError for an existing target.
    """
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError:
        import shutil

        _require_absent(target)
        shutil.copyfile(path, target, follow_symlinks=False)
        with suppress(OSError):
            # Some file systems have no modes.
            shutil.copystat(path, target, follow_symlinks=False)


def _require_absent(path: Path | str) -> None:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None


def delete_file(path: Path) -> None:
    """Delete a file for good: a power failure does not bring it back. Raises OSError."""
    path.unlink()
    _sync_folder(path.parent)


@contextmanager
def replacing_file(
    path: Path, *, exclusive: bool = False, sync_folder: bool = True
) -> Iterator[BinaryIO]:
    """Yield a file that replaces `path`, with its mode, when the block succeeds.

    `sync_folder`: also sync the folder, so that the new file survives a power failure.
    """
    temporary = None
    try:
        mode = _mode_to_keep(path)
        file, temporary = _new_temporary_file(path.parent)
        with file:
            if mode is not None:
                set_mode(file.fileno() if os.chmod in os.supports_fd else temporary, mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if os.name != "nt":
                # The file is still locked, so that no process takes it for abandoned.
                _move(temporary, path, exclusive)
        if os.name == "nt":
            _move(temporary, path, exclusive)
    except OSError as error:
        if error.filename is None or TEMPORARY in str(error.filename):
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)
    if sync_folder:
        _sync_folder(path.parent)


def _mode_to_keep(path: Path) -> int | None:
    """Return the mode of an existing file. Raises OSError for a symbolic link."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "a symbolic link, and kb writes through none", str(path))
    return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None


def _new_temporary_file(folder: Path) -> tuple[BinaryIO, Path]:
    import secrets

    while True:
        path = folder / f"{TEMPORARY}{secrets.token_hex(8)}"
        # A link is not followed, since the file has to be new.
        file = open(path, "xb")  # noqa: SIM115 (the caller closes it)
        if fcntl is None:
            return file, path
        with suppress(OSError):
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
        # Another process may have deleted the file before it was locked.
        if os.fstat(file.fileno()).st_nlink:
            return file, path
        file.close()


def _move(temporary: Path, path: Path, exclusive: bool) -> None:
    if not exclusive:
        os.replace(temporary, path)
    elif os.name == "nt":
        os.rename(temporary, path)
    else:
        try:
            os.link(temporary, path)
        except OSError:
            # The file exists, or the file system has no hard links.
            _require_absent(path)
            os.replace(temporary, path)


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut, if the system can."""
    if os.name != "nt":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def remove_temporary_files(folder: Path, *, below: bool = False) -> None:
    """Delete temporary files of killed processes in a folder; `below`: in its subfolders too."""
    for parent, folders, names in os.walk(folder):
        if not below:
            folders.clear()
        for name in names:
            if name.startswith(TEMPORARY):
                with suppress(OSError):
                    _remove_abandoned(os.path.join(parent, name))


def _remove_abandoned(path: str) -> None:
    """Delete a temporary file that no process is writing. Raises OSError if one is."""
    if fcntl is None:
        if time.time() - os.lstat(path).st_mtime > _MAX_AGE:
            os.unlink(path)
        return
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(descriptor)


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or in it, also by other names and through links."""
    parent, target = path.parent.resolve(), path.resolve()
    for place in (parent, *parent.parents, target, *target.parents):
        try:
            if os.path.samefile(place, folder):
                return True
        except OSError:
            continue
    return False


@contextmanager
def folder_lock(folder: Path, patience: float | None = None) -> Iterator[None]:
    """Hold the lock of a folder, which excludes other processes and threads.

    The folder itself is locked, or a hidden file in it if the system cannot lock folders. Raises
    KbError for a missing folder, or when another program holds the lock for `patience` seconds (by
    default half a minute).
    """
    patience = _PATIENCE if patience is None else patience
    descriptor = _lock_directory(folder, patience)
    if descriptor is None:
        with _file_lock(folder, patience):
            yield
        return
    try:
        yield
    finally:
        # Closing is not enough, because a process that was forked meanwhile shares the lock.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _lock_directory(folder: Path, patience: float) -> int | None:
    """Lock a folder and return its descriptor; None if the system cannot lock folders."""
    if fcntl is None:
        return None
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise KbError(f"{posix_path(folder)}: {error.strerror}") from error
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return descriptor
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise _busy(folder) from None
            time.sleep(_POLL)
        except OSError:
            # Some network file systems lock only files that are open for writing.
            os.close(descriptor)
            return None


@contextmanager
def _file_lock(folder: Path, patience: float) -> Iterator[None]:
    from filelock import FileLock, Timeout

    try:
        with FileLock(folder / _LOCK_FILE, timeout=patience, poll_interval=_POLL):
            yield
    except Timeout:
        raise _busy(folder) from None


def _busy(folder: Path) -> KbError:
    return KbError(f"{posix_path(folder)}: another program is saving there; try again")
