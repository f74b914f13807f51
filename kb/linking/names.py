"""Card names as folded words, and the cards that a typed name means.

Used by decks, `kb card`, the API, chats and assistants. Names match without signs and case,
inflected, by a part, or with a slip.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from typing import Literal

from kb.language import FormTable, fold, words_of
from kb.language.spelling import allowed, distance
from kb.language.words import HYPHENS
from kb.records.values import Card

# A hyphen inside a word.
_HYPHEN = re.compile(rf"(?<=\w)[{HYPHENS}](?=\w)")
# The place between a part of a folded word and the hyphen before the next.
_PART = re.compile(r"(?<=\w)(?=-\w)")
# A version of one letter after a blank, a bracket or a hyphen: a doubled last letter is a slip.
_LETTER_APART = re.compile(r"[\W_][^\W_][\W_]*$")
# Gives the folded words of names that a word may be a form of.
WordMeanings = Callable[[str], Iterable[str]]


@lru_cache(maxsize=20_000)
def name_words(name: str) -> tuple[str, ...]:
    """The folded words of a name."""
    return tuple(map(fold, words_of(name)))


def spellings(name: str) -> tuple[str, ...]:
    """A name, and the same as people type it: without its hyphens (C-3PO, C3PO)."""
    joined = _HYPHEN.sub("", name)
    return (name,) if joined == name else (name, joined)


def name_paths(name: str) -> list[tuple[str, ...]]:
    """The folded words of each spelling of a name.

    The last spelling has the parts of hyphenated words apart (Obi Wan): a part before which only a
    blank may stand begins with the hyphen.
    """
    paths = [name_words(spelling) for spelling in spellings(name)]
    if len(paths) > 1:
        paths.append(tuple(part for word in paths[0] for part in _PART.split(word)))
    return paths


def names_among(lemmas: Iterable[str]) -> list[str]:
    """The words of names among some lemmas of the table of forms."""
    return [lemma[1:] for lemma in lemmas if lemma[0] == "^"]


def form_meanings(table: FormTable, languages: Iterable[str]) -> WordMeanings:
    """Return a function that gives the words of names that a word is a form of."""
    spoken = tuple(languages)

    def meanings(word: str) -> list[str]:
        return names_among(lemma for lang in spoken for lemma in table.analyse(word, lang).lemmas)

    return meanings


def is_latin(text: str) -> bool:
    """Whether a text has Latin letters."""
    return any(char.isascii() and char.isalpha() for char in text)


def foreign_name(name: str, other_names: Iterable[str]) -> str:
    """Return the first other name in another script than the name, else an empty text."""
    return next((other for other in other_names if is_latin(other) != is_latin(name)), "")


class NameTree:
    """A tree of names: branches by word, and the cards or terms whose names end in a node."""

    def __init__(self) -> None:
        self.branches: dict[str, NameTree] = {}
        self.values: dict[str, None] = {}

    def add(self, path: Sequence[str], value: str) -> None:
        """Add a value under the words of its name; a name without words is left out."""
        node = self
        for word in path:
            node = node.branches.setdefault(word, NameTree())
        if path:
            node.values[value] = None

    def walk(self, meanings: Iterable[Collection[str]]) -> Iterator[list[str]]:
        """Yield the values that end at each word, until no name goes on.

        `meanings`: the words of names that each word of a text may be.
        """
        nodes = [self]
        for words in meanings:
            nodes = [
                node.branches[word] for node in nodes for word in words if word in node.branches
            ]
            if not nodes:
                return
            yield list(dict.fromkeys(value for node in nodes for value in node.values))


MAX_SUGGESTIONS = 3
# The share of letter pairs from which on two names are compared.
SIMILAR = 0.4
# A name is suggested if it has this share of the letter pairs of what was typed, or begins with the
# same letter and is this similar, or shares a word of so many letters. Of 300 names with one or two
# slips 296 were recognized or suggested (297 of SIMILAR alone), of 300 with three slips or without
# a word 237 (246); of 384 names that no card has, 119 led to suggestions (220), 53 of them without
# a word in common (154).
CONTAINED, SIMILAR_START, SHARED_WORD = 0.6, 0.5, 3

# How a text names a card, best first: its name or label, another name, an inflected name, the
# beginning or some words of a name, a similar spelling.
CardMatch = Literal["name", "other name", "form", "part", "near", "none"]
_KINDS: tuple[CardMatch, ...] = ("name", "form", "part", "near")


def letters(text: str) -> str:
    """Return the folded letters and digits of a text, by which names are compared."""
    return "".join(filter(str.isalnum, fold(text)))


class CardNames:
    """The names of a game's cards. It gives a card as a label, or as a name of several versions."""

    def __init__(self, cards: Sequence[Card]) -> None:
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
        # The label that distinguishes versions is not part of the name.
        self._plain = {letters(name) for card in cards for name in (card.name, *card.other_names)}
        labels = self._by_letters.keys() - self._plain
        self._lettered = {key for key in labels if key[:-1] in self._plain}

    def exact(self, name: str) -> list[str]:
        """The cards with a name, a label or another name; several if it is ambiguous."""
        key = letters(name)
        return list(self._by_letters.get(key, ())) if self._may_mean(key, name) else []

    def _may_mean(self, key: str, typed: str) -> bool:
        """Whether a text may mean names with some letters: a version of one letter stands apart."""
        return key not in self._lettered or bool(_LETTER_APART.search(fold(typed)))

    def best(self, text: str, meanings: WordMeanings) -> tuple[CardMatch, list[str]]:
        """The best kind of match of a text, and the names that match."""
        for kind in _KINDS:
            cards = self.matching(text, kind, meanings)
            if cards:
                is_other = kind == "name" and letters(text) in self._others
                names = dict.fromkeys(self.name_of[card] for card in cards)
                return "other name" if is_other else kind, list(names)
        return "none", []

    def matching(self, text: str, kind: CardMatch, meanings: WordMeanings) -> list[str]:
        """The cards that a text names in one way; `name` includes other names."""
        if kind == "name":
            return self.exact(text)
        if kind == "form":
            return self.inflected(text, meanings)
        return self.part(text, meanings) if kind == "part" else self.near(text)

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
            if not self._may_mean(other, name):
                continue
            apart = distance(key, other, most)
            if apart < most or (apart == most and not best):
                best = dict(best) if apart == most else {}
                most = apart
            elif apart != most:
                continue
            best.update(self._by_letters[other])
        return list(best)

    def suggestions(self, name: str) -> list[str]:
        """The cards with the most similar names, one of each name, if they are similar enough."""
        cards: dict[str, str] = {}
        key = letters(name)
        typed = {word for word in map(fold, words_of(name)) if len(word) >= SHARED_WORD}
        for other in filter(self._plain.__contains__, self._similar(key)):
            is_alike = _is_alike(key, other)
            for card in self._by_letters[other]:
                owner = self.name_of[card]
                if is_alike or not typed.isdisjoint(self._word_sets[owner]):
                    cards.setdefault(owner, card)
        return list(cards.values())[:MAX_SUGGESTIONS]

    @cached_property
    def _tree(self) -> NameTree:
        tree = NameTree()
        for card in self._cards:
            for name in (card.name, *card.other_names):
                words = name_words(name)
                # Obi Wan, as people type Obi-Wan.
                for path in (words, tuple(part for word in words for part in word.split("-"))):
                    tree.add(path, self._whole[card.name])
                    if card.version:
                        tree.add((*path, *name_words(card.version)), card.label)
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


def _is_alike(key: str, other: str) -> bool:
    """Return whether a name is probably meant by a text, by their letters."""
    pairs, theirs = _pairs(key), _pairs(other)
    common = len(pairs & theirs)
    similarity = 2 * common / (len(pairs) + len(theirs))
    return common >= CONTAINED * len(pairs) or (key[0] == other[0] and similarity >= SIMILAR_START)


def _pairs(key: str) -> set[str]:
    """The pairs of neighbouring letters; the edges of the word count as letters."""
    return {f"^{key}$"[at : at + 2] for at in range(len(key) + 1)}
