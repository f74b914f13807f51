"""How well a ruling answers a query: one formula, whatever engine found the candidates.

A query is a list of slots (`kb.search.expansion`), each with a rarity `r`; R is the sum of all
rarities. A ruling is a list of segments: a field, a language and folded words. A slot gives a word
of a segment's language a weight from 0 to 1 (rule numbers: 1.5); words with a weight are hits. Of
slot i in a ruling:

    best(i)   the heaviest hit
    tf(i)     the sum over all hits of FIELDS[field] * weight

    words     = sum of r(i) * best(i) * tf(i) / (tf(i) + SATURATION), over R
    coverage  = sum of r(i) * best(i), over R
    line      = the best title or question: the same sum over its own heaviest hits, over R, times
                1 - PRECISION + PRECISION * (its hits / its words, at most 1)
    near      = the best WINDOW of words in an answer or body: the same sum over the heaviest
                hits in it, over R; only with two slots or more

    score     = (words + COVERAGE * coverage^2 + LINE * line^2 + NEAR * near) * KINDS[kind]
                * OWN_LANGUAGE where the ruling's game has the one language that the query is
                written in

A ruling has every word of a query if its own text and one question at most have them: of thirty
questions each, some ruling has any words.

A rarity is log(1 + (n - df + 0.5) / (df + 0.5)): n is the number of rulings with a text in the
language, df that of the rulings with the slot's most frequent sure term. A slot is present in a
ruling when best(i) >= PRESENT; guesses weigh less than that. A phrase hits where its words stand
side by side. Equal scores are in the order of the keys.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from kb.search.document import (
    ANSWER,
    ASKED,
    BODY,
    CARD,
    MENTION,
    NUMBER,
    PROVISION,
    SYNONYM,
    TITLE,
    TOPIC,
    Segment,
)
from kb.search.expansion import PRESENT, Slot

SATURATION = 2.0
FIELDS = {
    TITLE: 2.5,
    ASKED: 0.8,
    ANSWER: 1.3,
    BODY: 1.0,
    CARD: 2.0,
    MENTION: 1.0,
    SYNONYM: 0.5,
    TOPIC: 0.4,
    PROVISION: 0.6,
    NUMBER: 6.0,
}
COVERAGE, LINE, NEAR = 0.5, 0.6, 0.3
PRECISION = 0.4
WINDOW = 14
OWN_LANGUAGE = 1.25
KINDS = {"example": 0.92, "note": 0.94, "errata": 0.94}
Hit = tuple[int, int, float]


def rarity(documents: int, frequency: int) -> float:
    """BM25's inverse document frequency."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


@dataclass(frozen=True)
class Rating:
    """How well one ruling answers a query.

    `words`: the part of the score for the words that it has; `best`: each slot's heaviest hit;
    `together`: the same in its own text and in the one question that adds most to it.
    """

    score: float
    words: float
    best: tuple[float, ...]
    together: tuple[float, ...]

    def has(self, slot: int) -> bool:
        """Whether a slot is present, not only guessed."""
        return self.best[slot] >= PRESENT

    def has_together(self, slot: int) -> bool:
        """Whether a slot is present in the ruling's own text or the best question."""
        return self.together[slot] >= PRESENT


