"""What an import reads from a source: drafts of records, facts of the game, skipped lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from kb.core.problems import Problem
from kb.records.model import Card, Game
from kb.records.syntax import Text


@dataclass(frozen=True)
class Draft:
    """A ruling as it will be written, or a proposal of one.

    `lines`: the first and the last line in the source's file. `file`: the name of that file, if the
    record is to say it. `note`: a comment for the curator. `header`: further keys of the record's
    header. `asked_as`: questions by language.
    """

    id: str
    topic: str
    texts: tuple[Text, ...]
    kind: str = "ruling"
    authority: str = "official"
    status: str = "current"
    about: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    date: str = ""
    related: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    lines: tuple[int, int] = (0, 0)
    file: str = ""
    note: str = ""
    header: Mapping[str, str | tuple[str, ...] | Mapping[str, str]] = field(default_factory=dict)
    asked_as: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class DraftSource:
    """A document of sources.yaml with its provisions in order."""

    id: str
    title: str
    language: str
    authority: str = "official"
    published: str = ""
    url: str = ""
    provisions: tuple[str, ...] = ()


T = TypeVar("T", Draft, DraftSource)


@dataclass
class Imported:
    """What an import reads from a source.

    `skipped`: every line of the source that is in no draft, and why. `not_cards`: card names that
    are ordinary words in most texts, for the game.yaml of a new game. `has_ids_from_words`: the ids
    are made of the drafts' words, because the source has no numbers that stay.
    """

    drafts: list[Draft] = field(default_factory=list)
    sources: list[DraftSource] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    topics: dict[str, str] = field(default_factory=dict)
    skipped: list[Problem] = field(default_factory=list)
    name: str = ""
    language: str = "en"
    not_cards: tuple[str, ...] = ()
    has_ids_from_words: bool = False

    def attribute_to(self, authority: str) -> None:
        """Set the authority of rulings and sources whose authority the source does not state."""
        self.drafts = [_attributed(draft, authority) for draft in self.drafts]
        self.sources = [_attributed(source, authority) for source in self.sources]

    def add_facts_of(self, game: Game) -> None:
        """Add a game's titles of the drafts' topics, and the cards that the drafts are about."""
        listed = {card.name for card in self.cards}
        for draft in self.drafts:
            for topic in (draft.topic, *draft.topics):
                if topic in game.topics and game.language in game.topics[topic].title:
                    self.topics[topic] = game.topics[topic].title[game.language]
            for card in (card for label in draft.about for card in game.cards_named(label)):
                if card.name not in listed:
                    self.cards.append(card)

    def skip(self, path: str, line: int, message: str) -> None:
        """Report a line of a file."""
        self.skipped.append(Problem(path, line, message))


def _attributed(item: T, authority: str) -> T:
    return replace(item, authority=authority) if item.authority == "community" else item
