"""What is on each kind of page: one frozen dataclass a kind, gathered from the library before anything is rendered."""

from __future__ import annotations

from dataclasses import dataclass

from kb.records.history import Past
from kb.records.model import Card, Game, Ruling, Source, Term, Topic


@dataclass(frozen=True, slots=True)
class Link:
    """A link to a page of the site: `titles` by language, the page's own language first; `note` says more."""

    address: str
    titles: tuple[tuple[str, str], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class RulingLink:
    """A ruling in a list; `key` is `game/id`."""

    key: str
    address: str
    titles: tuple[tuple[str, str], ...]
    kind: str
    authority: str
    status: str


@dataclass(frozen=True)
class TextPart:
    """A ruling in one language, rendered: the answer and what explains it."""

    lang: str
    title: str
    answer: str
    rest: str
    original: bool


@dataclass(frozen=True)
class RulingPage:
    """A ruling's page."""

    ruling: Ruling
    game: Game
    texts: tuple[TextPart, ...]
    topics: tuple[Link, ...]
    about: tuple[Link, ...]
    mentioned: tuple[Link, ...]
    citations: tuple[Link, ...]
    overrides: tuple[Link, ...]
    ties: dict[str, tuple[RulingLink, ...]]
    summaries: dict[str, str]
    past: tuple[Past, ...] = ()
    stale: tuple[str, ...] = ()


@dataclass(frozen=True)
class TopicPage:
    """A topic with its rulings."""

    game: Game
    topic: Topic
    titles: tuple[tuple[str, str], ...]
    rulings: tuple[RulingLink, ...]


@dataclass(frozen=True)
class CardPage:
    """All cards of one name; `about` and `mentioned` are rulings with the labels that they name."""

    game: Game
    name: str
    cards: tuple[Card, ...]
    about: tuple[tuple[RulingLink, tuple[str, ...]], ...]
    mentioned: tuple[tuple[RulingLink, tuple[str, ...]], ...]


@dataclass(frozen=True)
class CardsPage:
    """The cards of a game that have rulings, by initial letter."""

    game: Game
    letters: tuple[tuple[str, tuple[tuple[Link, int], ...]], ...]


@dataclass(frozen=True)
class SourcePage:
    """A source document: its provisions in order, each with the rulings that cover it; for a rulebook, what overrides it."""

    game: Game
    source: Source
    titles: tuple[tuple[str, str], ...]
    provisions: tuple[tuple[str, tuple[RulingLink, ...]], ...]
    overrides: tuple[Link, ...]
    overridden: tuple[RulingLink, ...]


@dataclass(frozen=True)
class TermEntry:
    """A term in the glossary, with a search for it."""

    term: Term
    rulings: tuple[RulingLink, ...]


@dataclass(frozen=True)
class GlossaryPage:
    """A game's glossary."""

    game: Game
    entries: tuple[TermEntry, ...]


@dataclass(frozen=True)
class GamePage:
    """A game's front page: topics with how many rulings each has, documents, what else there is."""

    game: Game
    topics: tuple[tuple[Link, int], ...]
    sources: tuple[Link, ...]
    errata: tuple[RulingLink, ...]
    rulings: int
    cards: int

    def parts(self) -> tuple[object, ...]:
        """All that is on it; of the game only its header, without the cards."""
        return self.game.header, self.topics, self.sources, self.errata, self.rulings, self.cards


@dataclass(frozen=True)
class ErrataPage:
    """All errata of one game, or of all."""

    games: tuple[GamePage, ...]


@dataclass(frozen=True)
class ChangesPage:
    """What changed last, newest first: by day, rulings with what happened to each."""

    days: tuple[tuple[str, tuple[tuple[RulingLink, str], ...]], ...]


@dataclass(frozen=True)
class TranslationsPage:
    """What translators have to do, by game: rulings whose translation is stale, and those without one, with the language."""

    games: tuple[
        tuple[Game, tuple[tuple[RulingLink, str], ...], tuple[tuple[RulingLink, str], ...]], ...
    ]


@dataclass(frozen=True)
class HomePage:
    """The site's front page."""

    games: tuple[GamePage, ...]
