"""The page of a card, and what is known of cards without a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping
from dataclasses import dataclass

from kb.core.json import Json
from kb.records.model import Game, GameHeader
from kb.records.values import Card
from kb.site.grouping import order
from kb.site.pages import GameLink, ListedRuling, RulingAnswer, Titles

# The fields of a card in the JSON beside its page.
_EXPORTED = "name version sets type side subtypes other_names label".split()
# The facts of a card that its versions may share.
_COMPARED = ("type", "side", "subtypes")


@dataclass(frozen=True, slots=True)
class CardPage:
    """The cards of one name, and the rulings on them.

    `titles`: the name as readers of each language find it. `labels`: what the game calls a card's
    facts. `groups`: the bare name or the labels of versions, and the rulings about them.
    `mentioned`: the other rulings.
    """

    game: GameLink
    header: GameHeader
    name: str
    titles: Titles
    labels: Mapping[str, Titles]
    cards: tuple[Card, ...]
    groups: list[tuple[tuple[str, ...], tuple[RulingAnswer, ...]]]
    mentioned: tuple[RulingAnswer, ...]

    @property
    def about(self) -> list[ListedRuling]:
        return [answer.link for _, answers in self.groups for answer in answers]

    @property
    def versions(self) -> dict[str, int]:
        """How many rulings are about each version, with those about all versions, by its label.

        Versions without a ruling of their own are left out.
        """
        counts: Counter[str] = Counter()
        for labels, answers in self.groups:
            counts.update(dict.fromkeys(labels, len(answers)))
        of_all = counts.pop(self.name, 0)
        named = [card.label for card in self.cards if counts[card.label]]
        return {label: counts[label] + of_all for label in named}

    @property
    def alike(self) -> dict[str, str]:
        """The facts that all versions share."""
        return {fact: kinds.pop() for fact, kinds in self._kinds().items() if len(kinds) == 1}

    @property
    def differing(self) -> list[str]:
        """The names of the facts in which versions differ."""
        return [fact for fact, kinds in self._kinds().items() if len(kinds) > 1]

    def _kinds(self) -> dict[str, set[str]]:
        return {fact: {getattr(card, fact) for card in self.cards} for fact in _COMPARED}

    @property
    def outside(self) -> dict[str, str]:
        """The addresses of the cards on another site, by label."""
        return {card.label: self.header.card_address(card) for card in self.cards}

    @property
    def picture(self) -> str:
        """The address of the first card's picture."""
        return self.header.picture_address(self.cards[0])

    def exported(self) -> Json:
        """The JSON beside the page, from which other pages show the card in a panel."""
        header, outside = self.header, self.outside
        mentioned = [answer.link for answer in self.mentioned]
        return {
            "game": self.game.id,
            "name": self.name,
            "cards": [
                {
                    **{fact: getattr(card, fact) for fact in _EXPORTED},
                    "outside": outside[card.label],
                    **({"picture": header.picture_address(card)} if header.picture else {}),
                }
                for card in self.cards
            ],
            "about": [link.key for link in self.about],
            "mentioned": [link.key for link in mentioned],
            "titles": {link.key: dict(link.titles) for link in (*self.about, *mentioned)},
            "words": {
                word: header.card_words[word]
                for card in self.cards
                for word in card.words()
                if word in header.card_words
            },
        }


def facts_of_others(game: Game, language: str, with_pages: Container[str]) -> Json:
    """The facts of the cards that have no page, and where else they are shown.

    `language`: of the words on the game's cards. `cards`: by name and label the numbers of type,
    side and subtypes, which may be empty, then of the sets; numbers, since facts repeat. `labels`
    are what the game calls facts, `words` their translations.
    """
    cards = [card for card in game.cards if card.name not in with_pages]
    cards.sort(key=lambda card: order(card.name, game.language))
    numbers: dict[str, int] = {}
    rows: dict[str, dict[str, list[int]]] = {}
    for card in cards:
        facts = (*(getattr(card, fact) for fact in _COMPARED), *card.sets)
        rows.setdefault(card.name, {})[card.label] = [
            numbers.setdefault(fact, len(numbers)) for fact in facts
        ]
    addresses = {card.label: game.header.card_address(card) for card in cards}
    return {
        "facts": list(numbers),
        "labels": game.header.card_labels,
        "language": language,
        "words": game.header.card_words,
        "cards": rows,
        "outside": {label: address for label, address in addresses.items() if address},
    }
