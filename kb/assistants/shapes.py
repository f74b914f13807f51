"""The shapes of the answers that assistants and chats give; their JSON schema goes to clients."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

MatchKind = Literal["all", "most", "near", "none"]


class CitedSource(BaseModel):
    """A place in a source document."""

    document: str = Field(description="Id of the document.")
    provision: str = Field(description="The provision within it.")
    title: str
    author: str = ""
    published: str | None = None
    url: str = ""


class AnsweredRuling(BaseModel):
    """One ruling."""

    id: str = Field(description="game/id, permanent; cite it.")
    address: str = Field(description="The ruling's page.")
    title: str
    answer: str = Field(description="The answer itself, in `lang`.")
    text: str | None = Field(None, description="The whole text, as Markdown; only of get_ruling.")
    lang: str
    languages: list[str] = Field(description="Languages that the ruling has texts in.")
    kind: str
    authority: Literal["official", "translator", "community"] = Field(
        description="Who says so; `translator` and `community` are not official."
    )
    standing: str = Field(
        description="`current` is in force; superseded, reversed and withdrawn are not;"
        " disputed and unanswered are open."
    )
    date: str | None = Field(description="Day of the ruling, else of its newest source.")
    sources: list[CitedSource]
    cards: list[str]
    superseded_by: list[str] = Field(description="Ids of the rulings that replace it.")
    because: str = Field("", description="Why it replaces others, or was taken back.")


class Answer(BaseModel):
    """What every tool returns."""

    match: MatchKind = Field(
        description="all: exactly what was asked for. most: most words of the query."
        " near: a guess. none: no ruling found."
    )
    message: str = Field(description="How to use the answer.")
    rulings: list[AnsweredRuling] = []


class SearchAnswer(Answer):
    """Rulings found by words."""

    total: int = Field(description="How many rulings match; `rulings` has the best of them.")
    suggestion: str | None = Field(None, description="The query without its typing errors.")
    cards: list[str] = Field([], description="Cards that the query names.")


class AnsweredCard(BaseModel):
    """All cards of one name in one game."""

    game: str
    name: str
    versions: list[str]
    address: str | None = Field(description="The card's page; null where no ruling names it.")
    rulings: int = Field(description="How many rulings name it.")


class CardAnswer(Answer):
    """Cards and the rulings on them."""

    named_by: str = Field(
        description="How the text names the cards: name, other name, form, part, spelling or none."
    )
    cards: list[AnsweredCard] = []


class DeckCard(BaseModel):
    """A card of the deck that has rulings, with their ids, errata first."""

    line: int
    card: str
    count: int
    named_by: str = Field(description="name, form, or near: a guess.")
    rulings: list[str]


class DeckRule(BaseModel):
    """A ruling on a type or keyword of the deck's cards."""

    id: str
    because: str = Field(description="The types or keywords that bring it in.")


class UnknownDeckLine(BaseModel):
    """A line that names no card."""

    line: int
    text: str
    suggestions: list[str]


class DeckRulings(Answer):
    """The rulings for a deck list; `rulings` has the texts of the first of them."""

    game: str
    cards: list[DeckCard]
    rules: list[DeckRule]
    unknown: list[UnknownDeckLine]
    without_rulings: int = Field(description="How many cards of the deck have no ruling.")


class AnsweredGame(BaseModel):
    """A game of the base."""

    id: str
    name: str
    languages: list[str] = Field(description="Languages of its rulings, its own first.")
    rulings: int
    glossary: str = Field(description="URI of the resource with its terms.")
    address: str


class GamesAnswer(Answer):
    """The games of the base."""

    games: list[AnsweredGame]
