"""A game's terms in running text, in whatever form of their words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import compress, count
from typing import NamedTuple, Protocol

from kb.language import FormTable, fold, words_of


class TermLike(Protocol):
    """What the finder needs of a term: the records' and the store's terms both have it."""

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
        """Return what a word is matched by: its lemmas, or itself where only a stem is known.

        Groups of words are not lemmas.
        """
        lemmas = self._table.analyse(word, self._lang).lemmas
        return frozenset(lemma for lemma in lemmas if lemma[0] not in "+^~") or frozenset(
            {"=" + fold(word), *(x for x in lemmas if x[0] == "~")}
        )

    def _names_from(self, word: str) -> tuple[Name, ...]:
        """The names that begin with a word, those of most words first."""
        meanings = sorted(self._meanings(word))
        names = [name for first in meanings for name in self._by_first.get(first, ())]
        return tuple(sorted(names, key=lambda name: -len(name[0])))

    def find(self, text: str) -> list[TermMatch]:
        """The terms in a text, in order, the longest where several begin; none overlap."""
        words = words_of(text)
        matches: list[TermMatch] = []
        number = position = 0
        for place, length, term in self._runs(words):
            # Between two words stands no letter: where a word first occurs is its position.
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
        """Where a term begins, counted in words, how many it has, and its id."""
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
        """Whether these are the words of a name behind its first."""
        if len(words) < len(name) - 1:
            return False
        for number, word in enumerate(words, 1):
            if self._meanings(word).isdisjoint(name[number]):
                return False
        return True
