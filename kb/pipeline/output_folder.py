"""How does a finished site take the place of the old one?

A build writes into `.NAME.kb-new` next to the site's folder NAME. To swap, NAME is renamed to
`.NAME.kb-old`, then the new folder to NAME. The site lists its own files in `files.txt`: only these
are ever deleted. Hidden entries at the top of the folder, such as `.git`, move to the new site.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from kb.core.files import folder_lock, is_inside, is_own
from kb.core.json import dumps
from kb.core.problems import KbError, posix_path
from kb.pipeline.paths import Paths
from kb.site.output import Written

# The list of a site's files: in each line a path, a tab, and the hash of the file's bytes.
LIST = "files.txt"
# The file that describes a site's build.
STAMP = "build.json"
COUNTS = ("rulings", "cards", "games", "pages")


@contextmanager
def staging_directory(output: Path) -> Iterator[Path]:
    """Yield an empty directory next to the site's folder, to be put in its place by `swap_in_site`.

    Removed again if it is still there at the end. Holds the lock of the folder. First removes the
    staging directory of a killed build, and ends its swap. Raises OSError when the parent is not
    writable.
    """
    with folder_lock(output, patience=0):
        output.parent.mkdir(parents=True, exist_ok=True)
        _recover(output)
        staged = _next_to(output, "new")
        if os.path.lexists(staged):
            shutil.rmtree(staged)
        staged.mkdir()
        try:
            yield staged
        finally:
            shutil.rmtree(staged, ignore_errors=True)


def finish_site(staged: Path, files: Mapping[str, Written], stamp: Mapping[str, object]) -> None:
    """Write the list of a site's files and build.json; `files`: their entries by path."""
    names = sorted({*files, LIST, STAMP})
    rows = (f"{name}\t{files[name][0] if name in files else ''}\n" for name in names)
    (staged / LIST).write_text("".join(rows), encoding="utf-8")
    text = dumps({**stamp, "files": len(names)}) + "\n"
    (staged / STAMP).write_text(text, encoding="utf-8")


def listed_files(folder: Path) -> dict[str, str] | None:
    """Return the hashes of a site's files by path, from its list; None without a list."""
    try:
        rows = (folder / LIST).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return None
    return {path: digest for path, _, digest in (row.partition("\t") for row in rows)}


def read_stamp(folder: Path) -> dict[str, Any]:
    """Return the content of a site's build.json; empty if it cannot be read."""
    try:
        stamp = json.loads((folder / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def site_counts(output: Path, inputs: str) -> dict[str, int] | None:
    """Return the counts in build.json if the site is whole and was built from `inputs`."""
    stamp, files = read_stamp(output), listed_files(output) or {}
    if stamp.get("inputs") != inputs or stamp.get("files") != len(files):
        return None
    try:
        last = os.stat(output / STAMP).st_mtime
        if any(os.lstat(f"{output}/{path}").st_mtime > last for path in files):
            return None
        return {name: int(stamp[name]) for name in COUNTS}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def refuse_foreign_folder(output: Path, paths: Paths) -> None:
    """Raise KbError where the site would replace anything but an earlier site."""
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise KbError(f"{output}: not a folder; --output names a folder for the site")
    if is_inside(output, paths.rulings) or is_inside(output, paths.data):
        raise KbError(f"{output}: lies inside the records or the build data; name another folder")
    if not output.exists() or not any(output.iterdir()):
        return
    if is_inside(paths.rulings, output) or is_inside(paths.data, output):
        raise KbError(f"{output}: holds the records or the build data; name another folder")
    own = listed_files(output)
    if own is None or read_stamp(output).get("generator") != "kb":
        raise KbError(
            f"{output}: holds files that no build of the site made;"
            " name an empty or a new folder with --output"
        )
    for path in _files(output):
        if path not in own and not path.startswith("."):
            raise KbError(
                f"{posix_path(output / path)}: kb did not write this file, and a build replaces the"
                " folder; move it to static/ next to the records, from where a build copies it"
            )


def swap_in_site(staged: Path, output: Path) -> None:
    """Put a staged site in its place; the old one is left to `remove_old_site`.

    Unchanged files keep their times, for programs that copy what is new. Raises OSError, with the
    old site in its place.
    """
    _keep_times(staged, output)
    if not output.exists():
        staged.rename(output)
        return
    old = _next_to(output, "old")
    output.rename(old)
    try:
        staged.rename(output)
    except OSError:
        old.rename(output)
        raise


def recover(output: Path) -> None:
    """Finish the swap of a killed build, if it has left one and no other build is running."""
    if os.path.lexists(_next_to(output, "old")):
        with suppress(KbError), folder_lock(output, patience=0):
            _recover(output)


def remove_old_site(output: Path) -> None:
    """Delete the files of a replaced site, after its hidden entries have moved to the new site.

    Raises KbError for files that are not in its list, which stay, and for files that cannot be
    deleted.
    """
    old = _next_to(output, "old")
    if not os.path.lexists(old):
        return
    own = _require_own(old)
    for entry in old.iterdir():
        is_ours = entry.name in own or os.path.lexists(output / entry.name)
        if entry.name.startswith(".") and not is_ours:
            entry.rename(output / entry.name)
    foreign = next((path for path in _files(old) if path not in own), None)
    if foreign:
        raise KbError(f"{posix_path(old / foreign)}: kb did not write this file; move it away")
    try:
        shutil.rmtree(old)
    except OSError as error:
        where = posix_path(error.filename or old)
        raise KbError(f"{where}: {error.strerror or error}; delete this replaced site") from error


def _recover(output: Path) -> None:
    """Bring back a site that a killed build had moved away, or remove one that it had replaced.

    Raises KbError for a folder of that name that no build made.
    """
    old = _next_to(output, "old")
    if os.path.lexists(old) and not os.path.lexists(output):
        _require_own(old)
        old.rename(output)
    remove_old_site(output)


def _keep_times(new: Path, old: Path) -> None:
    """Give files with unchanged bytes the times of the old ones.

    The stamp stays new: it tells which files were changed after the build.
    """
    before, after = listed_files(old) or {}, listed_files(new) or {}
    for path, digest in after.items():
        if digest and before.get(path) == digest:
            with suppress(OSError):
                status = os.stat(old / path)
                os.utime(new / path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _files(folder: Path) -> Iterator[str]:
    """Yield the paths of all files and links below a folder."""
    for parent, folders, names in os.walk(folder):
        below = os.path.relpath(parent, folder).replace(os.sep, "/")
        links = (name for name in folders if os.path.islink(os.path.join(parent, name)))
        yield from (name if below == "." else f"{below}/{name}" for name in (*names, *links))


def _next_to(output: Path, what: str) -> Path:
    whole = output.absolute()
    return whole.with_name(f".{whole.name}.kb-{what}")


def _require_own(folder: Path) -> Mapping[str, str]:
    """Return the listed files of a folder; raise KbError unless a build of this user made it."""
    status = folder.lstat()
    files = listed_files(folder) if stat.S_ISDIR(status.st_mode) and is_own(status) else None
    if files is None:
        raise KbError(f"{posix_path(folder)}: kb did not make this; move it away")
    return files
