"""A folder of records -> the Library, with every problem of every file."""

from __future__ import annotations

import hashlib
import os
import time
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kb.core.problems import BaseProblems, Problem, WrongUsage, posix_path
from kb.records.checks import rules
from kb.records.collection import is_collection
from kb.records.fields import Citation
from kb.records.model import Game, Ruling, game_id_error
from kb.records.parse import read_collection, read_game, read_ruling
from kb.records.validity import Validity, validities

# No record is longer; what is, is a problem that its length tells.
MAX_FILE_BYTES = 20_000_000
GAME_FILES = ("game.yaml", "sources.yaml", "terms.yaml", "cards.tsv")


@dataclass
class Library:
    """All records that are good: games by id in alphabetical order, rulings by `game/id`.

    `left_out` are the keys of rulings with problems. `problems` are sorted by path and line.
    `checksums` are those of the files' bytes, by path below `root`; `game_files` each game's own
    files.
    """

    root: Path
    games: dict[str, Game] = field(default_factory=dict)
    rulings: dict[str, Ruling] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    checksums: dict[str, str] = field(default_factory=dict)
    game_files: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def of_game(self, game: str) -> list[Ruling]:
        """The good rulings of a game, by id."""
        return list(self._by_game.get(game, ()))

    def coverage(self, game: Game) -> tuple[int, int]:
        """How many of a game's provisions good rulings cite, and how many there are."""
        cited = {citation for ruling in self.of_game(game.id) for citation in ruling.header.sources}
        listed = [
            Citation(source.id, provision)
            for source in game.sources
            for provision in source.provisions
        ]
        return sum(citation in cited for citation in listed), len(listed)

    def related(self, ruling: Ruling) -> dict[str, tuple[str, ...]]:
        """The ids that a ruling is tied to, both ways, of those that are published, by relation.

        supersedes / superseded_by, example_of / examples, related.
        """
        links = self.ties.get(ruling.key, {})
        names = ("supersedes", "superseded_by", "example_of", "examples", "related")
        return {name: tuple(links.get(name, ())) for name in names}

    @cached_property
    def _by_game(self) -> dict[str, list[Ruling]]:
        by_game: dict[str, list[Ruling]] = defaultdict(list)
        for ruling in self.rulings.values():
            by_game[ruling.game].append(ruling)
        return by_game

    @cached_property
    def ties(self) -> dict[str, dict[str, list[str]]]:
        """The ids that rulings are tied to, by key and relation; see `related`."""
        return _ties(self.rulings)

    @cached_property
    def spans(self) -> dict[str, Validity]:
        """The days on which each ruling stands, by key."""
        return validities(self.games, self.rulings)


def _ties(rulings: dict[str, Ruling]) -> dict[str, dict[str, list[str]]]:
    links: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))

    def link(ruling: Ruling, name: str, other: str, back: str) -> None:
        other_key = f"{ruling.game}/{other}"
        if other_key not in rulings:
            return
        for key, relation, target in (
            (ruling.key, name, other),
            (other_key, back, ruling.id),
        ):
            if target not in links[key][relation]:
                links[key][relation].append(target)

    for ruling in rulings.values():
        for other in ruling.header.supersedes:
            link(ruling, "supersedes", other, "superseded_by")
        for other in ruling.header.example_of:
            link(ruling, "example_of", other, "examples")
    for ruling in rulings.values():
        for other in ruling.header.related:
            if not any(
                other in ids for name, ids in links[ruling.key].items() if name != "related"
            ):
                link(ruling, "related", other, "related")
    for relations in links.values():
        # The same order whichever of two rulings names the other, so that an export comes back.
        relations["related"].sort()
    return links


# Size, inode, and the times of the last change of content and of the inode.
FileStatus = tuple[int, int, int, int]


@dataclass(frozen=True)
class ReadFile:
    """A file of rulings as it was read: its status then, its checksum, what is in it.

    `entries`: rulings by the names that their ids should be, None for one that cannot be read.
    """

    status: FileStatus
    checksum: str
    entries: Sequence[tuple[str, Ruling | None]]
    problems: Sequence[Problem]


