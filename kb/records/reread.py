"""The library of an earlier reading, brought up to date where only texts of rulings differ.

Anything else (a header, a game's own files, a record that has come or gone, a problem) is left to
`kb.records.library.load`, which reads and compares all of them.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.core.files import read_bounded
from kb.core.problems import posix_path
from kb.records.checks.rules import check_rulings
from kb.records.collection import is_collection
from kb.records.library import MAX_FILE_BYTES, Library
from kb.records.model import Ruling
from kb.records.parse import read_collection, read_ruling

# Where more files differ, all are read in hardly more time.
_MOST = 200


@dataclass(frozen=True)
class Reading:
    """A library without problems as it was read.

    `rulings_of`: gives the rulings of a file, by its path below the library's root. `checksums`:
    those of all files that were there then, what is no record among them. `folders`: all folders.
    """

    library: Library
    rulings_of: Callable[[str], Sequence[Ruling]]
    checksums: Mapping[str, str]
    folders: Collection[str]

    def again(self, checksums: Mapping[str, str], folders: Collection[str]) -> Library | None:
        """The library as it is now, its unchanged rulings the same objects; None to read it all.

        `checksums`, `folders`: what is there now, as those of then.
        """
        if folders != self.folders or checksums.keys() != self.checksums.keys():
            return None
        old = self.checksums
        paths = [path for path, checksum in checksums.items() if old[path] != checksum]
        if len(paths) > _MOST:
            return None
        rulings, known = dict(self.library.rulings), dict(self.library.checksums)
        changed: list[Ruling] = []
        for path in paths:
            before = {one.key: one for one in self.rulings_of(path)}
            file = _read(self.library.root, path) if before else None
            if file is None or [one.key for one in file.rulings] != list(before):
                return None
            if not all(_differs_in_texts_alone(one, before[one.key]) for one in file.rulings):
                return None
            known[path] = file.checksum
            rulings.update((one.key, one) for one in file.rulings)
            changed += file.rulings
        if any(check_rulings(self.library.games, changed)):
            return None
        return self.library.with_texts(rulings, known)


@dataclass(frozen=True)
class _File:
    rulings: Sequence[Ruling]
    checksum: str


def _read(root: Path, path: str) -> _File | None:
    """Read a file of rulings; None where it is not as it should be."""
    game, topic, _ = path.split("/")
    place = root / path
    try:
        if not stat.S_ISREG(os.lstat(place).st_mode):
            return None
        data = read_bounded(place, MAX_FILE_BYTES)
    except OSError:
        return None
    rulings = good_rulings(data, posix_path(place), game, topic)
    return _File(rulings, hashlib.sha256(data).hexdigest()) if rulings else None


def good_rulings(data: bytes, path: str, game: str, topic: str) -> list[Ruling]:
    """The rulings of a file; none where any of them has a problem by itself."""
    rulings: list[Ruling | None]
    if is_collection(data):
        read, problems = read_collection(data, path, game, topic)
        rulings = [ruling for _, ruling in read]
    else:
        ruling, problems = read_ruling(data, path, game, topic)
        rulings = [ruling]
    good = [ruling for ruling in rulings if ruling]
    return [] if problems or len(good) < len(rulings) else good


def _differs_in_texts_alone(ruling: Ruling, other: Ruling) -> bool:
    """Whether all that other rulings are compared with is the same."""
    return (
        ruling.header == other.header
        and ruling.asked_as == other.asked_as
        and ruling.folder == other.folder
        and ruling.path == other.path
    )
