"""What the browser's script needs to answer deck lists of a game: `static/deck-core.js`."""

from __future__ import annotations

from collections.abc import Mapping

from kb.core.json import Json
from kb.decks import answer, names, parse
from kb.decks.base import DeckBase


def deck_data(base: DeckBase, numbers: Mapping[str, int], pages: Mapping[str, str]) -> Json:
    """Return the base of a game and the program's constants.

    `numbers`: the position of each ruling, by `game/id`, among the documents of the search;
    `pages`: the address of each card's page, by name.
    """
    return {
        "game": base.game,
        "languages": base.languages,
        "types": base.types,
        "cards": [
            (card.name, card.version, card.label, card.other_names, card.traits)
            for card in base.cards
        ],
        "rulings": [
            (ruling.id, ruling.kind, numbers[f"{base.game}/{ruling.id}"], dict(ruling.cards))
            for ruling in base.rulings
        ],
        "brings": dict(base.brings),
        "pages": dict(pages),
        "settings": {
            "maxLines": parse.MAX_LINES,
            "maxLength": parse.MAX_LENGTH,
            "maxSets": parse.MAX_SETS,
            "patterns": {name: pattern.pattern for name, pattern in parse.PATTERNS.items()},
            "maxSuggestions": names.MAX_SUGGESTIONS,
            "similar": names.SIMILAR,
            "suggested": names.SUGGESTED,
            "maxCombinations": names.MAX_COMBINATIONS,
            "kinds": answer.KIND_ORDER,
            "headings": answer.HEADINGS,
            "plural": answer.PLURAL,
            "maxTraits": answer.MAX_TRAITS,
        },
    }
