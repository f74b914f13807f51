"""What is on each kind of page: one dataclass a kind, holding all that its template can reach.

A page is rendered again when the hash of its data changes, so nothing that a template shows may
come from elsewhere: no records, only the values that are shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from kb.core.hashing import data_hash
from kb.core.json import Json
from kb.records.history import RevisionDiff
from kb.site.markdown import MarkdownText

# (language, text) pairs, the game's own language first.
Titles = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class GameLink:
    """A game as pages name it."""

    id: str
    language: str
    languages: tuple[str, ...]
    names: Mapping[str, str]

    def title(self, lang: str) -> str:
        """The game's name in a language, else in its own."""
        return (
            self.names.get(lang) or self.names.get(self.language) or next(iter(self.names.values()))
        )


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page of the site; `note` says more."""

    address: str
    titles: Titles
    note: str = ""


@dataclass(frozen=True, slots=True)
class RulingLink:
    """A ruling in a list; `key` is `game/id`."""

    key: str
    address: str
    titles: Titles
    kind: str
    authority: str
    status: str


@dataclass(frozen=True, slots=True)
class RulingText:
    """A ruling in one language; `plain` is its answer without markup, on one line."""

    lang: str
    title: str
    original: bool
    stale: bool
    plain: str
    body: MarkdownText

    @property
    def answer(self) -> str:
        """The HTML of the first paragraph."""
        return self.body.html[0]

    @property
    def rest(self) -> str:
        """The HTML of what follows the first paragraph."""
        return self.body.html[1]

    @property
    def summary(self) -> str:
        """The beginning of the answer."""
        return self.plain[:300]


@dataclass(frozen=True, slots=True)
class RulingPage:
    """A ruling. `exported` is its JSON, which lies beside the page."""

    game: GameLink
    key: str
    kind: str
    authority: str
    status: str
    date: str | None
    because: str
    effective: str | None
    effective_until: str | None
    asked: str | None
    asked_of: str
    rule_sets: tuple[Titles, ...]
    reviewed: Titles
    texts: tuple[RulingText, ...]
    topics: tuple[Link, ...]
    about: tuple[Link, ...]
    mentioned: tuple[Link, ...]
    citations: tuple[Link, ...]
    overrides: tuple[Link, ...]
    ties: Mapping[str, tuple[RulingLink, ...]]
    past: tuple[RevisionDiff, ...]
    exported: Json

    def beside(self) -> Json:
        """The JSON beside the page."""
        return self.exported


@dataclass(frozen=True, slots=True)
class TopicPage:
    """A topic with its rulings."""

    game: GameLink
    titles: Titles
    rulings: tuple[RulingLink, ...]


@dataclass(frozen=True, slots=True)
class CardVersion:
    """A row of a card's page."""

    name: str
    version: str
    sets: tuple[str, ...]
    type: str
    side: str
    subtypes: str
    other_names: tuple[str, ...]
    label: str


@dataclass(frozen=True, slots=True)
class CardPage:
    """All cards of one name; `about` and `mentioned` are rulings with the labels that they name."""

    game: GameLink
    name: str
    cards: tuple[CardVersion, ...]
    about: tuple[tuple[RulingLink, tuple[str, ...]], ...]
    mentioned: tuple[tuple[RulingLink, tuple[str, ...]], ...]

    def beside(self) -> Json:
        """The JSON beside the page."""
        return {
            "game": self.game.id,
            "name": self.name,
            "cards": [asdict(card) for card in self.cards],
            "about": [link.key for link, _ in self.about],
            "mentioned": [link.key for link, _ in self.mentioned],
        }


@dataclass(frozen=True, slots=True)
class CardsPage:
    """The cards of a game that have rulings, by initial letter, with how many each has."""

    game: GameLink
    letters: tuple[tuple[str, tuple[tuple[Link, int], ...]], ...]


@dataclass(frozen=True, slots=True)
class SourcePage:
    """A source document: its provisions in order, each with the rulings that cover it.

    `facts` are (name, value) pairs. `overrides` are documents that it overrides, `overridden` the
    rulings that override it.
    """

    game: GameLink
    id: str
    language: str
    titles: Titles
    facts: tuple[tuple[str, str], ...]
    url: str
    provisions: tuple[tuple[str, tuple[RulingLink, ...]], ...]
    overrides: tuple[Link, ...]
    overridden: tuple[RulingLink, ...]


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A term in the glossary, with the rulings that have it in their title."""

    id: str
    names: Mapping[str, tuple[str, ...]]
    meanings: Mapping[str, str]
    rulings: tuple[RulingLink, ...]

    def title(self, lang: str) -> str:
        """The preferred name in a language, else in any."""
        return (self.names.get(lang) or next(iter(self.names.values())))[0]


@dataclass(frozen=True, slots=True)
class GlossaryPage:
    """A game's glossary."""

    game: GameLink
    terms: tuple[GlossaryTerm, ...]


@dataclass(frozen=True, slots=True)
class GamePage:
    """A game's front page: topics with how many rulings each has, documents, how much there is."""

    game: GameLink
    topics: tuple[tuple[Link, int], ...]
    sources: tuple[Link, ...]
    errata: int
    rulings: int
    cards: int


@dataclass(frozen=True, slots=True)
class ErrataPage:
    """All errata of one game, or of all."""

    games: tuple[tuple[GameLink, tuple[RulingLink, ...]], ...]


@dataclass(frozen=True, slots=True)
class HomePage:
    """The site's front page: games with how many rulings and cards each has, and the build."""

    games: tuple[tuple[GameLink, int, int], ...]
    build_id: str
    build_date: str


@dataclass(frozen=True, slots=True)
class GlossariesPage:
    """The glossaries of all games, with how many terms each has."""

    games: tuple[tuple[GameLink, int], ...]


@dataclass(frozen=True, slots=True)
class ChangesPage:
    """What changed last, newest first: by day, rulings with what happened to each."""

    days: tuple[tuple[str, tuple[tuple[RulingLink, str], ...]], ...]


@dataclass(frozen=True, slots=True)
class TranslationsPage:
    """Stale and missing translations by game, each a ruling and the language."""

    games: tuple[
        tuple[GameLink, tuple[tuple[RulingLink, str], ...], tuple[tuple[RulingLink, str], ...]], ...
    ]


@dataclass(frozen=True, slots=True)
class SearchedGame:
    """What the search names of a game: its titles, its languages, its topics' titles by id."""

    game: GameLink
    topics: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class MovedPage:
    """A page at a former address, leading to `target`."""

    target: str


@dataclass(frozen=True, slots=True)
class PlainPage:
    """A page that shows nothing but the site's own words."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page: its address below the language, its template, and all that is on it."""

    address: str
    template: str
    data: Any

    def key(self, shared: str) -> str:
        """A hash of all that the page is rendered from; `shared` is that of what all pages have."""
        return data_hash([shared, self.template, self.data])
