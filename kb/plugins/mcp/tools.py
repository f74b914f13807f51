"""The tools of assistants, in the shapes of `--json` and the API, each with a message.

Assistants read the docstrings of the tools, and the descriptions of their parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel, Field

from kb.core import urls
from kb.core.problems import KbError
from kb.core.similar import did_you_mean, similar_names
from kb.decks import answer as decks
from kb.pipeline.open_base import Lender, OpenBase
from kb.records.types import OptionalDate
from kb.records.validity import OUT_OF_FORCE, UPCOMING, chain
from kb.search.card_lookup import cards_by_name, suggested_names
from kb.search.query import MAX_LENGTH
from kb.search.ranked_query import Match
from kb.search.ranking import Confidence
from kb.serialize.answers import (
    LANG_PATTERN,
    MAX_DECK,
    MAX_ID,
    MAX_LIMIT,
    SLUG_PATTERN,
    TEXT_PATTERN,
    Card,
    Hit,
    RulingLink,
    SearchResults,
    search_results,
)
from kb.serialize.api_answers import Game, Ruling
from kb.serialize.ruling import SourceDocument, ruling_to_json
from kb.store.model import Reader, StoredRuling, in_force_on, require_known

T = TypeVar("T")
A = TypeVar("A", Hit, RulingLink, Game)
NO_RULING = "No ruling found"
_NOT_TO_MAKE_UP = "Say that there is no ruling here; do not make one up."
_NOTHING = f"{NO_RULING} with these words. {_NOT_TO_MAKE_UP}"
_SEARCH_MESSAGES: dict[Confidence, str] = {
    "answer": "The first ruling is likely to answer the question. Check that it does.",
    "close": "These rulings are the closest, and may not answer the question. Check them.",
    "none": "No ruling is likely to decide this; these are the nearest. Say so if you use them.",
}
_HIDDEN = {
    "filter": f"{NO_RULING} with these filters; without them there are some.",
    "standing": f"{NO_RULING} that is in force; there are some that no longer are (status:any).",
}
# Maximum number of cards for a text that is the beginning of many names.
_MAX_CARDS = 20
# Unknown lines of a deck in an answer.
_MAX_UNKNOWN = 100

Line = Annotated[str, Field(min_length=1, max_length=MAX_LENGTH, pattern=TEXT_PATTERN)]
Words = Annotated[
    Line,
    Field(
        description="Words in any form and language, a card's name or a rule's number."
        ' Also "a phrase", -not, OR, and filters such as card:"Name" topic: source: authority:.',
    ),
]
_CARD_NAME = "A card's name in any case form, a nickname or a misprint; slips are found."
CardName = Annotated[Line, Field(description=_CARD_NAME)]
_DECK = "The list as text, a card a line, such as `2x Darth Sidious (C)`."
DeckList = Annotated[str, Field(min_length=1, max_length=MAX_DECK, description=_DECK)]
_GAME = "Id of a game from list_games; empty for all."
GameId = Annotated[str, Field(max_length=MAX_ID, pattern=f"^$|{SLUG_PATTERN}", description=_GAME)]
_LANG = "Language to answer in, such as a result's `lang`; empty for the ruling's own."
Lang = Annotated[str, Field(pattern=f"^$|{LANG_PATTERN}", description=_LANG)]
_AS_OF = "Answer with what was in force on this day, month or year (2003-06); empty for today."
OptionalDay = Annotated[OptionalDate, Field(description=_AS_OF)]
_LIMIT = f"Maximum number of rulings, 1 to {MAX_LIMIT}."
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT, description=_LIMIT)]
_KEY_PATTERN = r"^[a-z0-9-]+(/[a-z0-9-]+)?$"
_KEY = "A ruling's id, as game/id."
RulingId = Annotated[str, Field(max_length=2 * MAX_ID + 1, pattern=_KEY_PATTERN, description=_KEY)]


class Answer(BaseModel):
    """The answer of every tool; all addresses are absolute where the site's is known."""

    match: Match = Field(
        description="all: exactly what was asked for. most: most of it. near: a guess."
        " none: no ruling found."
    )
    message: str = Field(description="How to use the answer.")


class CitingAnswer(Answer):
    """An answer with rulings."""

    documents: dict[str, SourceDocument] = Field(
        default={}, description="The documents that the rulings cite, by game/id."
    )


class FoundRulings(CitingAnswer):
    """Rulings found by words, as `kb search --json` prints them."""

    search: SearchResults


class WholeRulings(CitingAnswer):
    """Rulings as `kb show --json` prints them."""

    rulings: Sequence[Ruling] = ()


class CardRulings(WholeRulings):
    """Cards as `kb card --json` prints them, and the rulings on them in one language."""

    named_by: str = Field(
        description="How the text names the cards: name, other name, form, part, near or none."
    )
    cards: Sequence[Card] = ()


