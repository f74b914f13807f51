"""Read and check a folder of records into a Library."""

from __future__ import annotations

import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from kb.core.files import read_bounded
from kb.core.problems import KbError, Problem, WrongUsage, listed, posix_path
from kb.core.similar import name_hint
from kb.records.checks import rules
from kb.records.model import Game, Ruling
from kb.records.parse import read_game, read_ruling
from kb.records.pictures import PICTURE
from kb.records.syntax import MAX_BYTES
from kb.records.tables import with_questions
from kb.records.validity import OUT_OF_FORCE, Validity, chain, standing, validities
from kb.records.values import Citation, game_id_error, id_error

GAME_FILES = (
    "game.yaml",
    "sources.yaml",
    "terms.yaml",
    "diagrams.yaml",
    "cards.tsv",
    "questions.tsv",
    PICTURE,
)
# The ids of the related rulings, by the name of the relation.
Relations = dict[str, tuple[str, ...]]
_RELATIONS = ("supersedes", "superseded_by", "example_of", "examples", "related")
_OTHER_FILES = ("README.md", "LICENSE")
_BACKUP_ENDINGS = ("~", ".bak", ".orig", ".swp")


@dataclass
class Library:
    """The records without problems: games by id in alphabetical order, rulings by `game/id`.

    `readable`: rulings that can be read, with those that have problems across records. `left_out`:
    paths of rulings with problems, by key. `problems` are sorted by path and line. `checksums`:
    SHA-256 of all files, by path below `root`.
    """

    root: Path
    games: dict[str, Game] = field(default_factory=dict)
    rulings: dict[str, Ruling] = field(default_factory=dict)
    readable: dict[str, Ruling] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    checksums: dict[str, str] = field(default_factory=dict)

    @property
    def build_id(self) -> str:
        """The id of a build of the records; equal records have equal ids."""
        checksums = repr(sorted(self.checksums.items()))
        return hashlib.sha256(checksums.encode("utf-8", "backslashreplace")).hexdigest()[:12]

    def path(self, key: str) -> str:
        """Return the path of a ruling, also of one with problems; empty without such a ruling."""
        return self.rulings[key].path if key in self.rulings else self.left_out.get(key, "")

    def find(self, key: str) -> Ruling:
        """Return the ruling with an id or `game/id`.

        Raises KbError unless there is exactly one, with a hint for one that is named by its file.
        """
        rulings = [ruling for ruling in self.rulings.values() if key in (ruling.key, ruling.id)]
        if len(rulings) > 1:
            raise KbError(f"{key}: several rulings have this id; write game/id")
        if rulings:
            return rulings[0]
        name = key.rpartition("/")[2].removesuffix(".md")
        if any(left.rpartition("/")[2] == name for left in self.left_out):
            raise KbError(f"{key}: no such ruling; its record has problems, run: kb check")
        hint = name_hint(name, {ruling.id for ruling in self.rulings.values()})
        raise KbError(f"{key}: no such ruling{hint}")

    def id_fault(self, key: str) -> str:
        """Return why a new ruling cannot have the key `game/id`; empty if it can."""
        game, _, ruling_id = key.partition("/")
        if path := self.path(key):
            return f"the id {ruling_id} is taken by {path}"
        rulings = (ruling for ruling in self.readable.values() if ruling.game == game)
        if any(ruling_id in ruling.header.formerly for ruling in rulings):
            return f"the id {ruling_id} was once another ruling's id; ids are never reused"
        return id_error(ruling_id)

    def of_game(self, game: str) -> list[Ruling]:
        """Return the rulings of a game, by id."""
        return list(self._by_game.get(game, ()))

    def coverage(self, game: Game) -> tuple[int, int]:
        """Return the numbers of a game's cited provisions and of all its provisions."""
        cited = {citation for ruling in self.of_game(game.id) for citation in ruling.header.sources}
        listed = [
            Citation(source.id, provision)
            for source in game.sources
            for provision in source.provisions
        ]
        return sum(citation in cited for citation in listed), len(listed)

    def relations(self, ruling: Ruling) -> Relations:
        """Return the relations of a ruling to other rulings, in both directions."""
        return self._relations.get(ruling.key) or dict.fromkeys(_RELATIONS, ())

    @cached_property
    def _by_game(self) -> dict[str, list[Ruling]]:
        by_game: dict[str, list[Ruling]] = defaultdict(list)
        for ruling in self.rulings.values():
            by_game[ruling.game].append(ruling)
        return by_game

    @cached_property
    def _relations(self) -> dict[str, Relations]:
        """By key; rulings that supersede or illustrate each other are not listed as related too."""
        # Dictionaries, as sets that keep their order.
        relations: dict[str, dict[str, dict[str, None]]] = {
            key: {name: {} for name in _RELATIONS} for key in self.rulings
        }

        def link(ruling: Ruling, others: Iterable[str], name: str, inverse: str) -> None:
            for other in others:
                other_key = f"{ruling.game}/{other}"
                if other_key in relations:
                    relations[ruling.key][name][other] = None
                    relations[other_key][inverse][ruling.id] = None

        for ruling in self.rulings.values():
            link(ruling, ruling.header.supersedes, "supersedes", "superseded_by")
            link(ruling, ruling.header.example_of, "example_of", "examples")
        for key, ruling in self.rulings.items():
            stronger = {other for name in _RELATIONS[:-1] for other in relations[key][name]}
            others = (other for other in ruling.header.related if other not in stronger)
            link(ruling, others, "related", "related")
        # Sorted, because either ruling may name the other: an export must import to the same.
        return {
            key: {
                name: tuple(sorted(ids) if name == "related" else ids) for name, ids in own.items()
            }
            for key, own in relations.items()
        }

    @cached_property
    def validities(self) -> dict[str, Validity]:
        """The days on which each ruling is in force, by key."""
        return validities(self.games, self.rulings)

    def standing(self, key: str) -> str:
        """Return how a ruling stands today, by its status and its dates; see `standing`."""
        validity = self.validities[key]
        return standing(self.rulings[key].header.status, validity.begins, validity.ends)

    def is_out_of_force(self, key: str) -> bool:
        """Whether a ruling is not in force today, by its status or its dates."""
        return self.standing(key) in OUT_OF_FORCE

    def in_force_after(self, ruling: Ruling) -> list[str]:
        """Return the ids of the rulings in force that replaced a ruling, in one step or several."""

        def later(ruling_id: str) -> Sequence[str]:
            return self.relations(self.rulings[f"{ruling.game}/{ruling_id}"])["superseded_by"]

        others = chain(ruling.id, later)[1:]
        return [other for other in others if not self.is_out_of_force(f"{ruling.game}/{other}")]