class ReadFiles(dict[str, ReadFile]):
    """Files of rulings that were read before, by path below the records, for the next reading.

    Like git, compare size, inode and times; a file that was changed just before it was read may
    have been changed again within the same tick of the clock, and is read again.
    """

    def unchanged(self, below: str, entry: os.DirEntry[str]) -> ReadFile | None:
        """The file of a path as it was read, where it is the same now."""
        known = self.get(below)
        return known if known and known.status == _status(entry) else None

    def keep(self, below: str, file: ReadFile) -> None:
        """Keep a file that was read now, unless it was written just before."""
        self.pop(below, None)
        if max(file.status[2:]) < time.time_ns() - _TICK:
            self[below] = file


# The coarsest ticks of a file system's clock that matter here, in nanoseconds.
_TICK = 50_000_000


def _status(entry: os.DirEntry[str]) -> FileStatus:
    try:
        status = entry.stat()
    except OSError:
        return 0, 0, 0, 0
    return status.st_size, status.st_ino, status.st_mtime_ns, status.st_ctime_ns


def load(root: Path, only: Sequence[Path] = (), known: ReadFiles | None = None) -> Library:
    """Read and check everything below `root`.

    `only`: list the problems of these files and folders. `known`: files that an earlier reading has
    read; brought up to date. Bad records are left out, with their problems. Raises WrongUsage when
    `root` is no folder of records.
    """
    if not root.is_dir():
        raise WrongUsage(
            f"{posix_path(root)}: no such folder; --rulings names a folder of games, each with a"
            " game.yaml"
        )
    problems = BaseProblems(root, only)
    library = Library(root, problems=problems)
    rulings: dict[str, Ruling] = {}
    folders = [
        entry for entry in _entries(root, library.problems) if _game_folder(entry, library.problems)
    ]
    if not folders:
        raise WrongUsage(
            f"{posix_path(root)}: no game in this folder; a game is a folder with a game.yaml"
        )
    reader = _Reader(library, rulings, ReadFiles() if known is None else known)
    for folder in folders:
        reader.game(folder)
    problems.extend(rules.check_library(library.games, rulings))
    library.problems = problems.listed()
    bad = {path: sorted(lines) for path, lines in problems.lines.items()}
    for key, ruling in sorted(rulings.items()):
        first, last = ruling.span
        lines = bad.get(ruling.path, [])
        if lines and (not last or bisect_left(lines, first) < bisect_right(lines, last)):
            library.left_out[key] = ruling.path
        else:
            library.rulings[key] = ruling
    return library


def _game_folder(entry: os.DirEntry[str], problems: list[Problem]) -> bool:
    path = posix_path(Path(entry.path))
    if not entry.is_dir(follow_symlinks=False):
        if entry.name not in ("README.md", "LICENSE"):
            problems.append(
                Problem(path, 1, "not a game's folder; records lie in <game>/<topic>/<id>.md")
            )
        return False
    if game_id_error(entry.name):
        problems.append(Problem(path, 1, f"the folder's name: {game_id_error(entry.name)}"))
        return False
    if not os.path.isfile(os.path.join(entry.path, "game.yaml")):
        problems.append(Problem(path, 1, "a game's folder without a game.yaml"))
        return False
    return True


def _entries(folder: Path, problems: list[Problem]) -> Iterator[os.DirEntry[str]]:
    """Yield the entries of a folder by name; skip hidden and backup files, report links."""
    try:
        with os.scandir(folder) as scan:
            entries = sorted(scan, key=lambda entry: entry.name)
    except OSError as error:
        problems.append(Problem(posix_path(folder), 1, f"cannot be listed: {error.strerror}"))
        return
    for entry in entries:
        if entry.name.startswith((".", "#")) or entry.name.endswith(("~", ".bak", ".orig", ".swp")):
            continue
        if entry.is_symlink():
            problems.append(
                Problem(
                    posix_path(Path(entry.path)),
                    1,
                    "a symbolic link; records are plain files inside the tree",
                )
            )
            continue
        yield entry


