"""The rulings that matter for a deck: on its cards, then on the traits of its cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from kb.core.problems import KbError
from kb.decks.base import HEADINGS, KIND_ORDER, MAX_TRAITS, PLURAL, DeckBase, base_of_store
from kb.decks.parse import PATTERNS, DeckLine, Reading, parse_deck
from kb.language import FormTable
from kb.linking.names import MAX_SUGGESTIONS, CardMatch, CardNames, form_meanings, letters
from kb.store.model import require_known

if TYPE_CHECKING:
    from kb.store.queries import Store

# The kinds of match that recognize a card, best first.
_TIERS: tuple[CardMatch, ...] = ("name", "form", "near")


@dataclass(frozen=True)
class CardRulings:
    """A card of a deck: the first line that names it, its copies in all lines, and its rulings.

    If any line names the card only by a near match, `line` is the first such line. `card` is a
    label, or a name of several versions; `text` is its name in the line; `match` says how that was
    recognized: name, form or near.
    """

    line: int
    card: str
    count: int
    rulings: tuple[str, ...]
    text: str
    match: str


@dataclass(frozen=True)
class RuleBroughtIn:
    """A ruling on a type or keyword of the deck's cards; `because` names the types or keywords."""

    id: str
    because: str


@dataclass(frozen=True)
class UnknownLine:
    """A line that names no card, and labels that it may mean."""

    line: int
    text: str
    suggestions: tuple[str, ...]


@dataclass(frozen=True)
class DeckAnswer:
    """The answer to a deck list; the ids of rulings belong to `game`.

    `cards`: every card that was recognized, those with rulings first. Errata come first everywhere.
    `without_rulings`: the number of cards without a ruling.
    """

    game: str
    cards: tuple[CardRulings, ...]
    rules: tuple[RuleBroughtIn, ...]
    unknown: tuple[UnknownLine, ...]
    without_rulings: int

    def keys(self) -> list[str]:
        """The key `game/id` of every ruling of the answer once, rulings of cards first."""
        by_card = (ruling for card in self.cards for ruling in card.rulings)
        ids = dict.fromkeys((*by_card, *(rule.id for rule in self.rules)))
        return [f"{self.game}/{ruling}" for ruling in ids]


def by_reason(rules: Iterable[RuleBroughtIn]) -> dict[str, list[str]]:
    """Return the ids of rulings by the reason that brings them in."""
    ids: dict[str, list[str]] = {}
    for rule in rules:
        ids.setdefault(rule.because, []).append(rule.id)
    return ids


def rulings_for_deck(
    text: str, store: Store, table: FormTable, game: str | None = None, lang: str = ""
) -> DeckAnswer:
    """Answer a deck list from a build; without `game`, for the game of most of its cards.

    `lang`: the language of the reasons; without it, they are worded as in the catalogue of cards.

    Raises KbError for an unknown game or a list that cannot be read, and, unless there is a single
    game whose cards can be suggested, if no line names a card.
    """
    require_known(store, game)
    games = store.languages()
    decks = {
        name: Deck(base_of_store(name, store, table), table) for name in ([game] if game else games)
    }
    deck = choose_deck(text, decks) or (next(iter(decks.values())) if len(decks) == 1 else None)
    answer = deck.answer(text, lang) if deck else None
    if answer is None or not (answer.cards or answer.unknown):
        raise KbError(f"no line names a card of {', '.join(decks)}")
    return answer


def choose_deck(text: str, decks: Mapping[str, Deck]) -> Deck | None:
    """Return the deck of the game whose cards the most lines name; None without such a line.

    Exact names decide, then inflected names, then near matches.
    """
    lines = list(parse_deck(text))
    for how in _TIERS:
        counts = {game: deck.count_named(lines, how) for game, deck in decks.items()}
        best = max(counts, key=counts.__getitem__, default="")
        if best and counts[best]:
            return decks[best]
    return None