class DeckRulings(WholeRulings):
    """A deck as `kb deck --json` prints it, and the first of its rulings in one language."""

    deck: decks.DeckAnswer = Field(description="Rulings by their ids in `game`, errata first.")


class Games(Answer):
    """The games of the base."""

    games: Sequence[Game]


class Tools:
    """The tools, each from the current build as lent by `lend`."""

    def __init__(self, lend: Lender) -> None:
        self._lend = lend

    def lend(self, work: Callable[[OpenBase], T]) -> T:
        """Call `work` with the current build. Raises ToolError in place of KbError."""
        try:
            return self._lend(work)
        except KbError as error:
            raise ToolError(str(error)) from None

    def search_rulings(
        self,
        query: Words,
        game: GameId = "",
        lang: Lang = "",
        as_of: OptionalDay = "",
        limit: Limit = 5,
    ) -> FoundRulings:
        """Find rulings by words, also those in force in the past (`as_of`).

        Words match in any inflected form, without diacritics and with typing errors, in all
        languages of the base at once. Returns the best rulings first, each with answer, authority,
        status and sources. `confidence` says whether the first is likely to decide the question;
        `match` of each ruling, whether it has every word that matters (`all`).
        """

        def work(base: OpenBase) -> FoundRulings:
            require_known(base.store, game or None)
            answer = base.searcher.search(query, game or None, None, limit, as_of, interface=lang)
            results = search_results(answer)
            message = _SEARCH_MESSAGES[answer.confidence] if answer.results else _NOTHING
            message = _HIDDEN.get(answer.hidden_by, message)
            return FoundRulings(
                match=answer.match,
                message=" ".join((message, *(f"{note}." for note in answer.notes))),
                search=replace(results, results=_addressed(base, results.results)),
                documents=_documents(base, [hit.ruling for hit in answer.results]),
            )

        return self.lend(work)

    def get_ruling(self, ruling_id: RulingId, as_of: OptionalDay = "") -> WholeRulings:
        """Get one ruling by its id, with its whole text in all its languages.

        Exact: a former id leads to the current one. With `as_of`, the one that was in force then,
        of this ruling, its predecessors and successors. `match` is `none` when there is no such
        ruling; the message then has similar ids.
        """
        return self.lend(lambda base: _ruling(base, ruling_id.strip(), as_of))

    def get_card(
        self, name: CardName, game: GameId = "", lang: Lang = "", limit: Limit = 20
    ) -> CardRulings:
        """Get the rulings on a card, those about it first, then those that mention it.

        `named_by` says how the name matched: its name, another name (a nickname, a misprint), a
        case form, or only a part of it or a similar spelling, where `match` is `near`, a guess.
        `match` is `none` when no card has the name or no ruling names the card.
        """
        return self.lend(lambda base: _card(base, name, game, lang, limit))

    def rulings_for_deck(
        self, deck: DeckList, game: GameId = "", lang: Lang = "", limit: Limit = 30
    ) -> DeckRulings:
        """Get the rulings that matter for a deck list: by card, then on its types and keywords.

        Cards are found in any case form and with slips; their `match` says how, and `unknown` lists
        the lines that name no card. Without a game, the game of most cards. `match` is `all` when
        every line was recognized, `most` when some are guesses or unknown, `none` without any
        ruling.
        """
        return self.lend(lambda base: _deck(base, deck, game, lang, limit))

    def list_games(self) -> Games:
        """List the games that have rulings here, with their ids and languages.

        Complete: there are no rulings of other games.
        """

        def work(base: OpenBase) -> Games:
            games = [
                Game(game, name, base.searcher.languages[game], urls.game(game))
                for game, name in base.store.games().items()
            ]
            message = "The base has rulings of these games only."
            return Games(match="all", message=message, games=_addressed(base, games))

        return self.lend(work)


def _ruling(base: OpenBase, ruling_id: str, as_of: str) -> WholeRulings:
    store = base.store
    game, _, name = ruling_id.rpartition("/")
    keys = store.keys(name, game)
    if len(keys) > 1:
        message = "Several games have a ruling with this id; ask again with game/id."
        return WholeRulings(match="most", message=message, **_rulings(base, keys))
    ruling = store.ruling(keys[0]) if keys else None
    if ruling is None:
        hint = did_you_mean(_similar_ids(base, game, name)) or "."
        message = f"{NO_RULING} with this id{hint} {_NOT_TO_MAKE_UP}"
        return WholeRulings(match="none", message=message)
    if as_of:
        try:
            ruling = in_force_on(store, ruling, as_of)
        except KbError as error:
            return WholeRulings(match="none", message=f"{NO_RULING} for that day: {error}")
    then = f" It was in force on {as_of}." if as_of else ""
    if as_of and ruling.is_undated:
        then = f" Its date is unknown: it may not have been in force on {as_of}."
    message = f"{_standing_note(store, ruling)}{then}"
    return WholeRulings(match="all", message=message, **_rulings(base, [ruling.key]))


