"""What an import reads from a source: drafts of records, facts of the game, skipped lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from kb.core.problems import Problem
from kb.records.fields import Authority, Header
from kb.records.model import Game
from kb.records.text import Text
from kb.records.values import Card

OFFICIAL = Header(kind="ruling", authority="official", status="current", topics=())


@dataclass(frozen=True)
class Draft:
    """A ruling as it will be written.

    `topic`: its folder, which is its first topic. `lines`: the first and the last line in the
    source's file. `file`: the name of that file, if the record is to say it. `note`: a comment for
    the curator. `asked_as`: questions by language. `document`: the source that it is compared
    with in a later import; empty if all files of the import are one document.
    """

    id: str
    topic: str
    texts: tuple[Text, ...]
    header: Header = OFFICIAL
    lines: tuple[int, int] = (0, 0)
    file: str = ""
    note: str = ""
    asked_as: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    document: str = ""

    @property
    def topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.topic, *self.header.topics)))


@dataclass(frozen=True)
class DraftSource:
    """A document of sources.yaml with its provisions in order.

    `file`: the one that it was read from, if each file is a document of its own.
    """

    id: str
    title: str
    language: str
    authority: Authority = "official"
    url: str = ""
    provisions: tuple[str, ...] = ()
    file: Path | None = None


@dataclass
class Imported:
    """What an import reads from a source.

    `skipped`: every line of the source that is in no draft, and why. `not_cards`: card names that
    are ordinary words in most texts, for the game.yaml of a new game.
    """

    drafts: list[Draft] = field(default_factory=list)
    sources: list[DraftSource] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    topics: dict[str, str] = field(default_factory=dict)
    skipped: list[Problem] = field(default_factory=list)
    name: str = ""
    language: str = "en"
    not_cards: tuple[str, ...] = ()

    def attribute_to(self, authority: Authority) -> None:
        """Set the authority of rulings and sources whose authority the source does not state."""
        for at, draft in enumerate(self.drafts):
            if draft.header.authority == "community":
                header = replace(draft.header, authority=authority)
                self.drafts[at] = replace(draft, header=header)
        for at, source in enumerate(self.sources):
            if source.authority == "community":
                self.sources[at] = replace(source, authority=authority)

    def add_facts_of(self, game: Game) -> None:
        """Add a game's titles of the drafts' topics, and the cards that the drafts are about."""
        listed = {card.name for card in self.cards}
        for draft in self.drafts:
            for topic in draft.topics:
                if topic in game.topics and game.language in game.topics[topic].title:
                    self.topics[topic] = game.topics[topic].title[game.language]
            for label in draft.header.about:
                self.cards += [card for card in game.cards_named(label) if card.name not in listed]

    def skip(self, path: str, line: int, message: str) -> None:
        """Report a line of a file."""
        self.skipped.append(Problem(path, line, message))
