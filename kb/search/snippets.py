"""The passage of a ruling that shows why it was found, in the language that matched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kb.language import WORD
from kb.records.marks import plain_text
from kb.search.expansion import PRESENT, Slot
from kb.search.vocabulary import tokens
from kb.store.queries import StoredRuling, StoredText

LENGTH = 240
# How far from its end a snippet may be cut at a space; a match so near to the start of a text
# moves nothing; how much stands before the first match otherwise.
MARGIN, NEAR_START, CONTEXT = 40, 60, 40
_MARKDOWN = re.compile(r"^\s{0,3}(?:[-*+]|\d+[.)]|#+|>)\s+|[*_`]+|\n+", re.MULTILINE)


class Match(NamedTuple):
    """A word of a text that the query means: its place, and which of the query's words it is."""

    start: int
    end: int
    word: int


class Snippet(NamedTuple):
    """What is shown of a ruling.

    The language that matched best, a passage, the places of matched words in it, and the answer.
    """

    lang: str
    text: str
    highlights: tuple[tuple[int, int], ...]
    answer: str


class Snippets:
    """Makes snippets for one query."""

    def __init__(
        self, slots: Sequence[Slot], languages: Sequence[str], interface: str = ""
    ) -> None:
        """`interface`: the language that is shown where several match alike."""
        self.languages, self.interface = languages, interface
        self._wanted: dict[str, dict[str, int]] = {}
        self._lines: dict[tuple[str, str], tuple[str, list[Match]]] = {}
        wanted = [slot for slot in slots if not slot.optional] or list(slots)
        words = (words for slot in wanted for words in slot.sequence or [slot.words])
        for number, by_language in enumerate(words):
            for lang, weights in by_language.items():
                for word, weight in weights.items():
                    if weight >= PRESENT:
                        self._wanted.setdefault(lang, {}).setdefault(word, number)

    def matches(self, text: str, lang: str) -> list[Match]:
        """The words of a text that the query means."""
        wanted = {**self._wanted.get(lang, {}), **self._wanted.get("", {})}
        matches = []
        for word in WORD.finditer(text) if wanted else ():
            number = next((wanted[one] for one in tokens([word[0]]) if one in wanted), None)
            if number is not None:
                matches.append(Match(*word.span(), number))
        return matches

    def _line(self, text: StoredText) -> tuple[str, list[Match]]:
        """A text on one line, and the words of it that the query means."""
        key = (text.lang, text.body)
        if key not in self._lines:
            line = flat(text.body)
            self._lines[key] = (line, self.matches(line, text.lang))
        return self._lines[key]

    def make(self, ruling: StoredRuling) -> Snippet:
        """The snippet of a ruling."""
        texts = [text for text in ruling.texts if text.lang in self.languages] or ruling.texts
        text = max(texts, key=self._rank)
        line, matches = self._line(text)
        start, end = _window(line, matches)
        before, after = "…" if start else "", "…" if end < len(line) else ""
        places = tuple(
            (match.start - start + len(before), match.end - start + len(before))
            for match in matches
            if start <= match.start and match.end <= end
        )
        answer = flat(plain_text(text.body).partition("\n\n")[0])
        return Snippet(text.lang, before + line[start:end] + after, places, answer)

    def _rank(self, text: StoredText) -> tuple[int, int, bool]:
        """Words of the query in a text with its title, without it, and whether it is preferred."""
        words = {match.word for match in self._line(text)[1]}
        titled = {match.word for match in self.matches(text.title, text.lang)}
        return len(words | titled), len(words), text.lang == self.interface


def flat(body: str) -> str:
    """A Markdown text on one line, without marks and signs: what snippets are cut from."""
    return " ".join(_MARKDOWN.sub(" ", plain_text(body)).split())


def _window(text: str, matches: Sequence[Match]) -> tuple[int, int]:
    """About LENGTH characters with the most different words of the query, cut at words."""
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
