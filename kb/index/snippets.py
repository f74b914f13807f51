"""The passage of a ruling that shows why it was found, in the language that matched."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from kb.index.meaning import Meaning
from kb.language import Table, fold, parts, tokenize
from kb.records.marks import plain
from kb.store.queries import StoredRuling, StoredText

LENGTH = 240
_MARKDOWN = re.compile(r"^\s{0,3}(?:[-*+]|\d+[.)]|#+|>)\s+|[*_`]+|\n+", re.MULTILINE)


class Match(NamedTuple):
    """A word of a text that the query means: its place, and which of the query's words it is."""

    start: int
    end: int
    word: int


class Snippets:
    """Makes snippets for one query."""

    def __init__(self, table: Table, meanings: Sequence[Meaning], languages: Sequence[str]) -> None:
        self.table, self.languages = table, languages
        self.wanted: list[set[str]] = []
        for meaning in meanings:
            if meaning.optional and len(meanings) > 1:
                continue
            self.wanted += [set(meaning.terms)] if meaning.kind != "phrase" else [set(terms) for terms in meaning.sequence]

    def matches(self, text: str, lang: str) -> list[Match]:
        """The words of a text that the query means."""
        found = []
        for token in tokenize(text):
            forms = (token.text, *parts(token.text))
            terms = {f"{lang}={fold(form)}" for form in forms}
            terms |= {f"{lang}:{lemma}" for form in forms for lemma in self.table.analyse(form, lang).lemmas}
            terms |= {f"#{token.text}"}
            for number, wanted in enumerate(self.wanted):
                if wanted & terms:
                    found.append(Match(token.start, token.end, number))
                    break
        return found

    def closeness(self, ruling: StoredRuling) -> tuple[float, float]:
        """How much of the query a title holds (0 to 1), and how near to each other its words stand in a text (0 to 1)."""
        if not self.wanted:
            return 0.0, 0.0
        titled = near = 0.0
        for text in ruling.texts:
            titled = max(titled, len({match.word for match in self.matches(text.title, text.lang)}) / len(self.wanted))
            if len(self.wanted) > 1:
                near = max(near, self._nearness(self.matches(flat(text.body), text.lang)))
        return titled, near

    def _nearness(self, matches: Sequence[Match]) -> float:
        """1 when all words of the query stand within about 60 characters, falling to 0 at 400."""
        best = 0.0
        for first in range(len(matches)):
            seen: set[int] = set()
            for match in matches[first : first + 40]:
                seen.add(match.word)
                if len(seen) == len(self.wanted):
                    width = match.end - matches[first].start
                    best = max(best, min(1.0, max(0.0, (400 - width) / 340)))
                    break
        return best

    def make(self, ruling: StoredRuling) -> tuple[str, str, tuple[tuple[int, int], ...]]:
        """The language that matched best, the snippet and the places of the matched words in it."""
        best: tuple[tuple[int, int], StoredText, str, list[Match]] | None = None
        for text in ruling.texts:
            if self.languages and text.lang not in self.languages and len(ruling.texts) > 1:
                continue
            line = flat(text.body)
            found = self.matches(line, text.lang)
            titled = {match.word for match in self.matches(text.title, text.lang)}
            rank = (len({match.word for match in found} | titled), len({match.word for match in found}))
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


def flat(body: str) -> str:
    """A Markdown text on one line, without marks and signs: what snippets are cut from."""
    return " ".join(_MARKDOWN.sub(" ", plain(body)).split())


def _window(text: str, matches: Sequence[Match]) -> tuple[int, int]:
    """The stretch of about LENGTH characters with the most different words of the query; cut at words."""
    if len(text) <= LENGTH or not matches:
        return 0, _cut(text, LENGTH)
    best, start = 0, 0
    for first in matches:
        inside = {match.word for match in matches if first.start <= match.start and match.end <= first.start + LENGTH - 40}
        if len(inside) > best:
            best, start = len(inside), first.start
    start = 0 if start < 60 else text.rfind(" ", 0, start - 40) + 1
    return start, _cut(text, start + LENGTH)


def _cut(text: str, end: int) -> int:
    if end >= len(text):
        return len(text)
    space = text.rfind(" ", 0, end)
    return space if space > end - 40 else end
