"""Card names as deck lists write them: signs and case aside, inflected, or with a slip."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import product
from typing import Literal, NamedTuple

from kb.decks.base import DeckCard
from kb.language import fold, words_of
from kb.language.spelling import allowed, distance

MAX_SUGGESTIONS = 3
# The part of letter pairs that two names must share to be compared, and to be suggested.
SIMILAR, SUGGESTED = 0.4, 0.3
# Combinations of meanings of a line's words that are tried.
MAX_COMBINATIONS = 64

# The words of names, folded, that a word can be a form of.
WordMeanings = Callable[[str], Iterable[str]]


How = Literal["name", "form", "near"]


class Match(NamedTuple):
    """A card's label, or a name of several versions, and how it was recognized."""

    card: str
    how: How


def letters(text: str) -> str:
    """Return the folded letters and digits of a text: what names are compared by."""
    return "".join(filter(str.isalnum, fold(text)))


class NameIndex:
    """The names of a game's cards."""

    def __init__(self, cards: Sequence[DeckCard]) -> None:
        versions: dict[str, list[str]] = defaultdict(list)
        for card in cards:
            versions[card.name].append(card.label)
        # A name that is one card's is that card.
        self._whole = {
            name: labels[0] if len(labels) == 1 else name for name, labels in versions.items()
        }
        self._names = {card.label: card.name for card in cards}
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
        for key, targets in others.items():
            if key not in self._by_letters:
                self._by_letters[key].update(targets)
        self._by_letters.pop("", None)

    def exact(self, name: str) -> list[str]:
        """The cards of a name, a label or another name; several where it is ambiguous."""
        return list(self._by_letters.get(letters(name), ()))

    def inflected(self, name: str, meanings: WordMeanings) -> list[str]:
        """The cards whose every word a name may be a form of, their version as it stands."""
        words = words_of(name)
        options = [dict.fromkeys((fold(word), *meanings(word))) for word in words]
        count = 1
        for option in options:
            count *= len(option)
        if not words or count > MAX_COMBINATIONS:
            return []
        cards: dict[str, None] = {}
        for combination in product(*options):
            cards.update(self._by_words.get(combination, {}))
        return list(cards)

    def near(self, name: str) -> list[str]:
        """The cards that a name with a slip is nearest to."""
        key = letters(name)
        most = allowed(key)
        if not most:
            return []
        best: dict[str, None] = {}
        for similarity, other in self._similar(key):
            if similarity < SIMILAR:
                break
            apart = distance(key, other, most)
            if apart < most or (apart == most and not best):
                best = dict(best) if apart == most else {}
                most = apart
            elif apart != most:
                continue
            best.update(self._by_letters[other])
        return list(best)

    def suggestions(self, name: str) -> list[str]:
        """The cards of the most similar names, one of each."""
        cards: dict[str, str] = {}
        for _, other in self._similar(letters(name)):
            if len(cards) >= MAX_SUGGESTIONS:
                break
            for card in self._by_letters[other]:
                cards.setdefault(self._names.get(card, card), card)
        return list(cards.values())[:MAX_SUGGESTIONS]

    @cached_property
    def _by_words(self) -> dict[tuple[str, ...], dict[str, None]]:
        index: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
        for card in self._cards:
            for name in (card.name, *card.other_names):
                words = tuple(map(fold, words_of(name)))
                index[words][self._whole[card.name]] = None
                if card.version:
                    version = tuple(map(fold, words_of(card.version)))
                    index[(*words, *version)][card.label] = None
        return index

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

    def _similar(self, key: str) -> list[tuple[float, str]]:
        """Names by the part of letter pairs that they share with a name, the most similar first."""
        pairs = _pairs(key)
        shared = Counter(number for pair in pairs for number in self._by_pair.get(pair, ()))
        scored = [
            (2 * count / (len(pairs) + self._keys[number][1]), number)
            for number, count in shared.items()
        ]
        scored.sort(key=lambda row: (-row[0], row[1]))
        return [(score, self._keys[number][0]) for score, number in scored if score >= SUGGESTED]


def _pairs(key: str) -> set[str]:
    """The pairs of neighbouring letters, the edges of the word counted as letters."""
    return {f"^{key}$"[at : at + 2] for at in range(len(key) + 1)}
