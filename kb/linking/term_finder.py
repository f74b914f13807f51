"""Finds a game's terms in texts, in any form of their words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from kb.language import FormTable, fold, tokenize, words_of
from kb.linking.names import NameTree

if TYPE_CHECKING:
    from kb.records.model import Term


class TermMatch(NamedTuple):
    """A term in a text: its place (code points) and its id."""

    start: int
    end: int
    term: str


class TermFinder:
    """Finds the names of a game's terms in texts of one language."""

    def __init__(self, terms: Iterable[Term], lang: str, table: FormTable) -> None:
        self._table, self._lang = table, lang
        self._meanings = cache(self._meanings_of)
        self._opens = cache(self._can_begin)
        self._tree = NameTree()
        for term in terms:
            for name in term.names.get(lang, ()):
                for path in product(*map(self._meanings, words_of(name))):
                    self._tree.add(path, term.id)

    def _meanings_of(self, word: str) -> tuple[str, ...]:
        """The lemmas of a word in the dictionary; of an unknown word itself and its stem."""
        lemmas = self._table.analyse(word, self._lang).lemmas
        ordinary = tuple(lemma for lemma in lemmas if lemma[0] not in "+^~")
        stems = (lemma for lemma in lemmas if lemma[0] == "~")
        return ordinary or ("=" + fold(word), *stems)

    def _can_begin(self, word: str) -> bool:
        """Whether a name can begin with a word."""
        return not self._tree.branches.keys().isdisjoint(self._meanings(word))

    def find(self, text: str) -> list[TermMatch]:
        """The terms in a text, in order; none overlap, and the longest wins."""
        runs = list(self._runs(words_of(text)))
        tokens = list(tokenize(text)) if runs else []
        return [TermMatch(tokens[at].start, tokens[last].end, term) for at, last, term in runs]

    def terms(self, text: str) -> Iterator[str]:
        """The ids of the terms in a text, in order."""
        return self.among(words_of(text))

    def among(self, words: list[str]) -> Iterator[str]:
        """The ids of the terms among the words of a text, in order."""
        return (term for _, _, term in self._runs(words))

    def _runs(self, words: list[str]) -> Iterator[tuple[int, int, str]]:
        """Yield the places of the first and last word of each term, and its id."""
        last = -1
        for place, word in enumerate(words):
            if place <= last or not self._opens(word):
                continue
            meanings = (self._meanings(words[at]) for at in range(place, len(words)))
            endings = [
                (end, terms[0])
                for end, terms in enumerate(self._tree.walk(meanings), place)
                if terms
            ]
            if endings:
                last, term = endings[-1]
                yield place, last, term
