"""Cuts the passages of a ruling that show why it matches, in the best matching language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from kb.language import WORD
from kb.language.registry import reading_order
from kb.records.text import Text, find_marks, shown_blocks
from kb.search.expansion import PRESENT, Slot
from kb.search.vocabulary import text_tokens, word_tokens
from kb.store.model import StoredRuling

LENGTH = 240
# In characters: a snippet may be cut at a space this far before its end; a match nearer than this
# to the start of the text moves nothing; otherwise this much stands before the first match.
MARGIN, NEAR_START, CONTEXT = 40, 60, 40
# A shorter word of a card's name in a text does not stand for the card.
MIN_NAME = 3
# At most this many read texts stay in memory, 1 KB each.
_TEXTS = 2_000
# A sentence ends with its block too; it goes on if a number or a small letter follows the full
# stop: "п. 113.5".
_SENTENCE_END = re.compile(r"[.!?…][”’»\")]* (?!\d)|\n")


class WordMatch(NamedTuple):
    """A word of a text that matches a word of the query: its place, and that word's number."""

    start: int
    end: int
    word: int


class Passage(NamedTuple):
    """A part of a text, as plain text, with the places (code points) of its matches."""

    text: str
    highlights: tuple[tuple[int, int], ...]


class Snippet(NamedTuple):
    """The passages to show of a ruling, in one language.

    `best`: the passage with the most words of the query; `answer`: the first paragraph;
    `elsewhere`: the sentence after the answer with the most words of the query that title and
    answer lack, if any; `decides`: it also has all words that title and answer have, and the ruling
    is not an open question.
    """

    lang: str
    best: Passage
    answer: Passage
    elsewhere: Passage | None
    decides: bool


class Snippets:
    """Makes snippets for one query."""

    def __init__(
        self, slots: Sequence[Slot], languages: Sequence[str], interface: str = ""
    ) -> None:
        """`interface`: the reader's language, which with its sisters is shown before English."""
        self.languages = languages
        self.preferred = reading_order(interface)
        self._wanted: dict[str, dict[str, int]] = {}
        wanted = [slot for slot in slots if not slot.optional] or list(slots)
        parts = (part for slot in wanted for part in slot.parts)
        for number, part in enumerate(parts):
            for lang, weights in part.words.items():
                for word, weight in weights.items():
                    if weight >= PRESENT:
                        self._wanted.setdefault(lang, {}).setdefault(word, number)

    def matches(self, text: str, lang: str, names: Mapping[str, int]) -> list[WordMatch]:
        """The matches in a text; `names`: words of card names, as `_names` gives them."""
        wanted = {**names, **self._wanted.get(lang, {}), **self._wanted.get("", {})}
        matches = []
        for word in WORD.finditer(text) if wanted else ():
            for token in word_tokens(word[0]):
                if token in wanted:
                    matches.append(WordMatch(*word.span(), wanted[token]))
                    break
        return matches

    def make(self, ruling: StoredRuling) -> Snippet:
        texts = [text for text in ruling.texts if text.lang in self.languages] or ruling.texts
        names = self._names(card_surfaces(ruling.cards, [text.body for text in ruling.texts]))
        readings = (self._read(text, names) for text in texts)
        lang, line, end, title, matches = max(
            readings, key=lambda reading: self._rank(reading, set(names.values()))
        )
        shown = title | {match.word for match in matches if match.end <= end}
        rest = [match for match in matches if match.start >= end]
        elsewhere, decides = None, False
        if any(match.word not in shown for match in rest):
            sentence = _sentence(line, rest, shown, end)
            is_open = ruling.status == "unanswered"
            decides = bool(shown) and shown < _words_in(rest, *sentence) and not is_open
            elsewhere = _of_sentence(line, rest, *sentence)
        return Snippet(
            lang,
            _passage(line, matches, *_window(line, matches)),
            _passage(line, matches, 0, end, cut=""),
            elsewhere,
            decides,
        )

    def _read(self, text: Text, names: Mapping[str, int]) -> _TextMatches:
        line, end = flat(text.without_notes)
        title = {match.word for match in self.matches(text.title, text.lang, names)}
        return _TextMatches(text.lang, line, end, title, self.matches(line, text.lang, names))

    def _rank(self, reading: _TextMatches, cards: set[int]) -> tuple[int, int]:
        """How many words of the query a text, its title and cards have; its language's rank."""
        words = {match.word for match in reading.matches} | reading.title | cards
        # A language that nobody prefers ranks last.
        return len(words), -(*self.preferred, reading.lang).index(reading.lang)

    def _names(self, cards: Iterable[Sequence[str]]) -> dict[str, int]:
        """The folded words that name a card of the query, each with the number of its word there.

        If another name shares no word with the label, as a translation, each of its words counts.
        """
        wanted = {word: number for words in self._wanted.values() for word, number in words.items()}
        names: dict[str, int] = {}
        for label, *others in cards:
            meant = {word: wanted[word] for word in text_tokens(label) if word in wanted}
            names |= meant
            for other in others if meant else ():
                words = text_tokens(other)
                if meant.keys().isdisjoint(words):
                    number = next(iter(meant.values()))
                    names |= {word: number for word in words if len(word) >= MIN_NAME}
        return names


