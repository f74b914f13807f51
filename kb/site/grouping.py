"""Rulings by topic, card and source document, and names in the order of the alphabet."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TypeVar

from kb.core import urls
from kb.language import LANGUAGES, fold, language_of
from kb.records.fields import KINDS
from kb.records.library import Library
from kb.records.model import Game, Ruling

T = TypeVar("T")
# Ranks of letters are this far apart; between them come letters with diacritics, after their base.
_STEP = 10
_UNKNOWN_LETTERS = 10_000


class RulingGroups:
    """The rulings of one game by id, and what they belong to.

    `labels`: the cards of each ruling by its id; whether it is about them. `by_card`: card name ->
    ruling id -> labels, in the same way. `by_topic`: ids in the order of reading. `neighbours`: the
    ids before and after each ruling in the first of its topics. `by_source`: document -> provision
    -> ids. `overriding`: document -> ids.
    """

    def __init__(self, game: Game, library: Library) -> None:
        self.game = game
        self.rulings = rulings = {ruling.id: ruling for ruling in library.of_game(game.id)}
        self.slugs = urls.slugs(card.name for card in game.cards)
        self._names = cache(self._card_names)
        # The positions of all provisions of the game's documents.
        listed = ((source.id, name) for source in game.sources for name in source.provisions)
        self._positions = {place: number for number, place in enumerate(listed)}
        by_card: dict[str, dict[str, dict[str, bool]]] = defaultdict(lambda: defaultdict(dict))
        by_topic: dict[str, list[Ruling]] = {topic: [] for topic in game.topics}
        self.by_source: dict[str, dict[str, list[str]]] = {}
        self.overriding: dict[str, list[str]] = {}
        self.labels: dict[str, Mapping[str, bool]] = {
            key: {label: about for label, about in ruling.cards().items() if self._names(label)}
            for key, ruling in rulings.items()
        }
        for ruling in rulings.values():
            for label, about in self.labels[ruling.id].items():
                for name in self._names(label):
                    by_card[name][ruling.id][label] = about
            for topic in dict.fromkeys(ruling.header.topics):
                by_topic[topic].append(ruling)
            for citation in ruling.header.sources:
                provisions = self.by_source.setdefault(citation.source, {})
                provisions.setdefault(citation.provision, []).append(ruling.id)
            for source in dict.fromkeys(ruling.header.overrides):
                self.overriding.setdefault(source, []).append(ruling.id)
        self.by_card: Mapping[str, Mapping[str, Mapping[str, bool]]] = dict(by_card)
        self.by_topic = {topic: self._in_order(topic, rows) for topic, rows in by_topic.items()}
        self.neighbours = dict(_neighbours(self.by_topic, rulings))

    def card_slug(self, label: str) -> str | None:
        """The part of an address that stands for the card with a label; None for no card."""
        cards = self.game.cards_named(label)
        return self.slugs[cards[0].name] if cards else None

    def _card_names(self, label: str) -> tuple[str, ...]:
        """The names of the cards that a label stands for, sorted."""
        return tuple(sorted({card.name for card in self.game.cards_named(label)}))

    def _in_order(self, topic: str, rulings: list[Ruling]) -> list[str]:
        def sort_key(ruling: Ruling) -> tuple[bool, int, int, str]:
            last = len(self._positions)
            # The document that a ruling cites first is the one that it is from.
            cited = ((citation.source, citation.provision) for citation in ruling.header.sources)
            first = self._positions.get(next(cited, ("", "")), last)
            return ruling.folder != topic, KINDS.index(ruling.header.kind), first, ruling.id

        return [ruling.id for ruling in sorted(rulings, key=sort_key)]


def _neighbours(
    by_topic: Mapping[str, Sequence[str]], rulings: Mapping[str, Ruling]
) -> Iterator[tuple[str, tuple[str | None, str | None]]]:
    for topic, ids in by_topic.items():
        for ruling_id, before, after in zip(ids, (None, *ids), (*ids[1:], None), strict=False):
            if rulings[ruling_id].header.topics[0] == topic:
                yield ruling_id, (before, after)


@cache
def _ranks(lang: str) -> dict[str, int]:
    """Ranks of letters, Latin before other scripts; digits and spaces rank before them."""
    letters = dict.fromkeys("abcdefghijklmnopqrstuvwxyz")
    for language in LANGUAGES.values():
        letters.update(dict.fromkeys(char for char in language.alphabet if fold(char) == char))
    ranks = {letter: place * _STEP for place, letter in enumerate(letters, 20)}
    for letter in language_of(lang).sorted_apart:
        base = ranks[fold(letter)]
        ranks[letter] = base + 1 + sum(base < rank < base + _STEP for rank in ranks.values())
    for digraph, letter in language_of(lang).digraphs.items():
        ranks[digraph] = ranks[letter] + _STEP - 1
    return ranks


@cache
def _letter(lang: str) -> re.Pattern[str]:
    """Matches a letter of a language, which may have two characters, or another sign."""
    return re.compile("|".join((*language_of(lang).digraphs, ".")), re.DOTALL)


def order(name: str, lang: str) -> tuple[tuple[int, ...], str]:
    """A key that sorts names as a language does: Ł after L, Č after C, Ё with Е, Czech CH after H.

    Spaces and digits come first; other signs do not count.
    """
    ranks = _ranks(lang)
    places = []
    for char in _letter(lang).findall(name.lower()):
        rank = ranks.get(char, ranks.get(fold(char)[:1]))
        if rank is not None:
            places.append(rank)
        elif char.isspace() or char.isdigit():
            places.append(int(char) + 1 if char.isdecimal() else 0)
        elif char.isalpha():
            places.append(_UNKNOWN_LETTERS + ord(char))
    return tuple(places), name


def initial(name: str, lang: str) -> str:
    """The letter under which an index of a language lists a name; `#` for digits and signs."""
    first = re.search(r"[^\W_]", name)
    if not first or not first[0].isalpha():
        return "#"
    found = _letter(lang).match(name.lower(), first.start())
    letter = found[0] if found else first[0].lower()
    if len(letter) == 1 and letter not in language_of(lang).sorted_apart:
        letter = fold(letter)[:1] or letter
    return letter.upper()


def by_initial(
    items: Iterable[T], lang: str, name: Callable[[T], str] = str
) -> list[tuple[str, list[T]]]:
    """Items in the order of their names, by the letters under which an index lists them."""
    letters: dict[str, list[T]] = {}
    for item in sorted(items, key=lambda item: order(name(item), lang)):
        letters.setdefault(initial(name(item), lang), []).append(item)
    return [*letters.items()]
