"""The passage of a ruling that shows why it was found, in the language that matched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kb.language import WORD, words_of
from kb.records.marks import plain_text
from kb.search.expansion import PRESENT, Slot
from kb.search.vocabulary import tokens
from kb.store.queries import StoredRuling, StoredText

LENGTH = 240
# How far from its end a snippet may be cut at a space; a match so near to the start of a text
# moves nothing; how much stands before the first match otherwise.
MARGIN, NEAR_START, CONTEXT = 40, 60, 40
# What is shown where the interface's language and others match alike.
DEFAULT_LANGUAGE = "en"
_MARKDOWN = re.compile(r"^\s{0,3}(?:[-*+]|\d+[.)]|#+|>)\s+|[*_`]+|\n+", re.MULTILINE)


class Match(NamedTuple):
    """A word of a text that the query means: its place, and which of the query's words it is."""

    start: int
    end: int
    word: int


class Passage(NamedTuple):
    """A part of a text, as plain text, and the places (code points) of matched words in it."""

    text: str
    highlights: tuple[tuple[int, int], ...]


class Snippet(NamedTuple):
    """What is shown of a ruling in one language.

    `best`: the passage with most words of the query; `answer`: the first paragraph; `elsewhere`: a
    passage behind the answer, where that has words of the query that title and answer lack.
    """

    lang: str
    best: Passage
    answer: Passage
    elsewhere: Passage | None


class Snippets:
    """Makes snippets for one query."""

    def __init__(
        self, slots: Sequence[Slot], languages: Sequence[str], interface: str = ""
    ) -> None:
        """`interface`: the language that is shown where several match alike, before English."""
        self.languages = languages
        self.preferred = (interface, DEFAULT_LANGUAGE)
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
        cards = self._card_words(ruling.cards)
        text = max(texts, key=lambda text: self._rank(text, cards))
        line, matches = self._line(text)
        end = len(flat(plain_text(text.body).partition("\n\n")[0]))
        shown = {match.word for match in matches if match.end <= end}
        shown |= {match.word for match in self.matches(text.title, text.lang)}
        rest = [match for match in matches if match.start >= end]
        elsewhere = None
        if any(match.word not in shown for match in rest):
            elsewhere = _passage(line, rest, *_window(line, rest, end))
        return Snippet(
            text.lang,
            _passage(line, matches, *_window(line, matches)),
            _passage(line, matches, 0, end, cut=""),
            elsewhere,
        )

    def _rank(self, text: StoredText, cards: set[int]) -> tuple[int, int]:
        """How many words of the query a text has with its title and cards; how preferred it is."""
        words = {match.word for match in self._line(text)[1]}
        titled = {match.word for match in self.matches(text.title, text.lang)}
        place = self.preferred.index(text.lang) if text.lang in self.preferred else 2
        return len(words | titled | cards), -place

    def _card_words(self, labels: Sequence[str]) -> set[int]:
        """The words of the query that are in names of cards, whatever language they are of."""
        names = set(tokens(words_of(" ".join(labels))))
        numbers = (numbers.get(name) for numbers in self._wanted.values() for name in names)
        return {number for number in numbers if number is not None}


def flat(body: str) -> str:
    """A Markdown text on one line, without marks and signs: what snippets are cut from."""
    return " ".join(_MARKDOWN.sub(" ", plain_text(body)).split())


def _window(text: str, matches: Sequence[Match], first: int = 0) -> tuple[int, int]:
    """About LENGTH characters with the most different words of the query, cut at words.

    `first`: where the earliest may begin.
    """
    if len(text) - first <= LENGTH or not matches:
        return first, _cut(text, first + LENGTH)
    best, start = 0, first
    for match in matches:
        last = match.start + LENGTH - MARGIN
        inside = {
            other.word for other in matches if match.start <= other.start and other.end <= last
        }
        if len(inside) > best:
            best, start = len(inside), match.start
    if start < first + NEAR_START:
        start = first
    else:
        start = text.rfind(" ", first, start - CONTEXT) + 1 or first
    return start, _cut(text, start + LENGTH)


def _passage(line: str, matches: Sequence[Match], start: int, end: int, cut: str = "…") -> Passage:
    """A part of a line with the matches in it; `cut` stands where the line goes on."""
    start += len(line[start:end]) - len(line[start:end].lstrip())
    before, after = cut if start else "", cut if end < len(line) else ""
    moved = len(before) - start
    places = tuple(
        (match.start + moved, match.end + moved)
        for match in matches
        if start <= match.start and match.end <= end
    )
    return Passage(before + line[start:end] + after, places)


def _cut(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", 0, end)
    return space if space > end - MARGIN else end
