"""The result of an import: drafts of records, facts of the game, lines not understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from kb.core.problems import Problem


@dataclass(frozen=True)
class DraftText:
    """A draft in one language.

    `body` is Markdown with card marks, its first paragraph the answer.
    """

    lang: str
    title: str
    body: str


@dataclass(frozen=True)
class Draft:
    """A ruling as it will be written, or a proposal of one.

    `id` comes from what the source keeps stable (a number, a card's key), never from the text.
    `lines` are the first and last line in the source's file, `file` its name where a reader may
    want to look. `note` tells the curator what to look at. `header` holds further keys as a record
    has them, `asked_as` questions by language.
    """

    id: str
    topic: str
    texts: tuple[DraftText, ...]
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


@dataclass(frozen=True)
class DraftCard:
    """A line of cards.tsv."""

    name: str
    version: str = ""
    sets: str = ""
    type: str = ""
    side: str = ""
    subtypes: str = ""
    other_names: tuple[str, ...] = ()


T = TypeVar("T", Draft, DraftSource)


@dataclass
class Imported:
    """The result of one import.

    `skipped` names each line of the source that became no part of a draft, and why. `not_cards` are
    names of cards that texts mostly mean otherwise, for a new game's game.yaml.
    `has_ids_from_words`: the ids of drafts are words of theirs, not numbers that the source keeps.
    """

    drafts: list[Draft] = field(default_factory=list)
    sources: list[DraftSource] = field(default_factory=list)
    cards: list[DraftCard] = field(default_factory=list)
    topics: dict[str, str] = field(default_factory=dict)
    skipped: list[Problem] = field(default_factory=list)
    name: str = ""
    language: str = "en"
    not_cards: tuple[str, ...] = ()
    has_ids_from_words: bool = False

    def attribute_to(self, authority: str) -> None:
        """Set the authority of what is the community's, as nothing in the source says otherwise."""
        self.drafts = [_attributed(draft, authority) for draft in self.drafts]
        self.sources = [_attributed(source, authority) for source in self.sources]

    def skip(self, path: str, line: int, message: str) -> None:
        """Report a line of a file."""
        self.skipped.append(Problem(path, line, message))


def _attributed(item: T, authority: str) -> T:
    return replace(item, authority=authority) if item.authority == "community" else item
