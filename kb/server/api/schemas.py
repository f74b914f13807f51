"""The shapes of the API's responses, for its OpenAPI description; those of the CLI's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field

from kb.records.fields import Authority, Kind, Status
from kb.serialize.schema import ruling_model

Texts = dict[str, str]


class Shape(BaseModel):
    """A response that has the documented members and no others."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """An error (RFC 9457)."""

    type: str = Field(examples=["about:blank"])
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["There is no ruling one-pilto in demo. Did you mean one-pilot?"])


class Hit(Shape):
    """One result of a search."""

    id: str
    game: str
    title: Texts = Field(description="By language.")
    snippet: str = Field(description="Plain text, in `lang`.")
    answer: str = Field(description="The first paragraph, as plain text in `lang`.")
    lang: str = Field(description="The language shown: of snippet and answer.")
    kind: Kind
    authority: Authority
    status: Status
    score: float
    cards: list[str]
    sources: list[str] = Field(description="Each as document#provision.")
    url: str = Field(description="The ruling's page, relative to the root of the site.")


class NamedCard(Shape):
    """A card that the query names."""

    game: str
    name: str
    rulings: int = Field(description="How many rulings name it.")
    url: str | None = Field(description="The card's page, relative to the root of the site.")


class SearchResults(Shape):
    """The results of a search."""

    query: str
    total: int
    took_ms: float
    match: Literal["all", "most", "near", "none"] = Field(
        description="All meaningful words in one ruling, most of them, a guess, or nothing."
    )
    relaxed: bool = Field(description="No ruling has every word of the query.")
    suggestion: str | None = Field(description="The query with its typing errors corrected.")
    searched_for: str | None = Field(
        description="What was searched for, if the query was typed on another keyboard layout."
    )
    cards: list[NamedCard] = Field(description="The cards that the query names, at most five.")
    results: list[Hit]


if TYPE_CHECKING:

    class Ruling(Shape):
        """One ruling, with the fields of `kb.records.fields`."""

else:
    Ruling = ruling_model(Shape)


class RulingLink(Shape):
    """A ruling by its titles and its page."""

    id: str
    title: Texts
    url: str


class CardVersion(Shape):
    """One of the cards that share a name."""

    label: str
    version: str
    sets: list[str]
    type: str
    side: str
    subtypes: str
    other_names: list[str]


class Card(Shape):
    """All cards of one name in one game, and the rulings on them."""

    game: str
    name: str
    cards: list[CardVersion]
    about: list[RulingLink]
    mentioned: list[RulingLink]
    url: str | None = Field(description="Null where no ruling mentions the card.")


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
    rulings: list[str] = Field(description="Each as game/id.")


class Source(BaseModel):
    """A document that rulings cite. Each provision has the keys of the rulings that cite it."""

    game: str
    id: str
    title: Texts
    kind: Literal["document", "rulebook"]
    language: str
    authority: Authority
    overrides: list[str]
    provisions: dict[str, list[str]]


class Change(Shape):
    """A ruling that changed."""

    id: str
    game: str
    what: str = Field(
        description="One of created, changed, moved, removed, dated, superseded, reversed,"
        " withdrawn."
    )
    moment: str
    revision: str | None
    status: Status | None
    title: Texts
    url: str | None


class Game(Shape):
    """A game. The first of its languages is its own."""

    id: str
    name: Texts
    languages: list[str]
    url: str


class WordCompletion(Shape):
    """A word of the texts."""

    lang: str
    word: str


class CardCompletion(Shape):
    """A card by its name."""

    game: str
    name: str
    url: str | None


class TopicCompletion(Shape):
    """A topic by its titles."""

    game: str
    id: str
    title: Texts
    url: str


class Suggestions(Shape):
    """Completions of a query."""

    query: str
    words: list[WordCompletion]
    cards: list[CardCompletion]
    topics: list[TopicCompletion]


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
    results: list[Change]


class Topics(Shape):
    """Topics, by game, in the order that the game gives them."""

    total: int
    results: list[Topic]


class Sources(Shape):
    """Documents and rulebooks, by game."""

    total: int
    results: list[Source]


class Start(Shape):
    """The entry point: games, and links to all operations."""

    build: str
    games: list[Game]
    links: dict[str, str]


class RecordProblem(Shape):
    """A problem in a record."""

    path: str
    line: int
    message: str


class WatchState(Shape):
    """The state of the last build while the records are watched."""

    revision: int
    building: bool
    message: str = Field(description="Why the build failed, other than by problems in records.")
    problems: list[RecordProblem]


RULING_EXAMPLE = {
    "id": "one-pilot",
    "game": "demo",
    "kind": "ruling",
    "authority": "official",
    "status": "current",
    "date": "2003-05",
    "effective": None,
    "effective_until": None,
    "rules": [],
    "reviewed": None,
    "topics": ["pilots"],
    "about": ["Anakin Skywalker"],
    "cards": ["Anakin Skywalker", "Anakin Skywalker (C)"],
    "sources": ["demo-faq#one-pilot"],
    "title": {"pl": "Jeden pilot na jednostce", "en": "One pilot per unit"},
    "text": {
        "pl": "Na jednostce może być tylko jeden pilot.",
        "en": "A unit can have only one pilot.",
    },
    "asked_as": {"en": ["How many pilots may a unit have?"]},
    "supersedes": ["old-answer"],
    "because": "",
    "superseded_by": [],
    "related": ["pilot-build-zone"],
    "example_of": [],
    "examples": ["example"],
    "overrides": ["demo-rulebook"],
    "formerly": ["single-pilot"],
    "different_from": [],
    "asked": None,
    "asked_of": "",
    "translated_from": {"en": "1f0c9a27"},
    "url": "demo/rulings/one-pilot/index.html",
}
SEARCH_EXAMPLE = {
    "query": "jednostce",
    "total": 1,
    "took_ms": 1.7,
    "match": "all",
    "relaxed": False,
    "suggestion": None,
    "searched_for": None,
    "cards": [],
    "results": [
        {
            "id": "one-pilot",
            "game": "demo",
            "title": {"pl": "Jeden pilot na jednostce", "en": "One pilot per unit"},
            "snippet": "Na jednostce może być tylko jeden pilot.",
            "answer": "Na jednostce może być tylko jeden pilot.",
            "lang": "pl",
            "kind": "ruling",
            "authority": "official",
            "status": "current",
            "score": 3.2,
            "cards": ["Anakin Skywalker"],
            "sources": ["demo-faq#one-pilot"],
            "url": "demo/rulings/one-pilot/index.html",
        }
    ],
}