@dataclass(frozen=True)
class ReadFiles:
    """What was read before, by path, for the next reading.

    `rulings`: the time of the file's last change and its size, its checksum, the ruling (None if it
    has problems), the problems. `games`: the contents of the game's files, the game, the problems.
    """

    rulings: dict[str, tuple[tuple[int, int], str, Ruling | None, Sequence[Problem]]] = field(
        default_factory=dict
    )
    games: dict[str, tuple[dict[str, bytes], Game | None, Sequence[Problem]]] = field(
        default_factory=dict
    )


# Of two entries of the same name the first is kept, so nothing follows from the second.
_KEPT = re.compile(r"\b(?:id|card) given twice")


def load(root: Path, only: Sequence[Path] = (), known: ReadFiles | None = None) -> Library:
    """Read and check all records below `root`; records with problems are left out.

    `only`: report the problems of these files and folders. `known`: files of an earlier reading, to
    be updated. Raises WrongUsage when `root` is not a folder of records.
    """
    if not root.is_dir():
        raise WrongUsage(
            f"{posix_path(root)}: no such folder; --rulings names a folder of games, each with a"
            " game.yaml"
        )
    library = Library(root)
    reader = _Reader(library, known or ReadFiles())
    folders = [entry for entry in reader.entries(root) if reader.is_game(entry)]
    if not folders:
        raise WrongUsage(
            f"{posix_path(root)}: no game in this folder; a game is a folder with a game.yaml",
            tuple(listed(library.problems, only)),
        )
    for folder in folders:
        reader.game(folder)
    for game in library.games.values():
        library.readable.update(with_questions(game, library.readable))
    causes = {each.path for each in library.problems if not _KEPT.search(each.message)}
    checked = rules.check_library(library.games, library.readable, dict(library.left_out))
    problems = [*library.problems, *checked]
    library.problems = listed(problems, only, causes)
    faulty = {problem.path for problem in problems}
    for key, ruling in sorted(library.readable.items()):
        if ruling.path in faulty:
            library.left_out[key] = ruling.path
        else:
            library.rulings[key] = ruling
    return library


