"""The shapes of the API's answers, for its OpenAPI description. They are those of `kb search --json` and its sisters."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from kb.records.model import Authority, Kind, Status

Texts = dict[str, str]


class Shape(BaseModel):
    """The common ground: what an answer may hold is all written down."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """An error (RFC 9457): what is wrong and what to do."""

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["no ruling one-pilto in demo; did you mean one-pilot?"])


class Hit(Shape):
    """One result of a search."""

    id: str
    game: str
    title: Texts = Field(description="by language")
    snippet: str = Field(description="plain text of `lang`")
    answer: str = Field(description="the first paragraph in `lang`, plain text")
    lang: str
    kind: Kind
    authority: Authority
    status: Status
    score: float
    cards: list[str]
    sources: list[str] = Field(description="document#provision")
    url: str = Field(description="the ruling's page, relative to the site's root")


class NamedCard(Shape):
    """A card that a query names."""

    game: str
    name: str
    rulings: int = Field(description="how many rulings name it")
    url: str | None = Field(description="its page, relative to the site's root")


class Found(Shape):
    """What a search found."""

    query: str
    total: int
    took_ms: float
    match: Literal["all", "most", "near", "none"] = Field(
        description="all words that matter in one ruling, most of them, a guess, nothing"
    )
    relaxed: bool = Field(description="no ruling has every word")
    suggestion: str | None = Field(description="the query without its slips of the finger")
    searched_for: str | None = Field(
        description="what was searched for where the query was typed on another keyboard"
    )
    cards: list[NamedCard] = Field(description="the cards that the query names, at most five")
    results: list[Hit]


class Ruling(Shape):
    """One ruling; texts are Markdown with card marks."""

    id: str
    game: str
    kind: Kind
    authority: Authority
    status: Status
    date: str | None
    effective: str | None
    effective_until: str | None
    rules: list[str]
    reviewed: str | None
    topics: list[str]
    about: list[str]
    cards: list[str]
    sources: list[str]
    title: Texts
    text: Texts
    asked_as: dict[str, list[str]] = Field(description="questions that people ask, by language")
    supersedes: list[str]
    because: str
    superseded_by: list[str]
    related: list[str]
    example_of: list[str]
    examples: list[str]
    overrides: list[str]
    formerly: list[str]
    different_from: list[dict[str, str]] = Field(description="id and because of each")
    asked: str | None
    asked_of: str
    translated_from: Texts
    url: str


class Brief(Shape):
    """A ruling by its titles."""

    id: str
    title: Texts
    url: str


class Version(Shape):
    """One card of a name."""

    label: str
    version: str
    sets: list[str]
    type: str
    side: str
    subtypes: str
    other_names: list[str]


class Card(Shape):
    """All cards of one name of one game, and the rulings on them."""

    game: str
    name: str
    cards: list[Version]
    about: list[Brief]
    mentioned: list[Brief]
    url: str | None = Field(description="none where no ruling names the card")


class Topic(Shape):
    """A topic of a game."""

    game: str
    id: str
    title: Texts
    rulings: int
    url: str


class TopicRulings(Shape):
    """A topic with the keys of its rulings."""

    game: str
    id: str
    title: Texts
    rulings: list[str] = Field(description="game/id")


class Source(BaseModel):
    """A document that rulings cite; `provisions` with the keys of the rulings on each."""

    game: str
    id: str
    title: Texts
    kind: Literal["document", "rulebook"]
    language: str
    authority: Authority
    overrides: list[str]
    provisions: dict[str, list[str]]


class Changed(Shape):
    """A ruling that changed."""

    id: str
    game: str
    what: str = Field(
        description="created, changed, moved, removed, dated, superseded, reversed or withdrawn"
    )
    moment: str
    revision: str | None
    status: Status | None
    title: Texts
    url: str | None


class Game(Shape):
    """A game: its names and languages, its own first."""

    id: str
    name: Texts
    languages: list[str]
    url: str


class Word(Shape):
    """A word of the texts."""

    lang: str
    word: str


class CardName(Shape):
    """A card's name."""

    game: str
    name: str
    url: str | None


class TopicName(Shape):
    """A topic's titles."""

    game: str
    id: str
    title: Texts
    url: str


class Suggested(Shape):
    """What a query may go on as."""

    query: str
    words: list[Word]
    cards: list[CardName]
    topics: list[TopicName]


class Rulings(Shape):
    """A page of a list of rulings."""

    total: int
    limit: int
    offset: int
    results: list[Ruling]


class Cards(Shape):
    """A page of a list of cards."""

    total: int
    limit: int
    offset: int
    results: list[Card]


class Changes(Shape):
    """A page of a list of changes, newest first."""

    total: int
    limit: int
    offset: int
    results: list[Changed]


class Topics(Shape):
    """Topics, by game, in the order of each game."""

    total: int
    results: list[Topic]


class Sources(Shape):
    """Documents and rulebooks, by game."""

    total: int
    results: list[Source]


class Start(Shape):
    """Where one begins."""

    build: str
    games: list[Game]
    links: dict[str, str]


class Wrong(Shape):
    """A problem of a record."""

    path: str
    line: int
    message: str


class Live(Shape):
    """The last build of a server that watches the records."""

    revision: int
    building: bool
    message: str = Field(description="what failed, where it is no record's problem")
    problems: list[Wrong]
