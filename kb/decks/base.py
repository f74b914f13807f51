"""The data of one game for answering decks, here and in the browser: cards, rulings in force."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.core.json import Json
from kb.decks import parse
from kb.language import FormTable, fold
from kb.linking.names import (
    CONTAINED,
    MAX_SUGGESTIONS,
    SHARED_WORD,
    SIMILAR,
    SIMILAR_START,
)
from kb.linking.term_finder import TermFinder
from kb.records.fields import KINDS
from kb.records.values import Card

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.records.model import Term
    from kb.store.queries import Store

# As on the site, but errata come first: they change the printed text.
KIND_ORDER = ("errata", *(kind for kind in KINDS if kind != "errata"))
# Headings in deck lists, as `letters` gives them; types of cards are headings too.
HEADINGS = (
    *("deck", "maindeck", "main", "sideboard", "side", "maybeboard", "commander", "about", "cards"),
    *("crypt", "library", "units", "talia", "karty", "jednostki", "postacie", "balicek", "kolody"),
    *("колода", "карты", "существа", "сайд", "сайдборд", "запас"),
)
# A plural has at most this many letters more than a heading.
PLURAL = 2
# A reason names at most this many traits.
MAX_TRAITS = 3


@dataclass(frozen=True)
class DeckRuling:
    """A ruling in force.

    `titles`: by language; `cards`: by label, whether the ruling is about the card or mentions it.
    """

    id: str
    kind: str
    titles: Mapping[str, str]
    cards: Mapping[str, bool]


@dataclass(frozen=True)
class DeckBase:
    """The data of one game.

    `brings`: by trait of cards, the ids of the rulings on the trait; `terms`: by trait that is a
    term, its names in the languages that do not call it so.
    """

    game: str
    languages: tuple[str, ...]
    cards: tuple[Card, ...]
    rulings: tuple[DeckRuling, ...]
    types: tuple[str, ...]
    brings: Mapping[str, tuple[str, ...]]
    terms: Mapping[str, Mapping[str, str]]

    def traits(self, card: Card) -> tuple[str, ...]:
        """The type, subtypes and keywords of a card that bring rulings in."""
        return tuple(dict.fromkeys(trait for trait in _traits(card) if trait in self.brings))


def base_of_library(game_id: str, library: Library, table: FormTable) -> DeckBase:
    """The deck base of a game of a library."""
    game = library.games[game_id]
    rulings = [
        DeckRuling(
            ruling.id,
            ruling.header.kind,
            {text.lang: text.title for text in ruling.texts},
            ruling.cards(),
        )
        for ruling in library.of_game(game_id)
        if not library.is_out_of_force(ruling.key)
    ]
    return _base(game_id, game.languages, game.cards, rulings, game.terms, table)


def base_of_store(game_id: str, store: Store, table: FormTable) -> DeckBase:
    """The deck base of a game of a build."""
    # Imported here, so that a build does not load SQLModel for it.
    from kb.store.lists import titles_and_cards

    rulings = [DeckRuling(*row) for row in titles_and_cards(store, game_id)]
    languages, cards = store.languages()[game_id], tuple(store.cards(game_id))
    return _base(game_id, languages, cards, rulings, store.terms(game_id), table)


def _base(
    game_id: str,
    languages: tuple[str, ...],
    cards: tuple[Card, ...],
    rulings: Sequence[DeckRuling],
    terms: Sequence[Term],
    table: FormTable,
) -> DeckBase:
    finders = [(lang, TermFinder(terms, lang, table)) for lang in languages]
    keywords = {keyword for card in cards for keyword in card.keywords}
    traits = dict.fromkeys(trait for card in cards for trait in _traits(card))
    titled: dict[str, dict[str, None]] = defaultdict(dict)
    single = {ruling.id for ruling in rulings if any(ruling.cards.values())}
    for ruling in rulings if traits else ():
        for lang, finder in finders:
            for term in finder.terms(ruling.titles.get(lang, "")):
                titled[term][ruling.id] = None
    brings: dict[str, tuple[str, ...]] = {}
    for trait in traits:
        named = dict.fromkeys(term for _, finder in finders for term in finder.terms(trait))
        # A type has too many cards to bring in rulings about single cards.
        ids = dict.fromkeys(
            ruling_id
            for term in named
            for ruling_id in titled.get(term, ())
            if trait in keywords or ruling_id not in single
        )
        if ids:
            brings[trait] = tuple(ids)
    return DeckBase(
        game=game_id,
        languages=languages,
        cards=cards,
        rulings=tuple(rulings),
        types=tuple(dict.fromkeys(part for card in cards for part in _types(card.type))),
        brings=brings,
        terms={trait: names for trait in brings if (names := _names_of(trait, terms))},
    )


def _names_of(trait: str, terms: Iterable[Term]) -> dict[str, str]:
    """The names of the term that a trait is, in the languages that have other words for it."""
    for term in terms:
        called = {lang: [fold(name) for name in names] for lang, names in term.names.items()}
        if any(fold(trait) in names for names in called.values()):
            return {
                lang: term.names[lang][0]
                for lang, names in called.items()
                if fold(trait) not in names
            }
    return {}


def _types(cell: str) -> list[str]:
    """The types of a card, without remarks in brackets."""
    return [part.partition("(")[0].strip() for part in cell.split(";") if part.strip()]


def _traits(card: Card) -> Iterator[str]:
    return filter(None, (*card.keywords, card.type, card.subtypes))


def deck_data(base: DeckBase, numbers: Mapping[str, int], pages: Mapping[str, str]) -> Json:
    """Return a deck base and the program's constants, for the browser.

    `numbers`: the position of each ruling, by `game/id`, among the documents of the search;
    `pages`: the address of each card's page, by name.
    """
    return {
        "game": base.game,
        "languages": base.languages,
        "types": base.types,
        "cards": [
            (card.name, card.version, card.label, card.other_names, base.traits(card))
            for card in base.cards
        ],
        "rulings": [
            (ruling.id, ruling.kind, numbers[f"{base.game}/{ruling.id}"], dict(ruling.cards))
            for ruling in base.rulings
        ],
        "brings": dict(base.brings),
        "terms": dict(base.terms),
        "pages": dict(pages),
        "settings": {
            "maxLines": parse.MAX_LINES,
            "maxLength": parse.MAX_LENGTH,
            "maxRow": parse.MAX_ROW,
            "maxHead": parse.MAX_HEAD,
            "maxSets": parse.MAX_SETS,
            "maxPieces": parse.MAX_PIECES,
            "patterns": {name: pattern.pattern for name, pattern in parse.PATTERNS.items()},
            "cells": {mark: pattern.pattern for mark, pattern in parse.CELLS.items()},
            "maxSuggestions": MAX_SUGGESTIONS,
            "similar": SIMILAR,
            "contained": CONTAINED,
            "similarStart": SIMILAR_START,
            "sharedWord": SHARED_WORD,
            "kinds": KIND_ORDER,
            "headings": HEADINGS,
            "plural": PLURAL,
            "maxTraits": MAX_TRAITS,
        },
    }
