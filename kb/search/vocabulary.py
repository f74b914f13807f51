"""The words of the texts of one language: by lemma and by prefix."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import chain

from kb.language import FormTable, fold, parts, words_of


class Vocabulary:
    """The folded words of texts, questions, terms and topics, read on first use."""

    def __init__(self, table: FormTable, lang: str) -> None:
        self._table, self._lang = table, lang

    @cached_property
    def by_lemma(self) -> dict[str, list[str]]:
        by_lemma: dict[str, list[str]] = defaultdict(list)
        for folded, lemmas in self._table.of_texts(self._lang):
            # Most words have one lemma.
            for lemma in lemmas.split() if " " in lemmas else (lemmas,):
                by_lemma[lemma].append(folded)
        return by_lemma

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word for words in self.by_lemma.values() for word in words)

    @cached_property
    def _ordered(self) -> list[str]:
        return sorted(self.words)

    def starting(self, prefix: str) -> list[str]:
        """The words that begin with a prefix, in order."""
        start = bisect_left(self._ordered, prefix)
        return self._ordered[start : bisect_left(self._ordered, prefix + "\U0010ffff")]

    def shortest(self, prefix: str, limit: int) -> list[str]:
        """The shortest words that begin with a prefix."""
        return sorted(self.starting(prefix), key=lambda word: (len(word), word))[:limit]


def word_terms(table: FormTable, word: str, lang: str) -> tuple[str, ...]:
    """The terms of a folded word of the texts: one for each lemma that it can belong to."""
    return tuple(f"{lang}:{lemma}" for lemma in table.text_lemmas(word, lang))


def tokens(words: Iterable[str]) -> list[str]:
    """Words as segments hold them: folded, a hyphenated word followed by its pieces."""
    return list(chain.from_iterable(map(word_tokens, words)))


def text_tokens(text: str) -> list[str]:
    """The words of a text as segments hold them."""
    return tokens(words_of(text))


@lru_cache(maxsize=65536)
def word_tokens(word: str) -> tuple[str, ...]:
    """A folded word; a hyphenated word is followed by its pieces, joined and single."""
    return (fold(word), *map(fold, parts(word)))