def _standing_note(store: Reader, ruling: StoredRuling) -> str:
    def later(key: str) -> Iterator[str]:
        member = store.ruling(key)
        for other in member.superseded_by if member else ():
            yield f"{ruling.game}/{other}"

    if ruling.standing == UPCOMING:
        return f"It is not yet in force: it will be from {ruling.since}."
    if ruling.standing in OUT_OF_FORCE:
        members = filter(None, map(store.ruling, chain(ruling.key, later)))
        now = ", ".join(each.key for each in members if each.standing not in OUT_OF_FORCE)
        return "It is no longer in force." + (f" Now in force: {now}." if now else "")
    if ruling.standing in ("disputed", "unanswered"):
        return "It is not settled."
    return "It is in force."


def _similar_ids(base: OpenBase, game: str, name: str) -> list[str]:
    games: Iterable[str] = [game] if game else base.searcher.languages
    known = [f"{each}/{key}" for each in games for key in base.store.ruling_ids(each)]
    ids = {key.partition("/")[2]: key for key in known}
    return [ids[each] for each in similar_names(name, ids)]


def _card(base: OpenBase, name: str, game: str, lang: str, limit: int) -> CardRulings:
    require_known(base.store, game or None)
    named_by, named = base.cards_named(name, game)
    cards = [base.card(*card) for card in named[:_MAX_CARDS]]
    keys = [f"{card.game}/{link.id}" for card in cards for link in card.about]
    keys += [f"{card.game}/{link.id}" for card in cards for link in card.mentioned]
    match: Match = "all" if named_by in ("name", "other name", "form") else "near"
    if not cards:
        names = suggested_names(name, cards_by_name(base.store, game or None))
        hint = did_you_mean(names) or "."
        message = f"No card has this name, and so {NO_RULING.lower()}{hint} {_NOT_TO_MAKE_UP}"
    elif not keys:
        message = f"The card exists. {NO_RULING} that names it. {_NOT_TO_MAKE_UP}"
    elif match == "near":
        message = "No card has exactly this name; these are like it. Ask which is meant."
    else:
        message = f"{len(keys)} rulings name the card."
    return CardRulings(
        match=match if keys else "none",
        message=message,
        named_by=named_by,
        cards=[
            replace(
                card,
                about=_addressed(base, card.about),
                mentioned=_addressed(base, card.mentioned),
                url=base.address(card.url) if card.url else None,
            )
            for card in cards
        ],
        **_rulings(base, keys[:limit], lang, one_language=True),
    )


def _deck(base: OpenBase, deck: str, game: str, lang: str, limit: int) -> DeckRulings:
    store, table = base.store, base.searcher.table
    answer = decks.rulings_for_deck(deck, store, table, game or None, lang)
    keys = answer.keys()
    exact = not answer.unknown and all(card.match != "near" for card in answer.cards)
    if answer.cards and not keys:
        message = f"{NO_RULING} on the cards of this deck. {_NOT_TO_MAKE_UP}"
    elif answer.unknown:
        message = "Some lines name no card: see `unknown`. Ask which cards are meant."
    else:
        guessed = "Cards whose `match` is `near` are guesses."
        message = "Every line names a card." if exact else guessed
    return DeckRulings(
        match="none" if not keys else "all" if exact else "most",
        message=message,
        deck=replace(answer, unknown=answer.unknown[:_MAX_UNKNOWN]),
        **_rulings(base, keys[:limit], lang, one_language=True),
    )


def _rulings(
    base: OpenBase, keys: Sequence[str], lang: str = "", *, one_language: bool = False
) -> dict[str, Any]:
    """Return the members of WholeRulings; with `one_language`, texts in `lang`, en or their own."""
    rulings = list(base.store.rulings(keys))
    shapes = []
    for ruling in rulings:
        shape = ruling_to_json(ruling)
        shape["url"] = base.address(shape["url"])
        if one_language:
            shown = ruling.text_for(*((lang, "en") if lang else ())).lang
            for name in ("title", "text", "notes", "when", "asked_as"):
                shape[name] = {key: text for key, text in shape[name].items() if key == shown}
        shapes.append(Ruling(**shape))
    return {"rulings": shapes, "documents": _documents(base, rulings)}


def _addressed(base: OpenBase, items: Iterable[A]) -> list[A]:
    """Return answers with absolute addresses in `url`, if the site's is known."""
    return [replace(item, url=base.address(item.url)) for item in items]


def _documents(base: OpenBase, rulings: Iterable[StoredRuling]) -> dict[str, SourceDocument]:
    return {
        f"{ruling.game}/{source}": document
        for ruling in rulings
        for source, document in base.documents(ruling).items()
    }
