"""The tools of assistants, which chats use too: each answers from one open build.

An answer says how exact its match is; its rulings have authority, standing, sources and date.
Assistants read the docstrings of the tools, and the descriptions of their parameters. A tool raises
KbError for an unknown game, and for a deck list without any card.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Protocol, TypeVar

from pydantic import Field

from kb.core import urls
from kb.core.problems import KbError
from kb.core.similar import SimilarIds
from kb.decks import answer as decks
from kb.records.marks import plain_text
from kb.records.model import Date, OptionalDate
from kb.search.cards import best_card_matches, did_you_mean
from kb.search.catalogue import Catalogue
from kb.search.query import MAX_LENGTH
from kb.search.searcher import Searcher
from kb.search.snippets import flat
from kb.serialize.answers import (
    LANG_PATTERN,
    MAX_DECK,
    MAX_ID,
    MAX_LIMIT,
    SLUG_PATTERN,
    TEXT_PATTERN,
    Card,
    MatchKind,
    card_answer,
)
from kb.serialize.assistant_answers import (
    Answer,
    AnsweredCard,
    AnsweredGame,
    AnsweredRuling,
    CardAnswer,
    DeckCard,
    DeckRulings,
    GamesAnswer,
    SearchAnswer,
)
from kb.serialize.markdown import glossary_to_markdown
from kb.serialize.ruling import (
    Document,
    cited_sources,
    date_given,
    ruling_to_markdown,
    stored_ruling_to_json,
    text_in,
)
from kb.store import lists
from kb.store.model import StoredRuling, in_force_on, require_known
from kb.store.queries import Store

T = TypeVar("T")
NO_RULING = "No ruling found"
_NOT_TO_MAKE_UP = "Say that there is no ruling here; do not make one up."
_SEARCH_MESSAGES: dict[MatchKind, str] = {
    "all": "These rulings have every word that matters. Check that they answer the question.",
    "most": "No ruling has every word; these have most of them, and may not answer the question.",
    "near": "No ruling has these words; these are only near, a guess. Say so if you use them.",
    "none": f"{NO_RULING} with these words. {_NOT_TO_MAKE_UP}",
}
_HIDDEN = {
    "filter": f"{NO_RULING} with these filters; without them there are some.",
    "standing": f"{NO_RULING} that is in force; there are some that no longer are (status:any).",
}
_NOT_IN_FORCE = "It is no longer in force."
_OPEN = "It is not settled."
_SIMILAR_IDS = 3
# Maximum number of cards for a text that is the beginning of many names.
_MAX_CARDS = 20

Line = Annotated[str, Field(max_length=MAX_LENGTH, pattern=TEXT_PATTERN)]
Words = Annotated[
    Line,
    Field(
        min_length=1,
        description="Words in any form and language, a card's name or a rule's number."
        ' Also "a phrase", -not, OR, and filters such as card:"Name" topic: source: authority:.',
    ),
]
WordsOrId = Annotated[
    Line, Field(min_length=1, description="A ruling's id, as game/id, or words to search for.")
]
_CARD_NAME = "A card's name in any case form, a nickname or a misprint; slips are found."
CardName = Annotated[Line, Field(min_length=1, description=_CARD_NAME)]
_DECK = "The list as text, a card a line, such as `2x Darth Sidious (C)`."
DeckList = Annotated[str, Field(min_length=1, max_length=MAX_DECK, description=_DECK)]
_GAME = "Id of a game from list_games; empty for all."
GameId = Annotated[str, Field(max_length=MAX_ID, pattern=f"^$|{SLUG_PATTERN}", description=_GAME)]
_KEY_PATTERN = r"^[a-z0-9-]+(/[a-z0-9-]+)?$"
_KEY = "A ruling's id, as game/id."
RulingId = Annotated[str, Field(max_length=2 * MAX_ID + 1, pattern=_KEY_PATTERN, description=_KEY)]
_LANG = "Language to answer in, such as a found ruling's `lang`; empty for the ruling's own."
Lang = Annotated[str, Field(pattern=f"^$|{LANG_PATTERN}", description=_LANG)]
Day = Annotated[Date, Field(description="A day, a month or a year: 2003-06-01, 2003-06 or 2003.")]
_AS_OF = "Answer with what was in force on this day; empty for today."
OptionalDay = Annotated[OptionalDate, Field(description=_AS_OF)]
_LIMIT = f"Maximum number of rulings, 1 to {MAX_LIMIT}."
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT, description=_LIMIT)]


@dataclass(frozen=True)
class OpenBase:
    """An open build; `base_url` is the address of its site, empty where it is not served."""

    searcher: Searcher
    catalogue: Catalogue
    base_url: str = ""

    @property
    def store(self) -> Store:
        return self.searcher.store

    def address(self, address: str) -> str:
        """Return an address of the site, absolute if `base_url` is known."""
        return urls.absolute(address, self.base_url) or address


class Lender(Protocol):
    """Lends an open build to a piece of work, which runs in the calling thread.

    Raises KbError when nothing is built or too many wait.
    """

    def __call__(self, work: Callable[[OpenBase], T]) -> T:
        """Call `work` and return its result."""


def search_rulings(
    base: OpenBase,
    query: Words,
    game: GameId = "",
    lang: Lang = "",
    as_of: OptionalDay = "",
    limit: Limit = 5,
) -> SearchAnswer:
    """Find rulings by words.

    Words match in any inflected form, without diacritics and with typing errors, in all
    languages of the base at once. Returns the best rulings first, each with answer, authority,
    standing, sources and date. `match` says how exact: only `all` has every word that matters;
    `near` is a guess; with `none` no ruling was found.
    """
    require_known(base.store, game or None)
    answer = base.searcher.search(query, game or None, None, limit, as_of, interface=lang)
    rulings = [_answered(base, hit.ruling, (lang, hit.lang)) for hit in answer.results]
    message = _HIDDEN.get(answer.hidden_by) or _SEARCH_MESSAGES[answer.match]
    return SearchAnswer(
        match=answer.match,
        message=" ".join((message, *(f"{note}." for note in answer.notes))),
        rulings=rulings,
        total=answer.total,
        suggestion=answer.suggestion,
        cards=[f"{card.game}: {card.name}" for card in answer.cards],
    )


def get_ruling(
    base: OpenBase, ruling_id: RulingId, lang: Lang = "", as_of: OptionalDay = ""
) -> Answer:
    """Get one ruling by its id, with its whole text.

    Exact: the id has to be that of a ruling, a former id leads to the current one. `match` is
    `none` when there is no such ruling; the message then has similar ids.
    """
    store = base.store
    game, _, name = ruling_id.strip().rpartition("/")
    keys = [key for key in store.keys(name) if not game or key.startswith(f"{game}/")]
    if len(keys) > 1:
        rulings = _all_answered(base, keys, lang)
        message = "Several games have a ruling with this id; ask again with game/id."
        return Answer(match="most", message=message, rulings=rulings)
    ruling = store.ruling(keys[0]) if keys else None
    if ruling is None:
        hint = _similar_ids(base, game, name)
        return Answer(match="none", message=f"{NO_RULING} with this id.{hint} {_NOT_TO_MAKE_UP}")
    if as_of:
        try:
            ruling = in_force_on(store, ruling, as_of)
        except KbError as error:
            return Answer(match="none", message=f"{NO_RULING} for that day: {error}")
    whole = _answered(base, ruling, (lang,), whole=True)
    then = f" This is what stood on {as_of}." if as_of else ""
    if as_of and ruling.is_undated:
        then = f" Its date is unknown: it may not have been in force on {as_of}."
    return Answer(match="all", message=f"{_standing_note(whole)}{then}".strip(), rulings=[whole])


def what_stood_on(
    base: OpenBase, day: Day, query: WordsOrId, game: GameId = "", lang: Lang = ""
) -> Answer:
    """Get what was in force on a day in the past.

    `query` is a ruling's id or words. Of an id: the one in force then, of that ruling, its
    predecessors and successors; of words: the rulings found among what was in force then. A
    ruling without a date counts as always in force. `match` is `none` when no ruling is known
    to have stood.
    """
    key = query.strip()
    if key in base.store.keys(key.partition("/")[2]):
        return get_ruling(base, key, lang, day)
    return search_rulings(base, query, game, lang, day)


def get_card(
    base: OpenBase, name: CardName, game: GameId = "", lang: Lang = "", limit: Limit = 20
) -> CardAnswer:
    """Get the rulings on a card, those about it first, then those that mention it.

    `named_by` says how the name matched: its name, another name (a nickname, a misprint), a
    case form, or only a part of it or a similar spelling, where `match` is `near`, a guess.
    `match` is `none` when no card has the name or no ruling names the card.
    """
    require_known(base.store, game or None)
    searcher = base.searcher
    cards = base.catalogue.cards(base.store)
    names = base.catalogue.card_names(base.store, game)
    named_by, keys = best_card_matches(name, names, searcher.store, searcher.table)
    found = [card_answer(key[1], cards[key], searcher.store) for key in keys[:_MAX_CARDS]]
    links = [(card.game, link) for card in found for link in card.about]
    links += [(card.game, link) for card in found for link in card.mentioned]
    ids = [f"{owner}/{link.id}" for owner, link in links]
    match: MatchKind = "all" if named_by in ("name", "other name", "form") else "near"
    if not keys:
        candidates = {key: rows for key, rows in cards.items() if not game or key[0] == game}
        hint = did_you_mean(name, candidates)
        message = f"No card has this name, and so {NO_RULING.lower()}.{hint} {_NOT_TO_MAKE_UP}"
    elif not ids:
        message = f"The card exists. {NO_RULING} that names it. {_NOT_TO_MAKE_UP}"
    elif match == "near":
        message = "No card has exactly this name; these are like it. Ask which is meant."
    else:
        message = f"{len(ids)} rulings name the card."
    return CardAnswer(
        match=match if ids else "none",
        message=message,
        rulings=_all_answered(base, ids[:limit], lang),
        named_by=named_by,
        cards=[_card(base, card) for card in found],
    )


def _card(base: OpenBase, card: Card) -> AnsweredCard:
    return AnsweredCard(
        game=card.game,
        name=card.name,
        versions=[version.label for version in card.cards],
        address=base.address(card.url) if card.url else None,
        rulings=len(card.about) + len(card.mentioned),
    )


def rulings_for_deck(
    base: OpenBase, deck: DeckList, game: GameId = "", lang: Lang = "", limit: Limit = 30
) -> DeckRulings:
    """Get the rulings that matter for a deck list: by card, then on its types and keywords.

    Cards are found in any case form and with slips; `named_by` says how, and `unknown` lists
    the lines that name no card. Without a game, that of most cards. `match` is `all` when every
    line was recognized, `most` when some are guesses or unknown, `none` without any ruling.
    """
    searcher = base.searcher
    answer = decks.rulings_for_deck(deck, searcher.store, searcher.table, game or None, lang)
    keys = answer.keys()
    exact = not answer.unknown and all(card.match != "near" for card in answer.cards)
    if not keys:
        message = f"{NO_RULING} on the cards of this deck. {_NOT_TO_MAKE_UP}"
    elif answer.unknown:
        message = "Some lines name no card: see `unknown`. Ask which cards are meant."
    else:
        guessed = "Cards whose `named_by` is `near` are guesses."
        message = "Every line names a card." if exact else guessed
    return DeckRulings(
        match="none" if not keys else "all" if exact else "most",
        message=message,
        rulings=_all_answered(base, keys[:limit], lang),
        game=answer.game,
        cards=[
            DeckCard(
                line=card.line,
                card=card.card,
                count=card.count,
                named_by=card.match,
                rulings=[f"{answer.game}/{each}" for each in card.rulings],
            )
            for card in answer.cards
        ],
        rules=[replace(rule, id=f"{answer.game}/{rule.id}") for rule in answer.rules],
        unknown=answer.unknown,
        without_rulings=answer.without_rulings,
    )


def list_games(base: OpenBase, lang: Lang = "") -> GamesAnswer:
    """List the games that have rulings here, with their ids, languages and glossaries.

    Complete: there are no rulings of other games.
    """
    store = base.store
    sizes = lists.ruling_counts(store)
    games = [
        AnsweredGame(
            id=game,
            name=text_in(names, lang, "en"),
            languages=base.searcher.languages[game],
            rulings=sizes.get(game, 0),
            glossary=glossary_uri(game),
            address=base.address(urls.game(game)),
        )
        for game, names in store.games().items()
    ]
    return GamesAnswer(
        match="all", message="The base has rulings of these games only.", games=games
    )


def glossary_uri(game: str) -> str:
    """Return the URI of the resource with a game's terms."""
    return f"kb://glossaries/{game}"