class Scorer:
    """Rates rulings for one query. `likely`: the languages that it may be written in."""

    def __init__(
        self, slots: Sequence[Slot], rarities: Sequence[float], likely: Sequence[str]
    ) -> None:
        self.rarities = rarities
        self.total = sum(rarities) or 1.0
        self.own = likely[0] if len(likely) == 1 else ""
        self.several = len(slots) > 1
        self.hits: dict[str, dict[str, list[tuple[int, float]]]] = {}
        self.phrases: list[tuple[int, Slot]] = []
        for number, slot in enumerate(slots):
            if slot.kind == "phrase":
                self.phrases.append((number, slot))
            for lang, words in slot.words.items():
                known = self.hits.setdefault(lang, {})
                for word, weight in words.items():
                    known.setdefault(word, []).append((number, weight))

    def words(self) -> dict[str, frozenset[str]]:
        """By language, the words of which a segment has one where it has hits."""
        words = {lang: set(known) for lang, known in self.hits.items()}
        for _, phrase in self.phrases:
            for lang, first in phrase.sequence[0].items() if phrase.sequence else ():
                words.setdefault(lang, set()).update(first)
        return {lang: frozenset(several) for lang, several in words.items()}

    def rate(self, segments: Iterable[Segment], kind: str, language: str) -> Rating:
        """The rating of a ruling of some kind, whose game has a language."""
        count = len(self.rarities)
        frequency, best, own = [0.0] * count, [0.0] * count, [0.0] * count
        questions: list[dict[int, float]] = []
        line = near = 0.0
        for segment in segments:
            hits = self._find(segment)
            if not hits:
                continue
            factor = FIELDS[segment.field]
            here: dict[int, float] = {}
            for _, slot, weight in hits:
                frequency[slot] += factor * weight
                if weight > here.get(slot, 0.0):
                    here[slot] = weight
            for slot, weight in here.items():
                best[slot] = max(best[slot], weight)
                if segment.field != ASKED:
                    own[slot] = max(own[slot], weight)
            if segment.field == ASKED:
                questions.append(here)
            if segment.field in (TITLE, ASKED):
                exact = min(1.0, len(hits) / len(segment.words))
                line = max(line, self._part(here) * (1 - PRECISION + PRECISION * exact))
            elif self.several and segment.field in (ANSWER, BODY):
                near = max(near, self._nearness(hits))
        words = coverage = 0.0
        for slot, weight in enumerate(best):
            if weight:
                part = self.rarities[slot] * weight
                words += part * frequency[slot] / (frequency[slot] + SATURATION)
                coverage += part
        words /= self.total
        coverage /= self.total
        score = words + COVERAGE * coverage * coverage + LINE * line * line + NEAR * near
        score *= KINDS.get(kind, 1.0) * (OWN_LANGUAGE if language == self.own else 1.0)
        return Rating(score, words, tuple(best), _together(own, questions))

    def _find(self, segment: Segment) -> list[Hit]:
        """The hits of a segment in order: place, slot, weight."""
        known = self.hits.get(segment.lang)
        hits = []
        if known:
            for place, word in enumerate(segment.words):
                if word in known:
                    hits += [(place, slot, weight) for slot, weight in known[word]]
        if self.phrases:
            for number, phrase in self.phrases:
                hits += [(place, number, 1.0) for place in _places(phrase, segment)]
            hits.sort()
        return hits

    def _part(self, heaviest: dict[int, float]) -> float:
        """The part of the query's rarities that some slots have."""
        part = 0.0
        for slot in sorted(heaviest):
            part += self.rarities[slot] * heaviest[slot]
        return part / self.total

    def _nearness(self, hits: Sequence[Hit]) -> float:
        best = 0.0
        for first, (start, *_) in enumerate(hits):
            inside: dict[int, float] = {}
            for place, slot, weight in hits[first:]:
                if place - start > WINDOW:
                    break
                if weight > inside.get(slot, 0.0):
                    inside[slot] = weight
            best = max(best, self._part(inside))
        return best


def _together(own: list[float], questions: Sequence[dict[int, float]]) -> tuple[float, ...]:
    """The heaviest hits in a ruling's own text and in the first question that adds most slots."""

    def added(question: dict[int, float]) -> int:
        return sum(weight >= PRESENT and own[slot] < PRESENT for slot, weight in question.items())

    best = max(questions, key=added, default={})
    return tuple(max(weight, best.get(slot, 0.0)) for slot, weight in enumerate(own))


def _places(phrase: Slot, segment: Segment) -> list[int]:
    """Where a phrase begins in a segment."""
    wanted = [words.get(segment.lang) for words in phrase.sequence]
    if not all(wanted):
        return []
    words = segment.words
    return [
        place
        for place in range(len(words) - len(wanted) + 1)
        if all(words[place + at] in some for at, some in enumerate(wanted) if some)
    ]
