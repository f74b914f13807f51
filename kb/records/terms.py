"""A game's terms in running text, in whatever form of their words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from kb.language import Table, fold, tokenize
from kb.records.model import Game


class Found(NamedTuple):
    """A term in a text: its place (code points) and its id."""

    start: int
    end: int
    term: str


class TermFinder:
    """Finds the names of a game's terms in texts of one language."""

    def __init__(self, game: Game, lang: str, table: Table) -> None:
        self._table, self._lang = table, lang
        self._by_first: dict[str, list[tuple[tuple[frozenset[str], ...], str]]] = defaultdict(list)
        for term in game.terms:
            for name in term.names.get(lang, ()):
                words = tuple(self._meanings(token.text) for token in tokenize(name))
                for first in words[0] if words else ():
                    self._by_first[first].append((words, term.id))

    def _meanings(self, word: str) -> frozenset[str]:
        """What a word may be matched by: its lemmas, or itself where only a stem is known. Groups of words are not lemmas."""
        lemmas = self._table.analyse(word, self._lang).lemmas
        return frozenset(lemma for lemma in lemmas if lemma[0] not in "+^~") or frozenset(
            {"=" + fold(word), *(x for x in lemmas if x[0] == "~")}
        )

    def find(self, text: str) -> Iterator[Found]:
        """The terms in a text, in order, the longest where several begin; none overlap."""
        tokens = [(token.start, token.end, self._meanings(token.text)) for token in tokenize(text)]
        place = 0
        while place < len(tokens):
            best, length = "", 0
            for first in sorted(tokens[place][2]):
                for words, term in self._by_first.get(first, ()):
                    here = tokens[place : place + len(words)]
                    if (
                        len(words) > length
                        and len(here) == len(words)
                        and all(a[2] & b for a, b in zip(here, words, strict=True))
                    ):
                        best, length = term, len(words)
            if best:
                yield Found(tokens[place][0], tokens[place + length - 1][1], best)
            place += length or 1
