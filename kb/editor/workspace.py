"""The records as whoever edits them needs them: all that can be read, good or not, and what is wrong with one that is changed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kb.core.problems import Problem, posix_path
from kb.records.checks import rules
from kb.records.collection import is_collection
from kb.records.draft import field_at_line
from kb.records.library import Library, load
from kb.records.model import Game, Ruling
from kb.records.parse import read_collection, read_ruling
from kb.records.patch import RecordLocation
from kb.records.similarity import SimilarityIndex
from kb.server.catalogue import Starts

# From which likeness on a ruling is shown to whoever writes another, and how many at most.
ALIKE, SHOWN = 0.25, 5


@dataclass(frozen=True)
class Wrong:
    """A problem and the field that it is about: `place` is empty for the record as a whole, `path` names another record."""

    place: str
    message: str
    line: int
    path: str = ""


@dataclass
class Workspace:
    """One reading of the records. `rulings` are all that can be read by themselves, also those that do not fit with others."""

    library: Library
    rulings: dict[str, Ruling]
    _known: dict[str, frozenset[Problem]] = field(default_factory=dict)
    _starts: dict[str, Starts[str]] = field(default_factory=dict)
    _likeness: dict[tuple[str, str], tuple[list[Ruling], SimilarityIndex]] = field(
        default_factory=dict
    )

    def game(self, game_id: str) -> Game | None:
        """A game that can be read."""
        return self.library.games.get(game_id)

    def card_starts(self, game: Game) -> Starts[str]:
        """A game's card names by the words that they begin with."""
        if game.id not in self._starts:
            self._starts[game.id] = Starts(
                (name, card.name)
                for card in game.cards
                for name in (card.name, card.label, *card.other_names)
            )
        return self._starts[game.id]

    def of_game(self, game_id: str) -> dict[str, Ruling]:
        """The rulings of a game by key."""
        return {key: one for key, one in self.rulings.items() if one.game == game_id}

    def path(self, key: str) -> str:
        """Where a ruling stands; empty when there is none."""
        return self.rulings[key].path if key in self.rulings else self.library.left_out.get(key, "")

    def across(self, game_id: str, rulings: Mapping[str, Ruling]) -> frozenset[Problem]:
        """The problems between the records of one game."""
        game = self.game(game_id)
        return frozenset(rules.check_library({game_id: game}, rulings)) if game else frozenset()

    def known(self, game_id: str) -> frozenset[Problem]:
        """The problems between the records of a game as they stand."""
        if game_id not in self._known:
            self._known[game_id] = self.across(game_id, self.of_game(game_id))
        return self._known[game_id]

    def similar(self, key: str, texts: Mapping[str, tuple[str, str]]) -> list[tuple[Ruling, float]]:
        """The rulings of the same game most like a text that is being written, in any of its languages."""
        game = key.partition("/")[0]
        best: dict[str, tuple[Ruling, float]] = {}
        for lang, (title, body) in texts.items():
            rulings, likeness = self._compared(game, lang)
            for number, alike in likeness.to(f"{title}\n{body}", SHOWN + 1, ALIKE):
                one = rulings[number]
                if one.key != key and alike > best.get(one.key, (one, 0.0))[1]:
                    best[one.key] = (one, alike)
        return sorted(best.values(), key=lambda one: (-one[1], one[0].key))[:SHOWN]

    def _compared(self, game: str, lang: str) -> tuple[list[Ruling], SimilarityIndex]:
        if (game, lang) not in self._likeness:
            rulings = [one for one in self.of_game(game).values() if one.text(lang)]
            words = [f"{text.title}\n{text.body}" for one in rulings if (text := one.text(lang))]
            self._likeness[game, lang] = (rulings, SimilarityIndex(words))
        return self._likeness[game, lang]


def read_workspace(root: Path) -> Workspace:
    """Reads all records below `root`. Raises KbError when it is no folder of records."""
    library = load(root)
    rulings = dict(library.rulings)
    for path in dict.fromkeys(library.left_out.values()):
        game, folder = Path(path).parts[-3:-1]
        try:
            data = Path(path).read_bytes()
        except OSError:
            continue
        for one in _read(data, path, game, folder)[0]:
            rulings.setdefault(one.key, one)
    return Workspace(library, dict(sorted(rulings.items())))


def _read(data: bytes, path: str, game: str, folder: str) -> tuple[list[Ruling], list[Problem]]:
    if is_collection(data):
        found, problems = read_collection(data, path, game, folder)
        return [one for _, one in found if one is not None], problems
    ruling, problems = read_ruling(data, path, game, folder)
    return ([ruling] if ruling else []), problems


def judged(
    shelf: Workspace, key: str, path: Path, place: RecordLocation, text: str
) -> tuple[Ruling | None, list[Wrong]]:
    """A ruling as it would stand with this text, None when it cannot be read, and what would be wrong: with it, and with others
    because of it."""
    game, _, ruling_id = key.partition("/")
    name, folder = posix_path(path), path.parent.name
    found, problems = _read(place.file(text), name, game, folder)
    first, last = place.offset + 1, place.offset + max(1, text.count("\n") + 1)
    ruling = next((one for one in found if one.id == ruling_id), None)
    mine = [one for one in problems if not place.before or first <= one.line <= last]
    elsewhere: list[Problem] = []
    if ruling is not None:
        for one in shelf.across(game, {**shelf.of_game(game), key: ruling}):
            if one.path == name and (not place.before or first <= one.line <= last):
                mine.append(one)
            elif one not in shelf.known(game):
                elsewhere.append(one)
    wrong = [
        Wrong(field_at_line(text, one.line - place.offset), one.message, one.line - place.offset)
        for one in sorted(set(mine), key=lambda one: one.line)
    ]
    return ruling, wrong + [Wrong("", one.message, one.line, one.path) for one in sorted(elsewhere)]


class WorkspaceCache:
    """The newest reading of the records: read again when something has changed."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._shelf: Workspace | None = None
        self._lock = threading.Lock()

    def now(self) -> Workspace:
        """The records as they are."""
        with self._lock:
            if self._shelf is None:
                self._shelf = read_workspace(self.root)
            return self._shelf

    def changed(self) -> None:
        """Something has changed: the next to ask reads again."""
        with self._lock:
            self._shelf = None
