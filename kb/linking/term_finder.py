"""Finds a game's terms in texts, in any form of their words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, count
from typing import NamedTuple, Protocol

from kb.language import FormTable, fold, words_of


class TermLike(Protocol):
    """The fields of a term that the finder reads; records and store have such terms."""

    @property
    def id(self) -> str: ...
    @property
    def names(self) -> Mapping[str, tuple[str, ...]]: ...


class TermMatch(NamedTuple):
    """A term in a text: its place (code points) and its id."""

    start: int
    end: int
    term: str


Meanings = frozenset[str]
Name = tuple[tuple[Meanings, ...], str]


class TermFinder:
    """Finds the names of a game's terms in texts of one language."""

    def __init__(self, terms: Iterable[TermLike], lang: str, table: FormTable) -> None:
        self._table, self._lang = table, lang
        self._by_first: dict[str, list[Name]] = defaultdict(list)
        self._meanings = cache(self._meanings_of)
        self._names = cache(self._names_from)
        for term in terms:
            for name in term.names.get(lang, ()):
                words = tuple(map(self._meanings_of, words_of(name)))
                for first in words[0] if words else ():
                    self._by_first[first].append((words, term.id))

    def _meanings_of(self, word: str) -> Meanings:
        """The meanings by which a word is matched: its lemmas in the dictionary.

        A word without any is matched by itself and its stem.
        """
        lemmas = self._table.analyse(word, self._lang).lemmas
        ordinary = frozenset(lemma for lemma in lemmas if lemma[0] not in "+^~")
        stems = (lemma for lemma in lemmas if lemma[0] == "~")
        return ordinary or frozenset({"=" + fold(word), *stems})

    def _names_from(self, word: str) -> tuple[Name, ...]:
        """The names that begin with a word, the longest first."""
        meanings = sorted(self._meanings(word))
        names = [name for first in meanings for name in self._by_first.get(first, ())]
        return tuple(sorted(names, key=lambda name: -len(name[0])))

    def find(self, text: str) -> list[TermMatch]:
        """The terms in a text, in order; none overlap, and the longest wins."""
        words = words_of(text)
        matches: list[TermMatch] = []
        number = position = 0
        for place, length, term in self._runs(words):
            # No letter stands between two words, so a word is at its next occurrence.
            for word in words[number:place]:
                position = text.index(word, position) + len(word)
            start = text.index(words[place], position)
            position, number = start, place + length
            for word in words[place:number]:
                position = text.index(word, position) + len(word)
            matches.append(TermMatch(start, position, term))
        return matches

    def terms(self, text: str) -> Iterator[str]:
        """The ids of the terms in a text, in order."""
        return self.among(words_of(text))

    def among(self, words: list[str]) -> Iterator[str]:
        """The ids of the terms among the words of a text, in order."""
        return (term for _, _, term in self._runs(words))

    def _runs(self, words: list[str]) -> Iterator[tuple[int, int, str]]:
        """Yield the place of each term, counted in words, its number of words, and its id."""
        end = 0
        names = self._names
        for place in compress(count(), map(names, words)):
            if place < end:
                continue
            for name, term in names(words[place]):
                length = len(name)
                if length == 1 or self._goes_on(name, words[place + 1 : place + length]):
                    yield place, length, term
                    end = place + length
                    break

    def _goes_on(self, name: tuple[Meanings, ...], words: Sequence[str]) -> bool:
        """Whether a name goes on with some words after its first."""
        if len(words) < len(name) - 1:
            return False
        for number, word in enumerate(words, 1):
            if self._meanings(word).isdisjoint(name[number]):
                return False
        return True
