"""What a build made of what, kept beside the store: the next one works only on what differs.

Deleting it loses nothing; it is believed only where program, templates and options are the same and the site is as it was left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from kb.core.parallel import map_chunks
from kb.core.problems import NotBuilt, posix_path
from kb.records.library import Library
from kb.records.model import Game, Ruling
from kb.records.parse import read_game
from kb.records.parse_cache import ParseCache, replace_bodies, ruling_from_json, ruling_to_json
from kb.records.validity import Validity
from kb.search.browser import Offline
from kb.site.site_build import Site

_FOLDER = "made"
# Rulings that one process counts the words of before it says so.
_PART = 2_500
Words = dict[str, Counter[str]]


@dataclass(frozen=True, slots=True)
class CachedRuling:
    """A ruling as it was read and as it was published (with a mark for each card), a hash of what stands around it, its stamp,
    which changes with its text and with what its words mean, the days on which it stands, and its cards (`cards_of`).

    `line`: all of this as the last build wrote it; empty when it is new.
    """

    read: Ruling
    linked: Ruling
    around: str
    stamp: str
    span: Validity
    cards: dict[str, bool]
    line: bytes = b""

    def dumped(self, key: str) -> bytes:
        """A line of the file of rulings."""
        if self.line:
            return self.line
        bodies = (
            [text.body for text in self.linked.texts]
            if self.linked.texts != self.read.texts
            else None
        )
        span = [self.span.begins, self.span.ends]
        return (
            orjson.dumps(
                [key, ruling_to_json(self.read), bodies, self.around, self.stamp, span, self.cards]
            )
            + b"\n"
        )


@dataclass(frozen=True)
class BuildManifest:
    """A build: checksums of the records' files, the files of its games, its rulings by key, how often each language's words
    stand in them, and the site."""

    sums: dict[str, str]
    game_files: dict[str, dict[str, bytes]]
    rulings: dict[str, CachedRuling]
    words: Words
    site: Site
    folder: Path = field(default=Path())

    @cached_property
    def held(self) -> ParseCache:
        """The rulings by the files that they were read from."""
        files: dict[str, tuple[str, list[Ruling]]] = {}
        for kept in self.rulings.values():
            below = _below(kept.read.path)
            files.setdefault(below, (self.sums.get(below, ""), []))[1].append(kept.read)
        return ParseCache(files, self.sums)

    def library(self, now: Library) -> Library:
        """The library as it was published; games whose files are those of `now` are the same objects."""
        return Library(
            Path(),
            {key: self._game(key, now) for key in self.game_files},
            self.published,
            sums=self.sums,
        )

    @cached_property
    def published(self) -> dict[str, Ruling]:
        """The rulings as they were published."""
        return {key: kept.linked for key, kept in self.rulings.items()}

    def _game(self, key: str, now: Library) -> Game:
        if self.game_files[key] == now.game_files.get(key):
            return now.games[key]
        game, _ = read_game(self.game_files[key], dict.fromkeys(self.game_files[key], ""))
        if game is None:
            raise NotBuilt(f"what the last build kept of the game {key} cannot be read")
        return game

    def save(self, folder: Path) -> None:
        """Writes it into the folder of its build."""
        place = folder / _FOLDER
        place.mkdir()
        with (place / "rulings.jsonl").open("wb") as file:
            file.writelines(kept.dumped(key) for key, kept in self.rulings.items())
        self.site.index.save(place / "index.json")
        rest = {
            "sums": self.sums,
            "games": {
                key: {name: data.decode() for name, data in files.items()}
                for key, files in self.game_files.items()
            },
            "words": self.words,
            "site": [
                self.site.files,
                self.site.made_of,
                self.site.keys,
                self.site.pages,
                self.site.shared,
                self.site.past,
            ],
        }
        (place / "made.json").write_bytes(orjson.dumps(rest))

    @classmethod
    def read(cls, folder: Path, root: Path) -> BuildManifest | None:
        """What `save` wrote into the folder of a build of the records in `root`; None where there is nothing whole."""
        place = folder / _FOLDER
        try:
            with (place / "rulings.jsonl").open("rb") as file:
                above = posix_path(root / "_").removesuffix("_")
                rulings = dict(_kept(line, above) for line in file)
            rest: dict[str, Any] = orjson.loads((place / "made.json").read_bytes())
            index = Offline.read(place / "index.json")
            games = {
                key: {name: str(text).encode() for name, text in found.items()}
                for key, found in rest["games"].items()
            }
            words = {lang: Counter(counts) for lang, counts in rest["words"].items()}
            files, made_of, keys, pages, shared, past = rest["site"]
            site_files = {address: (digest, size) for address, (digest, size) in files.items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        if index is None or list(rulings) != keys:
            return None
        site = Site(site_files, made_of, keys, index, pages, shared, past)
        return cls(rest["sums"], games, rulings, words, site, folder)


def _kept(line: bytes, above: str) -> tuple[str, CachedRuling]:
    key, data, bodies, around, stamp, span, cards = orjson.loads(line)
    # The records may lie elsewhere now, or be named in another way.
    data["path"] = above + _below(data["path"])
    read = ruling_from_json(data)
    return key, CachedRuling(
        read,
        replace_bodies(read, bodies) if bodies else read,
        around,
        stamp,
        Validity(*span),
        cards,
        line,
    )


def _below(path: str) -> str:
    """The path of a record below the folder of all."""
    return "/".join(path.rsplit("/", 3)[-3:])


def counted(
    before: Mapping[str, Counter[str]] | None, gone: Iterable[Ruling], come: Sequence[Ruling]
) -> Words:
    """How often words stand in the rulings, once some are gone and others have come."""
    from kb.search.analyzer import words_in

    words: Words = {lang: Counter(counts) for lang, counts in (before or {}).items()}
    for some in map_chunks(_counts, come, _PART):
        for lang, counts in some.items():
            words.setdefault(lang, Counter()).update(counts)
    for ruling in gone:
        for lang, word in words_in(ruling):
            words[lang][word] -= 1
            if words[lang][word] <= 0:
                del words[lang][word]
    return words


def _counts(rulings: Sequence[Ruling]) -> Words:
    from kb.search.analyzer import words_by_text

    words: Words = {}
    for ruling in rulings:
        for lang, several in words_by_text(ruling):
            if several:
                # A text at a time: the millions of words of a base are counted outside of Python's own loops.
                words.setdefault(lang, Counter()).update(several)
    return words
