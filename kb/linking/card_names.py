"""Finds the cards that a typed name means, for decks, `kb card`, the API, chats and assistants.

A name counts without signs and case, inflected, by a part, or with a slip.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import Literal, NamedTuple

from kb.language import fold, words_of
from kb.language.spelling import allowed, distance
from kb.linking.names import CardLike, NameTree, WordMeanings, name_words

MAX_SUGGESTIONS = 3
# The share of letter pairs from which on two names are compared.
SIMILAR = 0.4

How = Literal["name", "form", "near"]
# How a text names a card, best first: its name or label, another name, an inflected name, the
# beginning or some words of a name, a similar spelling.
CardMatch = Literal["name", "other name", "form", "part", "spelling", "none"]


class Match(NamedTuple):
    """A card's label, or a name of several versions, and how it was recognized."""

    card: str
    how: How


def letters(text: str) -> str:
    """Return the folded letters and digits of a text, by which names are compared."""
    return "".join(filter(str.isalnum, fold(text)))


class CardNames:
    """The names of a game's cards. It gives a card as a label, or as a name of several versions."""

    def __init__(self, cards: Sequence[CardLike]) -> None:
        versions: dict[str, list[str]] = defaultdict(list)
        for card in cards:
            versions[card.name].append(card.label)
        # The name of a single card stands for its label.
        self._whole = {
            name: labels[0] if len(labels) == 1 else name for name, labels in versions.items()
        }
        self.name_of = {card.label: card.name for card in cards} | {name: name for name in versions}
        self._cards = cards
        self._by_letters: dict[str, dict[str, None]] = defaultdict(dict)
        others: dict[str, dict[str, None]] = defaultdict(dict)
        for card in cards:
            target = self._whole[card.name]
            self._by_letters[letters(card.name)][target] = None
            for name in (card.label, f"{card.name} {card.version}"):
                self._by_letters[letters(name)].setdefault(card.label if card.version else target)
            for other in card.other_names:
                others[letters(other)][target] = None
                if card.version:
                    others[letters(f"{other} {card.version}")][card.label] = None
        self._others = others.keys() - self._by_letters.keys()
        for key in self._others:
            self._by_letters[key].update(others[key])
        self._by_letters.pop("", None)
        self._plain = {letters(name) for name in versions} | self._others

    def exact(self, name: str) -> list[str]:
        """The cards with a name, a label or another name; several if it is ambiguous."""
        return list(self._by_letters.get(letters(name), ()))

    def best(self, text: str, meanings: WordMeanings) -> tuple[CardMatch, list[str]]:
        """The best kind of match of a text, and the names that match."""
        by_name: CardMatch = "other name" if letters(text) in self._others else "name"
        kind, cards = by_name, self.exact(text)
        if not cards:
            kind, cards = "form", self.inflected(text, meanings)
        if not cards:
            kind, cards = "part", self.part(text, meanings)
        if not cards:
            kind, cards = "spelling", self.near(text)
        names = list(dict.fromkeys(self.name_of[card] for card in cards))
        return (kind, names) if names else ("none", [])

    def inflected(self, name: str, meanings: WordMeanings) -> list[str]:
        """The cards that an inflected name may mean; the version is not inflected."""
        options = [dict.fromkeys((fold(word), *meanings(word))) for word in words_of(name)]
        cards = list(self._tree.walk(options))
        return cards[-1] if cards and len(cards) == len(options) else []

    def part(self, text: str, meanings: WordMeanings) -> list[str]:
        """The names that begin with a text, then the names with all of its words in some form."""
        key, typed = letters(text), words_of(text)
        if not key:
            return []
        cards = (cards for other, cards in self._by_letters.items() if other.startswith(key))
        names = {self.name_of[card]: None for card in chain.from_iterable(cards)}
        if typed:
            matching = (self._names_with(word, meanings(word)) for word in typed)
            names |= dict.fromkeys(
                filter(set.intersection(*matching).__contains__, self._word_sets)
            )
        return list(names)

    def _names_with(self, word: str, meanings: Iterable[str]) -> set[str]:
        """The names with a word, inflected or shortened."""
        folded, meant = fold(word), set(meanings)
        return {
            name
            for name, words in self._word_sets.items()
            if not meant.isdisjoint(words) or any(other.startswith(folded) for other in words)
        }

    @cached_property
    def _word_sets(self) -> dict[str, set[str]]:
        """The folded words of each name, those of its other names among them."""
        words: dict[str, set[str]] = defaultdict(set)
        for card in self._cards:
            for name in (card.name, *card.other_names):
                words[card.name].update(name_words(name))
        return words

    def near(self, name: str) -> list[str]:
        """The cards whose spelling is nearest to a name with a slip."""
        key = letters(name)
        most = allowed(key)
        if not most:
            return []
        best: dict[str, None] = {}
        for other in self._similar(key):
            apart = distance(key, other, most)
            if apart < most or (apart == most and not best):
                best = dict(best) if apart == most else {}
                most = apart
            elif apart != most:
                continue
            best.update(self._by_letters[other])
        return list(best)

    def suggestions(self, name: str) -> list[str]:
        """The cards with the most similar names, one of each name."""
        cards: dict[str, str] = {}
        for other in filter(self._plain.__contains__, self._similar(letters(name))):
            for card in self._by_letters[other]:
                cards.setdefault(self.name_of[card], card)
        return list(cards.values())[:MAX_SUGGESTIONS]

    @cached_property
    def _tree(self) -> NameTree[str]:
        tree: NameTree[str] = NameTree()
        for card in self._cards:
            for name in (card.name, *card.other_names):
                tree.add(name_words(name), self._whole[card.name])
                if card.version:
                    tree.add((*name_words(name), *name_words(card.version)), card.label)
        return tree

    @cached_property
    def _keys(self) -> list[tuple[str, int]]:
        return [(key, len(_pairs(key))) for key in self._by_letters]

    @cached_property
    def _by_pair(self) -> dict[str, list[int]]:
        index: dict[str, list[int]] = defaultdict(list)
        for number, (key, _) in enumerate(self._keys):
            for pair in _pairs(key):
                index[pair].append(number)
        return index

    def _similar(self, key: str) -> list[str]:
        """The names with enough common letter pairs, the most similar first."""
        pairs = _pairs(key)
        shared = Counter(number for pair in pairs for number in self._by_pair.get(pair, ()))
        scored = [
            (2 * count / (len(pairs) + self._keys[number][1]), number)
            for number, count in shared.items()
        ]
        scored.sort(key=lambda row: (-row[0], row[1]))
        return [self._keys[number][0] for score, number in scored if score >= SIMILAR]


def _pairs(key: str) -> set[str]:
    """The pairs of neighbouring letters; the edges of the word count as letters."""
    return {f"^{key}$"[at : at + 2] for at in range(len(key) + 1)}