class Deck:
    """Answers deck lists of one game."""

    def __init__(self, base: DeckBase, table: FormTable) -> None:
        self._base = base
        self._names = CardNames(base.cards)
        self._meanings = form_meanings(table, base.languages)
        order = {kind: number for number, kind in enumerate(KIND_ORDER)}
        self._rank = {
            ruling.id: (order.get(ruling.kind, len(order)), number)
            for number, ruling in enumerate(base.rulings)
        }

    def answer(self, text: str, lang: str = "") -> DeckAnswer:
        """Return the rulings for a deck list, with reasons in a language."""
        cards: dict[str, CardRulings] = {}
        unknown: list[UnknownLine] = []
        for line in parse_deck(text):
            recognized = self._recognize(line)
            if isinstance(recognized, UnknownLine):
                unknown.append(recognized)
            elif recognized:
                reading, card, how = recognized
                shown = CardRulings(line.number, card, 0, self._rulings_on(card), reading.name, how)
                first = cards.get(card, shown)
                shown = shown if how == "near" != first.match else first
                cards[card] = replace(shown, count=first.count + reading.copies)
        ruled = [card for card in cards.values() if card.rulings]
        ruled.sort(key=lambda card: not self._is_errata(card.rulings[0]))
        unruled = [card for card in cards.values() if not card.rulings]
        return DeckAnswer(
            game=self._base.game,
            cards=(*ruled, *unruled),
            rules=self._brought_in(cards, lang),
            unknown=tuple(unknown),
            without_rulings=len(unruled),
        )

    def count_named(self, lines: Iterable[DeckLine], how: CardMatch) -> int:
        """Return the number of lines that name a card in one way."""
        return sum(any(self._cards(reading, how) for reading in line.readings) for line in lines)

    def _recognize(self, line: DeckLine) -> tuple[Reading, str, CardMatch] | UnknownLine | None:
        """Return the card of a line; None for a heading and for a rest without a card."""
        readings = [reading for reading in line.readings if any(map(str.isalpha, reading.name))]
        if not readings:
            return None
        for how in _TIERS:
            if how == "near" and (line.optional or self._is_heading(readings)):
                return None
            for reading in readings:
                cards = self._cards(reading, how)
                if len(cards) == 1 and not line.rest:
                    return self._matched(cards[0], reading, readings, how)
                if cards:
                    return UnknownLine(line.number, line.text, tuple(cards[:MAX_SUGGESTIONS]))
            if line.rest:
                return None
        names = dict.fromkeys(reading.name for reading in readings)
        suggestions = next(filter(None, map(self._names.suggestions, names)), [])
        return UnknownLine(line.number, line.text, tuple(suggestions))

    def _matched(
        self, card: str, reading: Reading, readings: Iterable[Reading], how: CardMatch
    ) -> tuple[Reading, str, CardMatch]:
        """The match of a reading; near, with the name as typed, if a version was cut from that."""
        cut = max((other.name.partition(reading.name)[2] for other in readings), key=len)
        if card in self._versioned and PATTERNS["version"].search(cut):
            return Reading(reading.copies, reading.name + cut), card, "near"
        return reading, card, how

    def _cards(self, reading: Reading, how: CardMatch) -> list[str]:
        """Return the cards that a reading may name in one way."""
        return self._names.matching(reading.name, how, self._meanings)

    def _is_heading(self, readings: Iterable[Reading]) -> bool:
        """Whether a line names a part of a deck or a type of cards, in the plural too."""
        return any(
            key == heading or (key.startswith(heading) and len(key) <= len(heading) + PLURAL)
            for key in (letters(reading.name) for reading in readings)
            for heading in self._headings
        )

    @cached_property
    def _headings(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*HEADINGS, *map(letters, self._base.types))))

    @cached_property
    def _versioned(self) -> set[str]:
        """The labels and names of cards with versions."""
        versions = (card for card in self._base.cards if card.version)
        return {name for card in versions for name in (card.label, card.name)}

    @cached_property
    def _labels(self) -> dict[str, tuple[str, ...]]:
        """The labels under which rulings may cite a card, by its label and by its name."""
        labels: dict[str, dict[str, None]] = {}
        for card in self._base.cards:
            labels.setdefault(card.name, {card.name: None})[card.label] = None
        of_cards = {card.label: (card.label, card.name) for card in self._base.cards}
        return of_cards | {name: tuple(labels[name]) for name in labels}

    @cached_property
    def _rulings_by_label(self) -> dict[str, dict[str, bool]]:
        index: dict[str, dict[str, bool]] = {}
        for ruling in self._base.rulings:
            for label, about in ruling.cards.items():
                index.setdefault(label, {})[ruling.id] = about
        return index

    def _rulings_on(self, card: str) -> tuple[str, ...]:
        """The rulings of a card: errata, then those about it, then those that mention it."""
        about: dict[str, bool] = {}
        for label in self._labels[card]:
            for ruling, is_about in self._rulings_by_label.get(label, {}).items():
                about[ruling] = is_about or about.get(ruling, False)

        def order(ruling: str) -> tuple[bool, bool, int, int]:
            return (not self._is_errata(ruling), not about[ruling], *self._rank[ruling])

        return tuple(sorted(about, key=order))

    def _is_errata(self, ruling: str) -> bool:
        return self._rank[ruling][0] == 0

    def _brought_in(self, cards: Iterable[str], lang: str) -> tuple[RuleBroughtIn, ...]:
        """The rulings on the traits of some cards, with these traits as the reason."""
        labels = {label for card in cards for label in self._labels[card]}
        present = (card for card in self._base.cards if card.label in labels)
        traits = dict.fromkeys(trait for card in present for trait in self._base.traits(card))
        because: dict[str, list[str]] = {}
        for trait in traits:
            word = self._base.terms.get(trait, {}).get(lang, trait)
            for ruling in self._base.brings.get(trait, ()):
                because.setdefault(ruling, []).append(word)
        ids = sorted(because, key=self._rank.__getitem__)
        return tuple(
            RuleBroughtIn(ruling, ", ".join(because[ruling][:MAX_TRAITS])) for ruling in ids
        )
