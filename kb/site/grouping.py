"""Which rulings of a game belong to which topic, card and source document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from kb.core import urls
from kb.records.fields import KINDS
from kb.records.library import Library
from kb.records.model import Game, Ruling


class RulingGroups:
    """The rulings of one game by id, and what they belong to.

    `labels`: the cards of each ruling by its id; whether it is about them. `by_card`: card name ->
    ruling id -> labels, in the same way. `by_topic`: ids in the order of reading. `neighbours`: the
    ids before and after each ruling in the first of its topics. `by_source`: document -> provisions
    with the id of a ruling each. `overriding`: document -> ids.
    """

    def __init__(self, game: Game, library: Library) -> None:
        self.game = game
        self.rulings = rulings = {ruling.id: ruling for ruling in library.of_game(game.id)}
        self.slugs = urls.slugs(card.name for card in game.cards)
        self._names: dict[str, tuple[str, ...]] = {}
        by_card: dict[str, dict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
        by_topic: dict[str, list[Ruling]] = defaultdict(list)
        by_source: dict[str, list[tuple[str, str]]] = defaultdict(list)
        overriding: dict[str, list[str]] = defaultdict(list)
        self.labels = {key: self._known_labels(ruling) for key, ruling in rulings.items()}
        for ruling in rulings.values():
            for label, about in self.labels[ruling.id].items():
                for name in self._card_names(label):
                    by_card[name][ruling.id][label] = about
            for topic in dict.fromkeys(ruling.header.topics):
                by_topic[topic].append(ruling)
            for citation in ruling.header.sources:
                by_source[citation.source].append((citation.provision, ruling.id))
            for source in dict.fromkeys(ruling.header.overrides):
                overriding[source].append(ruling.id)
        self.by_card: Mapping[str, Mapping[str, Mapping[str, bool]]] = dict(by_card)
        self.by_topic = {topic: self._in_order(topic, rows) for topic, rows in by_topic.items()}
        self.neighbours = dict(_neighbours(self.by_topic, rulings))
        self.by_source = dict(by_source)
        self.overriding = dict(overriding)

    def card_slug(self, label: str) -> str | None:
        """The part of an address that stands for the card with a label; None for no card."""
        cards = self.game.cards_named(label)
        return self.slugs[cards[0].name] if cards else None

    def of_topic(self, topic: str) -> list[Ruling]:
        """A topic's rulings: those filed under it first, rulings before examples, by source."""
        return [self.rulings[ruling_id] for ruling_id in self.by_topic.get(topic, ())]

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

    def _in_order(self, topic: str, rulings: list[Ruling]) -> list[str]:
        def sort_key(ruling: Ruling) -> tuple[bool, int, int, str]:
            positions = (self._provisions.get(str(one)) for one in ruling.header.sources)
            first = min((one for one in positions if one is not None), default=10**6)
            return ruling.folder != topic, KINDS.index(ruling.header.kind), first, ruling.id

        return [ruling.id for ruling in sorted(rulings, key=sort_key)]

    @cached_property
    def _provisions(self) -> dict[str, int]:
        """The positions of all provisions among those of the game's documents."""
        names = (
            f"{source.id}#{name}" for source in self.game.sources for name in source.provisions
        )
        return {name: number for number, name in enumerate(names)}


def _neighbours(
    by_topic: Mapping[str, Sequence[str]], rulings: Mapping[str, Ruling]
) -> Iterator[tuple[str, tuple[str | None, str | None]]]:
    for topic, ids in by_topic.items():
        for ruling_id, before, after in zip(ids, (None, *ids), (*ids[1:], None), strict=False):
            if rulings[ruling_id].header.topics[0] == topic:
                yield ruling_id, (before, after)
