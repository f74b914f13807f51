"""The ideas of card games, and how players of each language say them.

`<lang>.tsv` has a line for each idea: its name, a tab, and its words, plain ones and jargon;
`word*` stands for every word with that beginning. A query's word with an idea means all words of
the texts that the idea has in the query's language. English gives the ideas of loan words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from kb.language.words import fold
from kb.search.vocabulary import Vocabulary

Patterns = dict[str, list[str]]


@cache
def patterns(lang: str) -> Patterns:
    """The patterns of each idea in a language; empty for a language without a list."""
    file = Path(__file__).with_name(f"{lang}.tsv")
    if not file.is_file():
        return {}
    by_idea: Patterns = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        idea, mark, words = line.partition("\t")
        if mark and not line.startswith("#"):
            by_idea.setdefault(idea, []).extend(map(fold, words.split()))
    return by_idea


@cache
def _by_start(lang: str) -> dict[str, list[tuple[str, str]]]:
    """Patterns with their ideas, by their first two letters."""
    by_start: dict[str, list[tuple[str, str]]] = {}
    for idea, several in patterns(lang).items():
        for pattern in several:
            by_start.setdefault(pattern[:2], []).append((pattern, idea))
    return by_start


def ideas_of(folded: str, languages: Iterable[str]) -> list[str]:
    """The ideas that a folded word has in some languages."""
    ideas = (
        idea
        for lang in dict.fromkeys(languages)
        for pattern, idea in _by_start(lang).get(folded[:2], ())
        if (folded.startswith(pattern[:-1]) if pattern[-1] == "*" else folded == pattern)
    )
    return list(dict.fromkeys(ideas))


def matching_words(
    ideas: Sequence[str], languages: Sequence[str], vocabularies: Callable[[str], Vocabulary]
) -> Iterator[tuple[str, str]]:
    """Yield the language of each word of the texts that some ideas have, and the word."""
    for lang in languages:
        for pattern in (pattern for idea in ideas for pattern in patterns(lang).get(idea, ())):
            if pattern[-1] == "*":
                yield from ((lang, word) for word in vocabularies(lang).starting(pattern[:-1]))
            elif pattern in vocabularies(lang).words:
                yield lang, pattern
