"""The answers of the API alone: pages of lists, suggestions, the entry point and errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from kb.core.json import Json
from kb.records.fields import Authority
from kb.serialize.answers import Card, Change, Shape, doc
from kb.serialize.ruling import Texts
from kb.serialize.schema import ruling_model

# Its fields come from `kb.records.fields`.
if TYPE_CHECKING:
    Ruling = Json
else:
    Ruling = ruling_model()


@dataclass(frozen=True)
class Problem:
    """An error (RFC 9457)."""

    type: str = field(metadata={"examples": ["about:blank"]})
    title: str = field(metadata={"examples": ["Not Found"]})
    status: int = field(metadata={"examples": [404]})
    detail: str = field(
        metadata={"examples": ["There is no ruling one-pilto in demo; did you mean one-pilot?"]}
    )


@dataclass(frozen=True)
class Page(Shape):
    """A page of a list."""

    total: int
    limit: int
    offset: int


@dataclass(frozen=True)
class Rulings(Page):
    """A page of a list of rulings."""

    results: Sequence[Ruling]


@dataclass(frozen=True)
class Cards(Page):
    """A page of a list of cards."""

    results: Sequence[Card]


@dataclass(frozen=True)
class Changes(Page):
    """A page of a list of changes, newest first."""

    results: Sequence[Change]


@dataclass(frozen=True)
class Topic(Shape):
    """A topic of a game."""

    game: str
    id: str
    title: Texts
    rulings: int
    url: str


@dataclass(frozen=True)
class Topics(Shape):
    """Topics, by game, in the order of game.yaml."""

    total: int
    results: Sequence[Topic]


@dataclass(frozen=True)
class TopicRulings(Shape):
    """A topic with the keys of its rulings."""

    game: str
    id: str
    title: Texts
    rulings: Sequence[str] = field(metadata=doc("Each as game/id."))


@dataclass(frozen=True)
class Source:
    """A document that rulings cite. Each provision has the keys of the rulings that cite it."""

    # Further members are facts of the document, where known.
    __pydantic_config__: ClassVar[Any] = {"extra": "ignore"}

    game: str
    id: str
    title: Texts
    kind: Literal["document", "rulebook"]
    language: str
    authority: Authority
    overrides: Sequence[str]
    provisions: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Sources(Shape):
    """Documents and rulebooks, by game."""

    total: int
    results: Sequence[Source]


@dataclass(frozen=True)
class Game(Shape):
    """A game. The first of its languages is its own."""

    id: str
    name: Texts
    languages: Sequence[str]
    url: str


@dataclass(frozen=True)
class Start(Shape):
    """The entry point: games, and links to all operations."""

    build: str
    games: Sequence[Game]
    links: Mapping[str, str]


@dataclass(frozen=True)
class WordCompletion(Shape):
    """A word of the texts."""

    lang: str
    word: str


@dataclass(frozen=True)
class CardCompletion(Shape):
    """A card by its name."""

    game: str
    name: str
    url: str | None


@dataclass(frozen=True)
class TopicCompletion(Shape):
    """A topic by its titles."""

    game: str
    id: str
    title: Texts
    url: str


@dataclass(frozen=True)
class Suggestions(Shape):
    """Completions of a query."""

    query: str
    words: Sequence[WordCompletion]
    cards: Sequence[CardCompletion]
    topics: Sequence[TopicCompletion]
