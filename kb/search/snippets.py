"""The passage of a ruling that shows why it was found, in the language that matched."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

from kb.language import WORD, FormTable, fold, parts
from kb.records.marks import plain_text
from kb.search.expansion import Expansion
from kb.store.queries import StoredRuling, StoredText

LENGTH = 240
# Characters: how far from its end a snippet may be cut at a space; a match so near to the start of a text moves nothing;
# what stands before the first match otherwise.
MARGIN, NEAR_START, CONTEXT = 40, 60, 40
# Of so many matches words are near to each other when they stand within NEAR characters, and no longer at FAR.
WINDOW, NEAR, FAR = 40, 60, 400
_MARKDOWN = re.compile(r"^\s{0,3}(?:[-*+]|\d+[.)]|#+|>)\s+|[*_`]+|\n+", re.MULTILINE)


Terms = Callable[[str, str], frozenset[str]]


def terms_of(table: FormTable) -> Terms:
    """What gives the terms of a word of a language; it remembers the words of the texts that results have."""

    @lru_cache(maxsize=100_000)
    def terms(word: str, lang: str) -> frozenset[str]:
        forms = (word, *parts(word))
        lemmas = (f"{lang}:{lemma}" for form in forms for lemma in table.analyse(form, lang).lemmas)
        return frozenset((f"#{word}", *(f"{lang}={fold(form)}" for form in forms), *lemmas))

    return terms


class Match(NamedTuple):
    """A word of a text that the query means: its place, and which of the query's words it is."""

    start: int
    end: int
    word: int


class Snippets:
    """Makes snippets for one query."""

    def __init__(
        self, terms: Terms, meanings: Sequence[Expansion], languages: Sequence[str]
    ) -> None:
        self.terms, self.languages = terms, languages
        self._seen: dict[str, _Words] = {}
        self._lines: dict[tuple[str, str], tuple[str, list[Match]]] = {}
        self.wanted: list[set[str]] = []
        for meaning in meanings:
            if meaning.optional and len(meanings) > 1:
                continue
            self.wanted += (
                [set(meaning.terms)]
                if meaning.kind != "phrase"
                else [set(terms) for terms in meaning.sequence]
            )

        # The languages of the wanted terms: a text in another has none of them.
        self.spoken = {
            re.split("[=:]", term)[0] if term[0] != "#" else "#"
            for wanted in self.wanted
            for term in wanted
        }

    def matches(self, text: str, lang: str) -> list[Match]:
        """The words of a text that the query means."""
        if not self.spoken & {lang, "#"}:
            return []
        if lang not in self._seen:
            self._seen[lang] = _Words(self.terms, self.wanted, lang)
        numbers = self._seen[lang]
        return [
            Match(*word.span(), number)
            for word in WORD.finditer(text)
            if (number := numbers[word[0]]) is not None
        ]

    def _line(self, text: StoredText) -> tuple[str, list[Match]]:
        """A text on one line, and the words of it that the query means."""
        key = (text.lang, text.body)
        if key not in self._lines:
            line = flat(text.body)
            self._lines[key] = (line, self.matches(line, text.lang))
        return self._lines[key]

    def closeness(self, ruling: StoredRuling) -> tuple[float, float]:
        """How much of the query a title holds (0 to 1), and how near to each other its words stand in a text (0 to 1)."""
        if not self.wanted:
            return 0.0, 0.0
        titled = near = 0.0
        for text in ruling.texts:
            titled = max(
                titled,
                len({match.word for match in self.matches(text.title, text.lang)})
                / len(self.wanted),
            )
            if len(self.wanted) > 1:
                near = max(near, self._nearness(self._line(text)[1]))
        return titled, near

    def _nearness(self, matches: Sequence[Match]) -> float:
        """1 when all words of the query stand within about 60 characters, falling to 0 at 400."""
        best = 0.0
        for first in range(len(matches)):
            seen: set[int] = set()
            for match in matches[first : first + WINDOW]:
                seen.add(match.word)
                if len(seen) == len(self.wanted):
                    width = match.end - matches[first].start
                    best = max(best, min(1.0, max(0.0, (FAR - width) / (FAR - NEAR))))
                    break
        return best

    def make(self, ruling: StoredRuling) -> tuple[str, str, tuple[tuple[int, int], ...]]:
        """The language that matched best, the snippet and the places of the matched words in it."""
        best: tuple[tuple[int, int], StoredText, str, list[Match]] | None = None
        for text in ruling.texts:
            if self.languages and text.lang not in self.languages and len(ruling.texts) > 1:
                continue
            line, found = self._line(text)
            titled = {match.word for match in self.matches(text.title, text.lang)}
            rank = (
                len({match.word for match in found} | titled),
                len({match.word for match in found}),
            )
            if best is None or rank > best[0]:
                best = (rank, text, line, found)
        if best is None:
            best = ((0, 0), ruling.texts[0], flat(ruling.texts[0].body), [])
        start, end = _window(best[2], best[3])
        before, after = "…" if start else "", "…" if end < len(best[2]) else ""
        places = tuple(
            (match.start - start + len(before), match.end - start + len(before))
            for match in best[3]
            if start <= match.start and match.end <= end
        )
        return best[1].lang, before + best[2][start:end] + after, places


class _Words(dict[str, int | None]):
    """Which of a query's words a word of a text is: its number, or None. Every different word is looked at once."""

    def __init__(self, terms: Terms, wanted: Sequence[set[str]], lang: str) -> None:
        self.terms, self.wanted, self.lang = terms, wanted, lang

    def __missing__(self, word: str) -> int | None:
        terms = self.terms(word, self.lang)
        found = next(
            (number for number, wanted in enumerate(self.wanted) if not wanted.isdisjoint(terms)),
            None,
        )
        self[word] = found
        return found


def flat(body: str) -> str:
    """A Markdown text on one line, without marks and signs: what snippets are cut from."""
    return " ".join(_MARKDOWN.sub(" ", plain_text(body)).split())


def _window(text: str, matches: Sequence[Match]) -> tuple[int, int]:
    """The stretch of about LENGTH characters with the most different words of the query; cut at words."""
    if len(text) <= LENGTH or not matches:
        return 0, _cut(text, LENGTH)
    best, start = 0, 0
    for first in matches:
        inside = {
            match.word
            for match in matches
            if first.start <= match.start and match.end <= first.start + LENGTH - MARGIN
        }
        if len(inside) > best:
            best, start = len(inside), first.start
    start = 0 if start < NEAR_START else text.rfind(" ", 0, start - CONTEXT) + 1
    return start, _cut(text, start + LENGTH)


def _cut(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", 0, end)
    return space if space > end - MARGIN else end
