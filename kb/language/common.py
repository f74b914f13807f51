"""What a language offers, and what all of them share."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Protocol


class Language(Protocol):
    """One language's analysis. Analysers are loaded when they are first asked, by builds only; `stem` and `STOP` need none."""

    STOP: frozenset[str]
    SUFFIXES: tuple[str, ...]

    def lemmas(self, word: str) -> frozenset[str]:
        """Every lemma that a word (lower case) can belong to, in lower case; empty when the dictionary does not know it."""

    def forms(self, lemmas: Collection[str]) -> dict[str, frozenset[str]]:
        """Every form of each of these lemmas, in lower case."""

    def name_forms(self, name: str) -> frozenset[str]:
        """The forms that a proper or foreign name (lower case) takes, by rules of declension, itself included."""

    def stem(self, folded: str) -> str:
        """The stem of a folded word that no dictionary knows."""


def strip(folded: str, suffixes: Iterable[str], shortest: int = 3) -> str:
    """A word without the first of the suffixes (the longest first) that leaves at least `shortest` letters."""
    for suffix in suffixes:
        if folded.endswith(suffix) and len(folded) - len(suffix) >= shortest:
            return folded[: -len(suffix)]
    return folded


def longest_first(words: str) -> tuple[str, ...]:
    """A list of suffixes, one string with spaces, the longest first."""
    return tuple(sorted(words.split(), key=lambda word: (-len(word), word)))
