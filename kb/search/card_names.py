"""The cards that a typed name means: any form, part or similar spelling of a card's name."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Literal

from kb.language import fold, tokenize
from kb.language.fold import clean_typed
from kb.store.model import Reader, StoredCard

if TYPE_CHECKING:
    from kb.language import FormTable

# The cards of a base by game and name.
CardsByName = dict[tuple[str, str], list[StoredCard]]
# How a text names a card: by its name or label, another name, a case form, the beginning or words
# of a name, a similar spelling.
CardMatch = Literal["name", "other name", "form", "part", "spelling", "none"]


def cards_by_name(store: Reader, game: str | None = None) -> CardsByName:
    """Group the cards of a game, or of all games, by name, in catalogue order."""
    cards: CardsByName = {}
    for card in store.cards(game):
        cards.setdefault((card.game, card.name), []).append(card)
    return cards


def named_versions(wanted: str, versions: list[StoredCard]) -> list[StoredCard]:
    """Return the one version whose label a text is, else all of them."""
    folded = fold(clean_typed(wanted))
    named = [
        card
        for card in versions
        if card.version and folded in (fold(card.label), fold(f"{card.name} {card.version}"))
    ]
    return named or versions


def match_cards(
    wanted: str, cards: CardsByName, store: Reader, table: FormTable
) -> list[tuple[str, str]]:
    """Return game and name of the cards that a text may mean: see `best_card_matches`."""
    return best_card_matches(wanted, cards, store, table)[1]


def best_card_matches(
    wanted: str, cards: CardsByName, store: Reader, table: FormTable
) -> tuple[CardMatch, list[tuple[str, str]]]:
    """Return the best kind of match, and game and name of the cards that match so.

    Kinds, best first: name or label without case and diacritics, other name, inflected name,
    beginning or words of a name, similar spelling.
    """
    wanted = clean_typed(wanted)
    folded = fold(wanted)
    exact: list[tuple[str, str]] = []
    other: list[tuple[str, str]] = []
    for key, versions in cards.items():
        labels = {key[1]}
        for card in versions:
            labels |= {card.label, f"{card.name} {card.version}"}
        if folded in map(fold, labels):
            exact.append(key)
        elif any(folded == fold(name) for card in versions for name in card.other_names):
            other.append(key)
    if exact:
        return "name", exact
    if other:
        return "other name", other
    inflected = _match_inflected(wanted, cards, store, table)
    if inflected:
        return "form", inflected
    part = _match_part(folded, cards)
    if part:
        return "part", part
    near = _match_near(folded, cards)
    return ("spelling", near) if near else ("none", [])


def _match_part(folded: str, cards: CardsByName) -> list[tuple[str, str]]:
    """Match names that begin with the text, then those with words that begin with its words."""
    typed = [token.text for token in tokenize(folded)]
    if not typed:
        return []
    beginning, containing = [], []
    for key, versions in cards.items():
        names = {fold(name) for card in versions for name in (card.name, *card.other_names)}
        if any(name.startswith(folded) for name in names):
            beginning.append(key)
        elif any(_has_words(name, typed) for name in names):
            containing.append(key)
    return beginning + containing


def _has_words(name: str, beginnings: list[str]) -> bool:
    words = [token.text for token in tokenize(name)]
    return all(any(word.startswith(start) for word in words) for start in beginnings)


def _match_inflected(
    wanted: str, cards: CardsByName, store: Reader, table: FormTable
) -> list[tuple[str, str]]:
    """Match names whose every word shares a lemma with the typed one, in any language."""
    languages = {lang for codes in store.languages().values() for lang in codes}

    def lemmas(word: str) -> set[str]:
        analyses = (table.analyse(word, lang).lemmas for lang in languages)
        return {fold(word), *(lemma for analysis in analyses for lemma in analysis)}

    typed = [lemmas(token.text) for token in tokenize(wanted)]
    if not typed:
        return []
    matches = []
    for key in cards:
        words = [token.text for token in tokenize(key[1])]
        if len(words) == len(typed) and all(
            options & lemmas(word) for word, options in zip(words, typed, strict=True)
        ):
            matches.append(key)
    return matches


def _match_near(folded: str, cards: CardsByName) -> list[tuple[str, str]]:
    owners: dict[str, list[tuple[str, str]]] = {}
    for key, versions in cards.items():
        for name in {key[1], *(other for card in versions for other in card.other_names)}:
            owners.setdefault(fold(name), []).append(key)
    names = difflib.get_close_matches(folded, sorted(owners), 3, 0.8)
    return [key for name in names for key in dict.fromkeys(owners[name])]