class _Reader:
    """Reads the games of a library; `known`: files of an earlier reading."""

    def __init__(self, library: Library, known: ReadFiles) -> None:
        self.library = library
        self.known = known

    def report(self, path: str | Path, message: str) -> None:
        self.library.problems.append(Problem(posix_path(Path(path)), 1, message))

    def entries(self, folder: str | Path) -> Iterator[os.DirEntry[str]]:
        """Yield a folder's entries by name, without hidden and backup files; report links."""
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            self.report(folder, f"cannot be listed: {error.strerror}")
            return
        for entry in entries:
            if entry.name.startswith((".", "#")) or entry.name.endswith(_BACKUP_ENDINGS):
                continue
            if entry.is_symlink():
                self.report(entry.path, "a symbolic link; records are plain files inside the tree")
            elif not entry.is_dir() and not entry.is_file():
                self.report(entry.path, "not a plain file")
            else:
                yield entry

    def is_game(self, entry: os.DirEntry[str]) -> bool:
        """Whether an entry is a game's folder; report other entries, except README and LICENSE."""
        if not entry.is_dir():
            if entry.name not in _OTHER_FILES:
                message = "not a game's folder; records lie in <game>/<topic>/<id>.md"
                if entry.name == "site.yaml":
                    message = "site.yaml belongs beside the folder of the records"
                self.report(entry.path, message)
            return False
        if error := game_id_error(entry.name):
            self.report(entry.path, f"the folder's name: {error}")
            return False
        if not os.path.isfile(os.path.join(entry.path, "game.yaml")):
            self.report(entry.path, "a game's folder without a game.yaml")
            return False
        return True

    def contents(self, path: str, below: str) -> bytes | None:
        """Read a file and keep its checksum by its path `below` the library's root."""
        try:
            data = read_bounded(Path(path), MAX_BYTES)
        except OSError as error:
            self.report(path, f"cannot be read: {error.strerror}")
            return None
        self.library.checksums[below] = hashlib.sha256(data).hexdigest()
        return data

    def game(self, folder: os.DirEntry[str]) -> None:
        """Read a game's files and then its rulings."""
        files: dict[str, bytes] = {}
        topics: list[os.DirEntry[str]] = []
        for entry in self.entries(folder.path):
            if entry.is_dir() and entry.name in GAME_FILES:
                self.report(entry.path, "a folder where a file is expected")
            elif entry.is_dir():
                topics.append(entry)
            elif entry.name in GAME_FILES:
                data = self.contents(entry.path, f"{folder.name}/{entry.name}")
                if data is not None:
                    files[entry.name] = data
            elif entry.name not in _OTHER_FILES:
                names = ", ".join(GAME_FILES)
                message = f"not a record; a game's folder holds {names} and a folder a topic"
                self.report(entry.path, message)
        if "game.yaml" in files:
            self.add_game(folder, files)
        for topic in topics:
            self.topic(topic, folder.name)

    def add_game(self, folder: os.DirEntry[str], files: dict[str, bytes]) -> None:
        """Add a game, whose files are parsed if they have changed."""
        path = posix_path(Path(folder.path))
        known = self.known.games.get(path)
        if known is None or known[0] != files:
            known = self.known.games[path] = files, *read_game(files, path)
        _, game, problems = known
        self.library.problems += problems
        if game and game.id != folder.name:
            message = f"id: {game.id!r} is not the name of its folder, {folder.name!r}"
            self.report(f"{path}/game.yaml", message)
        elif game:
            self.library.games[game.id] = game

    def topic(self, topic: os.DirEntry[str], game: str) -> None:
        """Read the rulings of a topic's folder."""
        for entry in self.entries(topic.path):
            if entry.is_dir():
                message = (
                    "a folder where a record is expected; records lie in <game>/<topic>/<id>.md"
                )
                self.report(entry.path, message)
            elif not entry.name.endswith(".md"):
                self.report(entry.path, "not a record; a ruling's file ends in .md")
            else:
                self.ruling(entry, game, topic.name)

    def ruling(self, entry: os.DirEntry[str], game: str, topic: str) -> None:
        """Add the ruling of a file, which is parsed if it has changed, unless its id is taken."""
        below = f"{game}/{topic}/{entry.name}"
        path = posix_path(Path(entry.path))
        # Taken before the bytes are read, so that the next reading notices a change in between.
        try:
            status = entry.stat()
        except OSError as error:
            self.report(path, f"cannot be read: {error.strerror}")
            return
        version = status.st_mtime_ns, status.st_size
        known = self.known.rulings.get(below)
        if known is None or known[0] != version:
            data = self.contents(entry.path, below)
            if data is None:
                return
            read = read_ruling(data, path, game, topic)
            known = self.known.rulings[below] = version, self.library.checksums[below], *read
        _, self.library.checksums[below], ruling, problems = known
        self.library.problems += problems
        key = f"{game}/{entry.name.removesuffix('.md')}"
        other = self.library.readable.get(key)
        if ruling is None:
            self.library.left_out.setdefault(key, path)
        elif other is None:
            self.library.readable[key] = ruling
        else:
            message = f"the id {ruling.id} is taken by {{}}; ids are unique in a game"
            self.report(path, message.format(other.path))
            self.report(other.path, message.format(f"{path} too"))