def ruling_markdown(base: OpenBase, game: str, ruling_id: str) -> str | None:
    """Return a ruling as Markdown, None when there is none."""
    store = base.store
    key = next((key for key in store.keys(ruling_id) if key.startswith(f"{game}/")), "")
    ruling = store.ruling(key)
    if ruling is None:
        return None
    name = text_in(store.games()[game], "en")
    shape = stored_ruling_to_json(ruling)
    return ruling_to_markdown(shape, _documents(base, ruling), name, base.base_url)


def glossary_markdown(base: OpenBase, game: str) -> str | None:
    """Return a game's glossary as Markdown, None when there is no such game."""
    games = base.store.games()
    if game not in games:
        return None
    return glossary_to_markdown(game, games[game], base.store.terms(game))


def _all_answered(base: OpenBase, keys: Sequence[str], lang: str) -> list[AnsweredRuling]:
    return [_answered(base, ruling, (lang,)) for ruling in base.store.rulings(keys)]


def _answered(
    base: OpenBase, ruling: StoredRuling, languages: Sequence[str], whole: bool = False
) -> AnsweredRuling:
    """Return a ruling in the first of `languages` that it has, else in its original language.

    English is the next best of every language but "", which stands for the original.
    """
    languages = (*languages, "en") if any(languages) else ()
    texts = {text.lang: text for text in ruling.texts}
    text = next((texts[lang] for lang in languages if lang in texts), ruling.texts[0])
    body, end = flat(text.body)
    shape, documents = stored_ruling_to_json(ruling), _documents(base, ruling)
    return AnsweredRuling(
        id=ruling.key,
        address=base.address(urls.ruling(ruling.game, ruling.id)),
        title=text.title,
        answer=body[:end].replace("\n", " "),
        text=plain_text(text.body) if whole else None,
        lang=text.lang,
        languages=list(texts),
        kind=ruling.kind,
        authority=ruling.authority,
        standing=ruling.status,
        date=date_given(shape, documents),
        in_force_since=ruling.since,
        in_force_until=ruling.until,
        sources=list(cited_sources(shape, documents, text.lang)),
        cards=ruling.cards,
        superseded_by=[f"{ruling.game}/{each}" for each in ruling.superseded_by],
        because=ruling.because,
    )


def _documents(base: OpenBase, ruling: StoredRuling) -> dict[str, Document]:
    ids = list(dict.fromkeys(citation.source for citation in ruling.sources))
    rows = lists.documents(base.store, ruling.game, ids)
    return {row["id"]: Document(**row) for row in rows}


def _standing_note(ruling: AnsweredRuling) -> str:
    if ruling.standing in ("superseded", "reversed", "withdrawn"):
        later = ", ".join(ruling.superseded_by)
        return f"{_NOT_IN_FORCE} Now in force: {later}." if later else _NOT_IN_FORCE
    if ruling.standing in ("disputed", "unanswered"):
        return _OPEN
    return "It is in force."


def _similar_ids(base: OpenBase, game: str, name: str) -> str:
    games: Iterable[str] = [game] if game else base.searcher.languages
    known = [f"{each}/{key}" for each in games for key in base.searcher.reader.ruling_ids(each)]
    ids = {key.partition("/")[2]: key for key in known}
    similar = SimilarIds(ids).similar(name, _SIMILAR_IDS)
    return f" Similar ids: {', '.join(ids[each] for each in similar)}." if similar else ""
