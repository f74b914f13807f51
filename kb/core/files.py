"""Write the files that belong to a user: beside, synced, then put in place.

Whatever stops the process, a file is as it was or as it is to be. No symbolic link leads the
writing elsewhere. A process that is killed leaves a temporary file at most, and the system drops
its locks, so that `remove_temporary_files` knows an abandoned file from one that is being written.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from kb.core.problems import KbError, posix_path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

TEMPORARY = ".kb-tmp-"
# Seconds after which a temporary file is abandoned, where the system has no lock to tell.
_OLD = 3600
# Seconds to wait for another program that writes into the same folder.
_PATIENCE = 30.0
_POLL = 0.02
_LOCK_FILE = ".kb-lock"
_NEW_FILE = (
    os.O_RDWR
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
)
_NO_MODES = {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL}


def user_cache() -> Path:
    """The folder of this program in the user's cache, which need not be there."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "kb")


def read_bounded(path: Path, limit: int) -> bytes:
    """Read a file, of a longer one only a byte more than `limit`."""
    with open(path, "rb") as file:
        # Room for what is there: for all that may be, the system would be asked for every file.
        return file.read(min(os.fstat(file.fileno()).st_size, limit) + 1)


def write_file(path: Path, content: bytes | str, *, exclusive: bool = False) -> None:
    """Write a file as a whole; text as UTF-8 with the line ends that it has.

    What killed runs have left in its folder is cleared away. `exclusive`: raise FileExistsError
    where there is a file already. Raises OSError, with the file as it was.
    """
    remove_temporary_files(path.parent)
    with replacing_file(path, exclusive=exclusive) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def write_files(contents: Mapping[Path, str]) -> None:
    """Write several files, each as a whole, and make their folders."""
    for path, text in contents.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing_file(path, sync_folder=False) as file:
            file.write(text.encode("utf-8"))
    for folder in {path.parent for path in contents}:
        _sync_folder(folder)


def write_new_files(folder: Path, contents: Mapping[Path, bytes]) -> None:
    """Write files into a folder that has none, or some of them from a run that was killed.

    Raises FileExistsError where the folder has another file, or all of them.
    """
    remove_temporary_files(folder, below=True)
    there = [path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()]
    is_left = len(there) < len(contents) and all(
        path.is_file() and contents.get(path) == path.read_bytes() for path in there
    )
    if not (is_left and folder.is_dir() and not folder.is_symlink()):
        _require_absent(folder)
    for path, content in contents.items():
        if path not in there:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_file(path, content, exclusive=True)


def set_mode(path: Path | str | int, mode: int) -> None:
    """Set the mode of a file or descriptor, where the file system has modes."""
    try:
        os.chmod(path, mode)
    except OSError as error:
        if error.errno not in _NO_MODES:
            raise


def link_or_copy(path: Path | str, target: Path | str) -> None:
    """Link a file, or copy it with its time and mode where the file system has no hard links.

    Symbolic links stay links. Raises FileExistsError where the target is there already.
    """
    try:
        os.link(path, target, follow_symlinks=False)
    except OSError:
        import shutil

        _require_absent(target)
        shutil.copyfile(path, target, follow_symlinks=False)
        if not os.path.islink(path):
            status = os.stat(path)
            os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
            set_mode(target, stat.S_IMODE(status.st_mode))


def _require_absent(path: Path | str) -> None:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None


def delete_file(path: Path) -> None:
    """Delete a file, for good even after a power cut. Raises OSError."""
    path.unlink()
    _sync_folder(path.parent)


@contextmanager
def replacing_file(
    path: Path, *, exclusive: bool = False, sync_folder: bool = True
) -> Iterator[BinaryIO]:
    """Yield a file that takes the place of `path`, with its mode, when the block ends well.

    `sync_folder`: a power cut after the block does not bring the old file back.
    """
    temporary = None
    try:
        mode = _mode_to_keep(path)
        descriptor, temporary = _new_temporary_file(path.parent)
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None:
                set_mode(descriptor if os.chmod in os.supports_fd else temporary, mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if os.name != "nt":
                # Still locked, so that nobody takes it for abandoned.
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
    """The mode of a file that is there. Raises OSError for a symbolic link."""
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(status.st_mode):
        raise OSError(errno.ELOOP, "a symbolic link, and kb writes through none", str(path))
    return stat.S_IMODE(status.st_mode) if stat.S_ISREG(status.st_mode) else None


def _new_temporary_file(folder: Path) -> tuple[int, Path]:
    import secrets

    while True:
        path = folder / f"{TEMPORARY}{secrets.token_hex(8)}"
        descriptor = os.open(path, _NEW_FILE, 0o666)
        if fcntl is None:
            return descriptor, path
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # Before it was locked, it could be taken for abandoned and deleted.
        if os.fstat(descriptor).st_nlink:
            return descriptor, path
        os.close(descriptor)


def _move(temporary: Path, path: Path, exclusive: bool) -> None:
    if not exclusive:
        os.replace(temporary, path)
    elif os.name == "nt":
        os.rename(temporary, path)
    else:
        try:
            os.link(temporary, path)
        except OSError:
            # There already, or a file system without hard links.
            _require_absent(path)
            os.replace(temporary, path)


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut, where the system can."""
    if os.name != "nt":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def remove_temporary_files(folder: Path, *, below: bool = False) -> None:
    """Delete the temporary files in a folder that killed processes left; `below`: in all below."""
    for parent, folders, names in os.walk(folder):
        if not below:
            folders.clear()
        remove_abandoned_files(
            os.path.join(parent, name) for name in names if name.startswith(TEMPORARY)
        )


def remove_abandoned_files(paths: Iterable[str]) -> None:
    """Delete those temporary files that no process is writing."""
    for path in paths:
        with suppress(OSError):
            if fcntl is None:
                if time.time() - os.lstat(path).st_mtime > _OLD:
                    os.unlink(path)
                continue
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.unlink(path)
            finally:
                os.close(descriptor)


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or in it, by whatever names and links either is reached."""
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
    """Hold the lock of a folder between processes and threads while its files are compared.

    The folder itself is locked, by whatever path it is reached; where the system cannot do that, a
    hidden file in it. Raises KbError when another program holds the lock for `patience` seconds
    (by default half a minute), or when there is no such folder.
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
        # A process that was forked meanwhile shares the lock, so closing is not enough.
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _lock_directory(folder: Path, patience: float) -> int | None:
    """Lock a folder and return its descriptor; None where the system cannot lock folders."""
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

    lock = FileLock(folder / _LOCK_FILE, timeout=patience, poll_interval=_POLL)
    try:
        lock.acquire()
    except Timeout:
        raise _busy(folder) from None
    try:
        yield
    finally:
        lock.release()


def _busy(folder: Path) -> KbError:
    return KbError(f"{posix_path(folder)}: another program is saving there; try again")
