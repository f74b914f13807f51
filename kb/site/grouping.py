"""Which rulings of a game belong to which topic, card and source document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property

from kb.core import urls
from kb.records.fields import KINDS
from kb.records.library import Library
from kb.records.model import Game, Ruling


class RulingGroups:
    """The rulings of one game, by what they belong to.

    `labels`: the cards of each ruling by its id; whether it is about them. `by_card`: card name ->
    ruling id -> labels, in the same way. `by_source`: document -> provisions with a ruling each.
    """

    def __init__(self, game: Game, library: Library) -> None:
        self.game = game
        self.rulings = {ruling.id: ruling for ruling in library.of_game(game.id)}
        self.slugs = urls.slugs(card.name for card in game.cards)
        self._names: dict[str, tuple[str, ...]] = {}
        self.labels = {key: self._known_labels(ruling) for key, ruling in self.rulings.items()}
        self.by_card: dict[str, dict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
        for ruling_id, labels in self.labels.items():
            for label, about in labels.items():
                for name in self._card_names(label):
                    self.by_card[name][ruling_id][label] = about
        self.by_topic: dict[str, list[Ruling]] = defaultdict(list)
        self.by_source: dict[str, list[tuple[str, Ruling]]] = defaultdict(list)
        self.overriding: dict[str, list[Ruling]] = defaultdict(list)
        for ruling in self.rulings.values():
            for topic in dict.fromkeys(ruling.header.topics):
                self.by_topic[topic].append(ruling)
            for citation in ruling.header.sources:
                self.by_source[citation.source].append((citation.provision, ruling))
            for source in dict.fromkeys(ruling.header.overrides):
                self.overriding[source].append(ruling)

    def _known_labels(self, ruling: Ruling) -> Mapping[str, bool]:
        cards = ruling.cards()
        return {label: about for label, about in cards.items() if self._card_names(label)}

    def _card_names(self, label: str) -> tuple[str, ...]:
        """The names of the cards that a label stands for, sorted."""
        names = self._names.get(label)
        if names is None:
            cards = self.game.cards_named(label)
            names = self._names[label] = tuple(sorted({card.name for card in cards}))
        return names

    def card_slug(self, label: str) -> str | None:
        """The part of an address that stands for the card with a label; None for no card."""
        cards = self.game.cards_named(label)
        return self.slugs[cards[0].name] if cards else None

    def of_topic(self, topic: str) -> list[Ruling]:
        """A topic's rulings: those filed under it first, rulings before examples, by source."""

        def sort_key(ruling: Ruling) -> tuple[bool, int, int, str]:
            positions = (self._provisions.get(str(one)) for one in ruling.header.sources)
            first = min((one for one in positions if one is not None), default=10**6)
            return ruling.folder != topic, KINDS.index(ruling.header.kind), first, ruling.id

        return sorted(self.by_topic.get(topic, ()), key=sort_key)

    @cached_property
    def _provisions(self) -> dict[str, int]:
        """The positions of all provisions among those of the game's documents."""
        names = (
            f"{source.id}#{name}" for source in self.game.sources for name in source.provisions
        )
        return {name: number for number, name in enumerate(names)}