@dataclass
class _Reader:
    """Reads the games of a library; `known`: files that were read before."""

    library: Library
    rulings: dict[str, Ruling]
    known: ReadFiles

    def bytes(self, path: str, below: str) -> bytes | None:
        """A file, its checksum noted under its path `below` the library's root."""
        try:
            with open(path, "rb", buffering=0) as file:
                # Room for what is there and no more: for the most that may be, the system would be
                # asked anew for every file.
                data = file.read(min(os.fstat(file.fileno()).st_size, MAX_FILE_BYTES) + 1) or b""
                while len(data) < MAX_FILE_BYTES and (
                    more := file.read(MAX_FILE_BYTES - len(data))
                ):
                    data += more
        except OSError as error:
            self.library.problems.append(
                Problem(posix_path(Path(path)), 1, f"cannot be read: {error.strerror}")
            )
            return None
        self.library.checksums[below] = hashlib.sha256(data).hexdigest()
        return data

    def game(self, folder: os.DirEntry[str]) -> None:
        """Reads a game's files and then its rulings."""
        problems = self.library.problems
        files: dict[str, bytes] = {}
        paths: dict[str, str] = {}
        topics: list[os.DirEntry[str]] = []
        for entry in _entries(Path(folder.path), problems):
            path = posix_path(Path(entry.path))
            if entry.is_dir(follow_symlinks=False):
                if entry.name in GAME_FILES:
                    problems.append(Problem(path, 1, "a folder where a file is expected"))
                else:
                    topics.append(entry)
            elif not entry.is_file(follow_symlinks=False):
                problems.append(Problem(path, 1, "not a plain file"))
            elif entry.name in GAME_FILES:
                data = self.bytes(entry.path, f"{folder.name}/{entry.name}")
                if data is not None:
                    files[entry.name], paths[entry.name] = data, path
            elif entry.name not in ("README.md", "LICENSE"):
                known = ", ".join(GAME_FILES)
                problems.append(
                    Problem(
                        path, 1, f"not a record; a game's folder holds {known} and a folder a topic"
                    )
                )
        game = None
        if "game.yaml" in files:
            game, more = read_game(files, paths)
            problems += more
        if game and game.id != folder.name:
            problems.append(
                Problem(
                    paths["game.yaml"],
                    1,
                    f"id: {game.id!r} is not the name of its folder, {folder.name!r}",
                )
            )
            game = None
        if game:
            self.library.games[game.id] = game
            self.library.game_files[game.id] = files
        for topic in topics:
            self.topic(topic, folder.name)

    def topic(self, topic: os.DirEntry[str], game: str) -> None:
        """Read the rulings of a topic's folder."""
        problems = self.library.problems
        here = posix_path(Path(topic.path))
        for entry in _entries(Path(topic.path), problems):
            path = (
                f"{here}/{entry.name}" if entry.name.isprintable() else posix_path(Path(entry.path))
            )
            if entry.is_dir(follow_symlinks=False):
                problems.append(
                    Problem(
                        path,
                        1,
                        "a folder where a record is expected; records lie in"
                        " <game>/<topic>/<id>.md",
                    )
                )
                continue
            if not entry.name.endswith(".md"):
                problems.append(Problem(path, 1, "not a record; a ruling's file ends in .md"))
                continue
            if not entry.is_file(follow_symlinks=False):
                problems.append(Problem(path, 1, "not a plain file"))
                continue
            below = f"{game}/{topic.name}/{entry.name}"
            file = self.known.unchanged(below, entry) or self.read(entry, path, below)
            if file:
                self.library.checksums[below] = file.checksum
                problems += file.problems
                for name, ruling in file.entries:
                    _add_ruling(f"{game}/{name}", ruling, path, self.library, self.rulings)

    def read(self, entry: os.DirEntry[str], path: str, below: str) -> ReadFile | None:
        """Read a file of rulings, of which the path is `below` the library's root."""
        # Before the bytes are read: what changes in between is noticed the next time.
        status = _status(entry)
        data = self.bytes(entry.path, below)
        if data is None:
            return None
        game, topic, _ = below.split("/")
        entries: Sequence[tuple[str, Ruling | None]]
        if is_collection(data):
            entries, problems = read_collection(data, path, game, topic)
        else:
            ruling, problems = read_ruling(data, path, game, topic)
            entries = [(entry.name.removesuffix(".md"), ruling)]
        file = ReadFile(status, self.library.checksums[below], entries, problems)
        self.known.keep(below, file)
        return file


def _add_ruling(
    key: str, ruling: Ruling | None, path: str, library: Library, rulings: dict[str, Ruling]
) -> None:
    """Adds a ruling that was read, under an id that no other has."""
    if ruling is None:
        library.left_out.setdefault(key, path)
    elif key in rulings:
        line, other = ruling.line("kind"), rulings[key]
        message = f"the id {ruling.id} is taken by {other.path}; ids are unique in a game"
        library.problems.append(Problem(path, line if other.path == path else 1, message))
        if other.path != path:
            library.problems.append(
                Problem(
                    other.path,
                    1,
                    f"the id {ruling.id} is taken by {path} too; ids are unique in a game",
                )
            )
    else:
        rulings[key] = ruling
