"""The spare site between two commands: the site before the last one, in the data folder.

It is brought up to date before it is saved, so that it is a copy of the site in use without what
says that this is finished. A note, written last and deleted first, tells of which site: without it,
or where anything is not as noted, the spare is deleted and the next site begins as a copy.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from kb.core.files import link_or_copy, set_mode, write_file
from kb.pipeline.data_folder import SPARE
from kb.pipeline.inputs import STAMP
from kb.pipeline.own_files import LIST, hand_over_others
from kb.site.output import Written

Files = Mapping[str, Written]
# Copying and deleting a smaller site takes less time than looking through it.
MIN_FILES = 2_000
_SITE, _NOTE = "site", "note.json"
# Files after which it is asked whether somebody waits.
_OFTEN = 100


def take_spare(data: Path, output: Path, folder: Path) -> bool:
    """Put the spare in the place of an empty folder where it is a copy of the site in `output`.

    Return whether it was; else it is deleted.
    """
    spare = data / SPARE
    try:
        note = json.loads((spare / _NOTE).read_text(encoding="utf-8"))
        (spare / _NOTE).unlink()
        if note == _note(spare / _SITE, output):
            # An empty folder makes way. Where they lie on two file systems this fails.
            os.rename(spare / _SITE, folder)
            set_mode(folder, 0o755)
            return True
    except (OSError, ValueError):
        pass
    discard_spare(data)
    return False


def save_spare(folder: Path, data: Path, output: Path, old: Files, new: Files) -> None:
    """Save the site before, which lies in `folder`, as the spare for the one in `output`.

    `old`, `new`: the files of both. What others have put there is handed over. Where that cannot
    be done, or two sites would take twice the room, the folder stays where it is, for whoever
    removes it.
    """
    with suppress(OSError):
        is_near = os.stat(folder).st_dev == os.stat(data).st_dev
        unchanged = (address for address, written in new.items() if old.get(address) == written)
        same = next(unchanged, "")
        is_linked = same and os.path.samefile(folder / same, output / same)
        if not is_near or not is_linked or not hand_over_others(folder, output):
            return
        bring_up_to_date(folder, output, old, new)
        discard_spare(data)
        (data / SPARE).mkdir()
        os.rename(folder, data / SPARE / _SITE)
        note = _note(data / SPARE / _SITE, output)
        write_file(data / SPARE / _NOTE, json.dumps(note))


def discard_spare(data: Path) -> None:
    """Delete the spare, if there is one."""
    shutil.rmtree(data / SPARE, ignore_errors=True)


def bring_up_to_date(
    folder: Path,
    output: Path,
    old: Files,
    new: Files,
    is_awaited: Callable[[], bool] = lambda: False,
) -> Files:
    """Make a folder with the `old` files a copy of the site in `output`, which has the `new` ones.

    What says that a site is finished is left out. Return the files that the folder has then: other
    ones than `new` where it was not done before somebody waited for the folder (`is_awaited`).
    """
    for name in (LIST, STAMP):
        (folder / name).unlink(missing_ok=True)
    there = dict(old)
    for address in old.keys() - new.keys():
        _delete(folder / address)
        del there[address]
    others = [
        (address, written) for address, written in new.items() if there.get(address) != written
    ]
    folders: set[str] = set()
    for number, (address, written) in enumerate(others, 1):
        path = f"{folder}{os.sep}{address}"
        parent = os.path.dirname(path)
        if parent not in folders:
            os.makedirs(parent, exist_ok=True)
            folders.add(parent)
        with suppress(FileNotFoundError):
            os.unlink(path)
        link_or_copy(f"{output}{os.sep}{address}", path)
        there[address] = written
        if number % _OFTEN == 0 and number < len(others) and is_awaited():
            return there
    return new


def _delete(path: Path) -> None:
    path.unlink()
    with suppress(OSError):
        for folder in path.parents:
            folder.rmdir()


def _note(spare: Path, output: Path) -> dict[str, object]:
    """What tells two folders, and the build of the site, from all others. Raises OSError."""
    places = [[look.st_dev, look.st_ino] for look in map(os.lstat, (spare, output))]
    stamp = hashlib.sha256((output / STAMP).read_bytes()).hexdigest()
    return {"output": str(output.absolute()), "places": places, "stamp": stamp}
