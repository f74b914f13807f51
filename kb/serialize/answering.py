"""Answers for assistants and chats, each from one open build, in the shapes of `assistant_answers`.

An answer says how exact its match is; its rulings have authority, standing, sources and date.
Assistants read the docstrings of the functions, and the descriptions of their parameters. They
raise KbError for an unknown game, and for a deck list without any card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from pydantic import Field

from kb.core import urls
from kb.decks import answer as decks
from kb.records.marks import plain_text
from kb.records.types import OptionalDate
from kb.search.cards import best_card_matches, did_you_mean
from kb.search.query import MAX_LENGTH
from kb.search.snippets import flat
from kb.serialize.answers import (
    LANG_PATTERN,
    MAX_DECK,
    MAX_ID,
    MAX_LIMIT,
    SLUG_PATTERN,
    TEXT_PATTERN,
    Card,
    Confidence,
    MatchKind,
    card_answer,
)
from kb.serialize.assistant_answers import (
    AnsweredCard,
    AnsweredRuling,
    CardAnswer,
    DeckCard,
    DeckRulings,
    FoundRuling,
    SearchAnswer,
)
from kb.serialize.open_base import OpenBase
from kb.serialize.ruling import (
    Document,
    answer_notes,
    cited_sources,
    date_given,
    stored_ruling_to_json,
    text_in,
)
from kb.store import lists
from kb.store.model import StoredRuling, require_known

NO_RULING = "No ruling found"
NOT_TO_MAKE_UP = "Say that there is no ruling here; do not make one up."
_NOTHING = f"{NO_RULING} with these words. {NOT_TO_MAKE_UP}"
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

Line = Annotated[str, Field(max_length=MAX_LENGTH, pattern=TEXT_PATTERN)]
Words = Annotated[
    Line,
    Field(
        min_length=1,
        description="Words in any form and language, a card's name or a rule's number."
        ' Also "a phrase", -not, OR, and filters such as card:"Name" topic: source: authority:.',
    ),
]
_CARD_NAME = "A card's name in any case form, a nickname or a misprint; slips are found."
CardName = Annotated[Line, Field(min_length=1, description=_CARD_NAME)]
_DECK = "The list as text, a card a line, such as `2x Darth Sidious (C)`."
DeckList = Annotated[str, Field(min_length=1, max_length=MAX_DECK, description=_DECK)]
_GAME = "Id of a game from list_games; empty for all."
GameId = Annotated[str, Field(max_length=MAX_ID, pattern=f"^$|{SLUG_PATTERN}", description=_GAME)]
_LANG = "Language to answer in, such as a found ruling's `lang`; empty for the ruling's own."
Lang = Annotated[str, Field(pattern=f"^$|{LANG_PATTERN}", description=_LANG)]
_AS_OF = "Answer with what was in force on this day; empty for today."
OptionalDay = Annotated[OptionalDate, Field(description=_AS_OF)]
_LIMIT = f"Maximum number of rulings, 1 to {MAX_LIMIT}."
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT, description=_LIMIT)]


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
    standing, sources and date. `confidence` says whether the first is likely to decide the
    question; `match` of each ruling, whether it has every word that matters (`all`).
    """
    require_known(base.store, game or None)
    answer = base.searcher.search(query, game or None, None, limit, as_of, interface=lang)
    rulings = [
        FoundRuling(**vars(answered(base, hit.ruling, (lang, hit.lang))), match=hit.match)
        for hit in answer.results
    ]
    message = _SEARCH_MESSAGES[answer.confidence] if rulings else _NOTHING
    message = _HIDDEN.get(answer.hidden_by, message)
    return SearchAnswer(
        match=answer.match,
        confidence=answer.confidence,
        message=" ".join((message, *(f"{note}." for note in answer.notes))),
        rulings=rulings,
        total=answer.total,
        partial=answer.partial,
        suggestion=answer.suggestion,
        hidden_by=answer.hidden_by,
        cards=[f"{card.game}: {card.name}" for card in answer.cards],
    )


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
        message = f"No card has this name, and so {NO_RULING.lower()}.{hint} {NOT_TO_MAKE_UP}"
    elif not ids:
        message = f"The card exists. {NO_RULING} that names it. {NOT_TO_MAKE_UP}"
    elif match == "near":
        message = "No card has exactly this name; these are like it. Ask which is meant."
    else:
        message = f"{len(ids)} rulings name the card."
    return CardAnswer(
        match=match if ids else "none",
        message=message,
        rulings=all_answered(base, ids[:limit], lang),
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
    the lines that name no card. Without a game, the game of most cards. `match` is `all` when every
    line was recognized, `most` when some are guesses or unknown, `none` without any ruling.
    """
    searcher = base.searcher
    answer = decks.rulings_for_deck(deck, searcher.store, searcher.table, game or None, lang)
    keys = answer.keys()
    exact = not answer.unknown and all(card.match != "near" for card in answer.cards)
    if not keys:
        message = f"{NO_RULING} on the cards of this deck. {NOT_TO_MAKE_UP}"
    elif answer.unknown:
        message = "Some lines name no card: see `unknown`. Ask which cards are meant."
    else:
        guessed = "Cards whose `named_by` is `near` are guesses."
        message = "Every line names a card." if exact else guessed
    return DeckRulings(
        match="none" if not keys else "all" if exact else "most",
        message=message,
        rulings=all_answered(base, keys[:limit], lang),
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


def all_answered(base: OpenBase, keys: Sequence[str], lang: str) -> list[AnsweredRuling]:
    """Return rulings by their keys; see `answered`."""
    return [answered(base, ruling, (lang,)) for ruling in base.store.rulings(keys)]


def answered(
    base: OpenBase, ruling: StoredRuling, languages: Sequence[str], whole: bool = False
) -> AnsweredRuling:
    """Return a ruling in the first of `languages` that it has, else in its original language.

    English is the next best of every language but "", which stands for the original.
    """
    languages = (*languages, "en") if any(languages) else ()
    texts = {text.lang: text for text in ruling.texts}
    text = next((texts[lang] for lang in languages if lang in texts), ruling.texts[0])
    body, end = flat(text.without_notes)
    shape, documents = stored_ruling_to_json(ruling), documents_of(base, ruling)
    return AnsweredRuling(
        id=ruling.key,
        address=base.address(urls.ruling(ruling.game, ruling.id)),
        title=text.title,
        answer=body[:end].replace("\n", " "),
        text=plain_text(text.body) if whole else None,
        notes=answer_notes(text),
        verdict=ruling.verdict,
        when=text_in(ruling.when, text.lang),
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


def documents_of(base: OpenBase, ruling: StoredRuling) -> dict[str, Document]:
    """Return the documents that a ruling cites, by id."""
    ids = list(dict.fromkeys(citation.source for citation in ruling.sources))
    rows = lists.documents(base.store, ruling.game, ids)
    return {row["id"]: Document(**row) for row in rows}
