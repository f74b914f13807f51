"""Names as paths of folded words, and the words of names that a word of a text may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Generic, Protocol, TypeVar

from kb.language import FormTable, fold, words_of
from kb.language.words import HYPHENS

T = TypeVar("T")
# A hyphen inside a word.
_HYPHEN = re.compile(rf"(?<=\w)[{HYPHENS}](?=\w)")
# Gives the folded words of names that a word may be a form of.
WordMeanings = Callable[[str], Iterable[str]]


class CardLike(Protocol):
    """The fields of a card that name it; records and store have such cards."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def other_names(self) -> tuple[str, ...]: ...


@lru_cache(maxsize=20_000)
def name_words(name: str) -> tuple[str, ...]:
    """The folded words of a name."""
    return tuple(map(fold, words_of(name)))


def spellings(name: str) -> tuple[str, ...]:
    """A name, and the same as people type it: without its hyphens (C-3PO, C3PO)."""
    joined = _HYPHEN.sub("", name)
    return (name,) if joined == name else (name, joined)


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


class NameTree(Generic[T]):
    """A tree of names: branches by word, and the values of the names that end in a node."""

    def __init__(self) -> None:
        self.branches: dict[str, NameTree[T]] = {}
        self.values: dict[T, None] = {}

    def add(self, path: Sequence[str], value: T) -> None:
        """Add a value under the words of its name; a name without words is left out."""
        node = self
        for word in path:
            node = node.branches.setdefault(word, NameTree())
        if path:
            node.values[value] = None

    def walk(self, meanings: Iterable[Collection[str]]) -> Iterator[list[T]]:
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
