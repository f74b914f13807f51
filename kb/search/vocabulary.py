"""The words of the texts of one language.

Which of them mean a lemma, begin with letters or look like another word.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import chain

from kb.language import FormTable, fold, parts

GRAM = 4
# Words that look alike share their first letters.
_SHARED = GRAM - 1


class Vocabulary:
    """The folded words of texts, questions, terms and topics.

    Read from the table of forms when they are first needed: most languages are asked for a word
    or two of a query and no more.
    """

    def __init__(self, table: FormTable, lang: str) -> None:
        self._table, self._lang = table, lang
        self.alike = lru_cache(maxsize=1024)(self._alike)

    def __contains__(self, folded: str) -> bool:
        if "by_lemma" in vars(self):
            return folded in self.words
        return self._table.in_corpus(folded, self._lang)

    @cached_property
    def by_lemma(self) -> dict[str, list[str]]:
        """The words by what they can mean."""
        by_lemma: dict[str, list[str]] = defaultdict(list)
        for folded, lemmas in self._table.of_texts(self._lang):
            # Most words have one.
            for lemma in lemmas.split() if " " in lemmas else (lemmas,):
                by_lemma[lemma].append(folded)
        return by_lemma

    @cached_property
    def words(self) -> frozenset[str]:
        """All words."""
        return frozenset(word for words in self.by_lemma.values() for word in words)

    @cached_property
    def _ordered(self) -> list[str]:
        return sorted(self.words)

    def load(self) -> None:
        """Read the words now."""
        self.starting("")

    def starting(self, prefix: str) -> list[str]:
        """The words that begin with some letters, in order."""
        start = bisect_left(self._ordered, prefix)
        return self._ordered[start : bisect_left(self._ordered, prefix + "\U0010ffff")]

    def _alike(self, folded: str, least: float, limit: int) -> list[tuple[str, float]]:
        """The words that begin as a word does and share n-grams with it.

        With the part that they share (Dice), best first.
        """
        if len(folded) <= _SHARED:
            return []
        wanted = grams(folded)
        rated = []
        for word in self.starting(folded[:_SHARED]):
            if word != folded:
                other = grams(word)
                part = 2 * len(wanted & other) / (len(wanted) + len(other))
                if part >= least:
                    rated.append((word, part))
        return sorted(rated, key=lambda pair: (-pair[1], pair[0]))[:limit]


def word_terms(table: FormTable, word: str, lang: str) -> tuple[str, ...]:
    """The terms of a folded word of the texts: one for each lemma that it can belong to."""
    return tuple(f"{lang}:{lemma}" for lemma in table.text_lemmas(word, lang))


@lru_cache(maxsize=65536)
def grams(folded: str) -> frozenset[str]:
    """The n-grams of a word with a mark before it; a short word is one."""
    marked = "^" + folded
    return frozenset(marked[at : at + GRAM] for at in range(max(1, len(marked) - GRAM + 1)))


def tokens(words: Iterable[str]) -> list[str]:
    """Words as segments hold them: folded.

    Behind a hyphenated one its pieces joined, and its pieces.
    """
    return list(chain.from_iterable(map(word_tokens, words)))


@lru_cache(maxsize=65536)
def word_tokens(word: str) -> tuple[str, ...]:
    """A word as segments hold it, with its pieces."""
    return (fold(word), *map(fold, parts(word)))