class _TextMatches(NamedTuple):
    """A text on one line, the end of its answer, and the matches in its title and in it."""

    lang: str
    line: str
    end: int
    title: set[int]
    matches: list[WordMatch]


def card_surfaces(labels: Iterable[str], bodies: Iterable[str]) -> list[list[str]]:
    """The labels of a ruling's cards, each with the names that its texts give the card."""
    names = {label: {label: None} for label in labels}
    for body in bodies:
        for label, surface in _marks(body):
            if label in names:
                names[label][surface] = None
    return [list(several) for several in names.values()]


@lru_cache(maxsize=_TEXTS)
def _marks(body: str) -> tuple[tuple[str, str], ...]:
    """The marks of a text: label and surface."""
    return tuple((mark.label, mark.surface) for mark in find_marks(body))


@lru_cache(maxsize=_TEXTS)
def flat(body: str) -> tuple[str, int]:
    """A Markdown text as plain text, a block a line, and the end of its answer."""
    answer = "\n".join(shown_blocks(body.partition("\n\n")[0]))
    return "\n".join(shown_blocks(body)), len(answer)


def first_paragraph(text: Text) -> str:
    """Return the answer of a text: its first paragraph, on one line, as plain text."""
    return " ".join(shown_blocks(text.answer))


def _words_in(matches: Iterable[WordMatch], start: int, end: int) -> set[int]:
    """The numbers of the query's words in a part of a text."""
    return {match.word for match in matches if start <= match.start and match.end <= end}


def _sentence(
    line: str, matches: Sequence[WordMatch], shown: set[int], first: int
) -> tuple[int, int]:
    """The sentence after `first` with the most words that are not shown, then the most words."""
    marks = _SENTENCE_END.finditer(line, first)
    ends = [end.end() for end in marks if end[0] == "\n" or not line[end.end() :][:1].islower()]

    def rank(place: tuple[int, int]) -> tuple[int, int]:
        words = _words_in(matches, *place)
        return len(words - shown), len(words)

    return max(zip([first, *ends], [*ends, len(line)], strict=True), key=rank)


def _of_sentence(line: str, matches: Sequence[WordMatch], start: int, end: int) -> Passage:
    """A sentence; of a long one the window with the most words of the query."""
    end = len(line[:end].rstrip())
    if end - start <= LENGTH:
        return _passage(line, matches, start, end, cut="")
    inside = [match for match in matches if start <= match.start and match.end <= end]
    return _passage(line, inside, *_window(line[:end], inside, start))


def _window(text: str, matches: Sequence[WordMatch], first: int = 0) -> tuple[int, int]:
    """About LENGTH characters from `first` on with the most words of the query, cut at spaces."""
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


def _passage(
    line: str, matches: Sequence[WordMatch], start: int, end: int, cut: str = "…"
) -> Passage:
    """A part of a line with its matches; `cut` stands at an end where the line goes on."""
    start += len(line[start:end]) - len(line[start:end].lstrip())
    before, after = cut if start else "", cut if end < len(line) else ""
    moved = len(before) - start
    places = tuple(
        (match.start + moved, match.end + moved)
        for match in matches
        if start <= match.start and match.end <= end
    )
    return Passage(before + line[start:end].replace("\n", " ") + after, places)


def _cut(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", 0, end)
    return space if space > end - MARGIN else end
