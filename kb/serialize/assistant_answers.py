"""The answers for assistants and chats; assistants get their JSON schema."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from kb.decks.answer import RuleBroughtIn, UnknownLine
from kb.records.fields import Authority
from kb.serialize.answers import Confidence, MatchKind, doc
from kb.serialize.ruling import AnswerNote, CitedSource


@dataclass(frozen=True, kw_only=True)
class AnsweredRuling:
    """One ruling."""

    id: str = field(metadata=doc("game/id, permanent; cite it."))
    address: str = field(metadata=doc("The ruling's page."))
    title: str
    answer: str = field(metadata=doc("The answer itself, in `lang`."))
    text: str | None = field(
        metadata=doc("The whole text, as Markdown; only of get_ruling."), default=None
    )
    notes: Sequence[AnswerNote] = field(
        metadata=doc("Notes by editors or translator; never quote it as the authority’s words.")
    )
    verdict: str | None = field(metadata=doc("yes, no, if or a number, for a title that asks."))
    when: str = field(metadata=doc("The condition of the verdict if, in `lang`; empty for none."))
    lang: str
    languages: Sequence[str] = field(metadata=doc("Languages that the ruling has texts in."))
    kind: str
    authority: Authority = field(
        metadata=doc("Who gave the ruling; `translator` and `community` are not official.")
    )
    standing: str = field(
        metadata=doc(
            "`current` is in force; superseded, reversed and withdrawn are not;"
            " disputed and unanswered are open."
        )
    )
    date: str | None = field(metadata=doc("Day of the ruling, else of its newest source."))
    in_force_since: str = field(metadata=doc("First day in force; empty if unknown."))
    in_force_until: str = field(metadata=doc("Day from which it is no longer in force, if any."))
    sources: Sequence[CitedSource]
    cards: Sequence[str]
    superseded_by: Sequence[str] = field(metadata=doc("Ids of the rulings that replace it."))
    because: str = field(metadata=doc("Why it replaces others, or was taken back."), default="")


@dataclass(frozen=True, kw_only=True)
class FoundRuling(AnsweredRuling):
    """A ruling found by words."""

    match: MatchKind = field(
        metadata=doc("all: it has every word that matters. most, near: some words are missing.")
    )


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer of every tool."""

    match: MatchKind = field(
        metadata=doc(
            "all: exactly what was asked for. most: most words of the query."
            " near: a guess. none: no ruling found."
        )
    )
    message: str = field(metadata=doc("How to use the answer."))
    rulings: Sequence[AnsweredRuling] = ()


@dataclass(frozen=True, kw_only=True)
class SearchAnswer(Answer):
    """Rulings found by words."""

    rulings: Sequence[FoundRuling] = ()
    confidence: Confidence = field(
        metadata=doc(
            "answer: the first ruling is likely to decide the question. close: the rulings are the"
            " closest. none: no ruling is likely to decide it."
        )
    )
    total: int = field(metadata=doc("How many rulings have every word; they come first."))
    partial: int = field(metadata=doc("How many rulings with only some of the words follow."))
    suggestion: str | None = field(
        metadata=doc("The query without its typing errors."), default=None
    )
    hidden_by: Literal["", "filter", "standing", "exclusion"] = field(
        metadata=doc("What leaves out rulings: filters, their standing, or words after a minus."),
        default="",
    )
    cards: Sequence[str] = field(metadata=doc("Cards that the query names."), default=())


@dataclass(frozen=True)
class AnsweredCard:
    """All cards of one name in one game."""

    game: str
    name: str
    versions: Sequence[str]
    address: str | None = field(metadata=doc("The card's page; null where no ruling names it."))
    rulings: int = field(metadata=doc("How many rulings name it."))


@dataclass(frozen=True, kw_only=True)
class CardAnswer(Answer):
    """Cards and the rulings on them."""

    named_by: str = field(
        metadata=doc(
            "How the text names the cards: name, other name, form, part, spelling or none."
        )
    )
    cards: Sequence[AnsweredCard] = ()


@dataclass(frozen=True)
class DeckCard:
    """A card of the deck, with the ids of its rulings, errata first."""

    line: int
    card: str
    count: int
    named_by: str = field(metadata=doc("name, form, or near: a guess."))
    rulings: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class DeckRulings(Answer):
    """The rulings for a deck list; `rulings` has the texts of the first of them."""

    game: str
    cards: Sequence[DeckCard]
    rules: Sequence[RuleBroughtIn]
    unknown: Sequence[UnknownLine]
    without_rulings: int = field(metadata=doc("How many cards of the deck have no ruling."))
