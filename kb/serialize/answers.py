"""The answers of both `--json` and the API, and the limits of their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, cast

from kb.core import urls
from kb.records.fields import Authority, Kind, Status
from kb.search.ranked_query import Match
from kb.search.ranking import Confidence
from kb.serialize.ruling import AnswerNote, Texts, answer_notes

if TYPE_CHECKING:
    from kb.records.values import Card as CatalogueCard
    from kb.search.searcher import Answer, SearchHit
    from kb.store.model import Reader


# In characters.
MAX_ID = 100
MAX_DECK = 20_000
MAX_LIMIT = 100
SLUG_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$"
LANG_PATTERN = "^[a-z]{2,3}$"
# No control characters.
TEXT_PATTERN = r"^[^\x00-\x1f\x7f]*$"


def doc(description: str) -> dict[str, str]:
    """Return a field's description for the schemas of the API and of the assistants."""
    return {"description": description}


class Shape:
    """An answer that has only the documented members."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}


@dataclass(frozen=True)
class Hit(Shape):
    """One result of a search."""

    id: str
    game: str
    title: Texts = field(metadata=doc("By language."))
    snippet: str = field(metadata=doc("Plain text, in `lang`."))
    answer: str = field(metadata=doc("The first paragraph, as plain text in `lang`."))
    notes: Sequence[AnswerNote] = field(
        metadata=doc("The notes by editors or translator on the text in `lang`.")
    )
    lang: str = field(metadata=doc("The language shown: of snippet, answer and notes."))
    verdict: str | None = field(metadata=doc("yes, no, if or a number, for a title that asks."))
    when: Texts = field(metadata=doc("The condition of the verdict if, by language."))
    kind: Kind
    authority: Authority
    status: Status
    match: Match = field(
        metadata=doc("All meaningful words are in the ruling, most of them, or it is a guess.")
    )
    score: float
    cards: Sequence[str]
    sources: Sequence[str] = field(metadata=doc("Each as document#provision."))
    url: str = field(metadata=doc("The ruling's page, relative to the root of the site."))


@dataclass(frozen=True)
class NamedCard(Shape):
    """A card that the query names."""

    game: str
    name: str
    rulings: int = field(metadata=doc("How many rulings name it."))
    url: str | None = field(metadata=doc("The card's page, relative to the root of the site."))


@dataclass(frozen=True)
class SearchResults(Shape):
    """The results of a search."""

    query: str
    total: int = field(metadata=doc("How many rulings are full matches; they come first."))
    partial: int = field(metadata=doc("How many partial matches follow them in `results`."))
    took_ms: float
    match: Match = field(metadata=doc("The match of the first result; `none` without results."))
    confidence: Confidence = field(
        metadata=doc(
            "answer: the first ruling is likely to decide the question. close: the rulings are the"
            " closest. none: no ruling is likely to decide it."
        )
    )
    relaxed: bool = field(metadata=doc("The results are partial or near matches."))
    suggestion: str | None = field(metadata=doc("The query with its typing errors corrected."))
    searched_for: str | None = field(
        metadata=doc("What was searched for, if the query was typed on another keyboard layout.")
    )
    cards: Sequence[NamedCard] = field(
        metadata=doc("The cards that the query names, at most five.")
    )
    results: Sequence[Hit]
    notes: Sequence[str] = field(
        metadata=doc("Filters that match nothing, and words that exclude all; what to write.")
    )


@dataclass(frozen=True)
class RulingLink(Shape):
    """A ruling by its titles, its status and its page."""

    id: str
    title: Texts
    status: Status
    in_force_until: str = field(metadata=doc("Day from which it is no longer in force, if any."))
    url: str


@dataclass(frozen=True)
class CardVersion(Shape):
    """One of the cards that share a name."""

    label: str
    version: str
    sets: Sequence[str]
    type: str
    side: str
    subtypes: str
    other_names: Sequence[str]


@dataclass(frozen=True)
class Card(Shape):
    """All cards of one name in one game, and the rulings on them."""

    game: str
    name: str
    cards: Sequence[CardVersion]
    about: Sequence[RulingLink]
    mentioned: Sequence[RulingLink]
    url: str | None = field(metadata=doc("Null where no ruling mentions the card."))


@dataclass(frozen=True)
class Change(Shape):
    """A ruling that changed."""

    id: str
    game: str
    what: str = field(
        metadata=doc(
            "One of created, changed, moved, removed, dated, superseded, reversed, withdrawn."
        )
    )
    moment: str
    revision: str | None
    status: Status | None
    title: Texts
    url: str | None


_CARD_VERSION_FIELDS = tuple(field.name for field in fields(CardVersion))


def search_results(answer: Answer, offset: int = 0) -> SearchResults:
    """Return the results of a search, from `offset`."""
    return SearchResults(
        query=answer.query,
        total=answer.total,
        partial=answer.partial,
        took_ms=round(answer.took_ms, 2),
        match=answer.match,
        confidence=answer.confidence,
        relaxed=answer.relaxed,
        suggestion=answer.suggestion,
        searched_for=answer.searched_for,
        cards=[NamedCard(card.game, card.name, card.rulings, card.url) for card in answer.cards],
        results=[_hit(hit) for hit in answer.results[offset:]],
        notes=answer.notes,
    )


def _hit(hit: SearchHit) -> Hit:
    ruling = hit.ruling
    return Hit(
        id=ruling.id,
        game=ruling.game,
        title=_titles(ruling),
        snippet=hit.snippet,
        answer=hit.answer,
        notes=answer_notes(ruling.text_for(hit.lang)),
        lang=hit.lang,
        verdict=ruling.verdict,
        when=ruling.when,
        kind=ruling.kind,
        authority=ruling.authority,
        status=ruling.status,
        match=hit.match,
        score=round(hit.score, 4),
        cards=ruling.cards,
        sources=[str(citation) for citation in ruling.sources],
        url=urls.ruling(ruling.game, ruling.id),
    )


def card_answer(
    key: tuple[str, str],
    cards: Sequence[CatalogueCard],
    reader: Reader,
    slugs: Mapping[str, str],
) -> Card:
    """Return the cards of a game and name with their rulings.

    `slugs`: the last parts of the addresses of the game's cards, by name (`kb.core.urls.slugs`).
    """
    game, name = key
    about, mentioned = reader.rulings_on(game, {name, *(card.label for card in cards)})
    return Card(
        game=game,
        name=name,
        cards=[
            CardVersion(**{name: getattr(card, name) for name in _CARD_VERSION_FIELDS})
            for card in cards
        ],
        about=_links(reader, game, about),
        mentioned=_links(reader, game, mentioned),
        url=urls.card(game, slugs[name]) if about or mentioned else None,
    )


def _links(reader: Reader, game: str, ruling_ids: Iterable[str]) -> list[RulingLink]:
    return [
        RulingLink(
            id=ruling.id,
            title=_titles(ruling),
            status=ruling.status,
            in_force_until=ruling.until,
            url=urls.ruling(game, ruling.id),
        )
        for ruling in reader.rulings([f"{game}/{ruling_id}" for ruling_id in ruling_ids])
    ]


def change_answer(change: Any, ruling: Any, status: str | None) -> Change:
    """Return the answer for a `kb.records.history.Change`.

    `status`: None if the ruling was removed, empty if its record has problems.
    """
    game, _, ruling_id = change.key.partition("/")
    return Change(
        id=ruling_id,
        game=game,
        what=change.outcome(status),
        moment=change.moment,
        revision=change.revision or None,
        status=cast("Status", status) if status else None,
        title=_titles(ruling),
        url=urls.ruling(game, ruling_id) if ruling else None,
    )


def _titles(ruling: Any) -> Texts:
    """Return the titles of a ruling by language; empty for None."""
    return {text.lang: text.title for text in ruling.texts} if ruling else {}
