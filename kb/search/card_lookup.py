"""Which cards does a typed name mean?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import get_args

from kb.core import urls
from kb.core.characters import clean_typed
from kb.language import FormTable, fold
from kb.linking.names import CardMatch, CardNames, form_meanings
from kb.records.values import Card
from kb.store.model import Reader

# The cards of a base by game and name.
CardsByName = dict[tuple[str, str], list[Card]]


def cards_by_name(store: Reader, game: str | None = None) -> CardsByName:
    """Group the cards of a game, or of all games, by game and name, in catalogue order."""
    cards: CardsByName = {}
    for owner in [game] if game else store.languages():
        for card in store.cards(owner):
            cards.setdefault((owner, card.name), []).append(card)
    return cards


def slugs(cards: CardsByName, game: str) -> dict[str, str]:
    """Return the last parts of the addresses of all cards of a game, by name."""
    return urls.slugs(name for owner, name in cards if owner == game)


def named_versions(wanted: str, versions: list[Card]) -> list[Card]:
    """Return the version whose label the text is, else all versions."""
    folded = fold(clean_typed(wanted))
    named = [
        card
        for card in versions
        if card.version and folded in (fold(card.label), fold(f"{card.name} {card.version}"))
    ]
    return named or versions


def best_card_matches(
    wanted: str, by_game: Mapping[str, CardNames], store: Reader, table: FormTable
) -> tuple[CardMatch, list[tuple[str, str]]]:
    """Return the best kind of match (see `CardMatch`), and game and name of its cards."""
    wanted, languages = clean_typed(wanted), store.languages()
    matches: dict[CardMatch, list[tuple[str, str]]] = defaultdict(list)
    for game, names in by_game.items():
        meanings = form_meanings(table, languages.get(game, ()))
        kind, named = names.best(wanted, meanings)
        matches[kind] += [(game, name) for name in named]
    best = next(kind for kind in get_args(CardMatch) if matches[kind] or kind == "none")
    return best, matches[best]


def suggested_names(wanted: str, cards: CardsByName) -> list[str]:
    """Return the names of cards that are most similar to a text, if they are similar enough."""
    names = CardNames([card for versions in cards.values() for card in versions])
    return list(dict.fromkeys(names.name_of[card] for card in names.suggestions(wanted)))


def names_by_game(cards: CardsByName) -> dict[str, CardNames]:
    """Return the names of the cards of each game."""
    by_game: dict[str, list[Card]] = defaultdict(list)
    for (game, _), versions in cards.items():
        by_game[game] += versions
    return {game: CardNames(versions) for game, versions in by_game.items()}
