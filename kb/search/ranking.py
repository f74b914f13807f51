"""The score of a ruling for a query: one formula for the candidates of every engine.

A query is a list of slots (`kb.search.expansion`), each with a rarity `r`; R is the sum of all
rarities. A ruling is a list of segments: a field, a language and folded words. A slot gives a word
of a segment's language a weight from 0 to 1; words with a weight are hits. Of slot i in a ruling:

    best(i)   the heaviest hit
    tf(i)     the sum over all hits of FIELDS[field] * weight

    words     = sum of r(i) * best(i) * tf(i) / (tf(i) + SATURATION), over R
    coverage  = sum of r(i) * best(i), over R
    line      = the best title or question: the same sum over its own heaviest hits, over R, times
                1 - PRECISION + PRECISION * (its hits / its words, at most 1)
    near      = the best WINDOW of words in an answer, body or note: the same sum over the heaviest
                hits in it, over R; only with two slots or more

    score     = (words + COVERAGE * coverage^2 + LINE * line^2 + NEAR * near) * KINDS[kind]

A query is stated in a ruling by the greater of the sum over the heaviest hits of the title and the
answer together, over R, and `line`. In an example the words of its cards' names count NAMED of
their weight: another example of the rule may name others.

A rarity is log(1 + (n - df + 0.5) / (df + 0.5)): n is the number of rulings with a text in the
language, df the number of those with the slot's most frequent sure term. A slot is present in a
ruling when best(i) >= PRESENT; guesses weigh less. A phrase hits where its words stand side by
side. Equal scores are in the order of the keys.

How sure the first ruling is to decide the query:

    certainty = STATED * stated + APART * apart + WORDS * log(number of words that matter)

`stated`: how much of the query the first ruling states, from 0 to 1. `apart`: how far the score of
the second result lies below the first's, as a part of the first's. A long question says more
than a short one with as much of it stated, so a single word is only found, not answered, unless
the first ruling states it and hardly another one has it. If the first ruling is the record of an
open question, no ruling decides what was asked. A word that no ruling of the game has makes the
first ruling the closest, whatever its certainty, and so does a rival: a second one with nearly the
same score that states the query too.

The factors were chosen on the queries below and 240 others in everyday words. On 28 November 2026,
201 right rulings and no wrong one are answers to the 261 queries of tests/gold/queries.tsv (without
rivals 3 wrong ones), 99 and 2 to the 217 of asker.tsv that have an answer; of its 70 without one
none is answered, and 14 are denied. Requiring every word in the title, a question or the answer
would remove 66 right answers in asker.tsv and one wrong one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from kb.search.document import CODE, Field, word_code
from kb.search.expansion import PRESENT, Slot

SATURATION = 2.0
# Weights of the fields in the final order, tuned on tests/gold; `document.RETRIEVAL_WEIGHTS` only
# help an engine to choose the candidates. A note is not the cited document's word: it counts half.
FIELDS = {
    Field.TITLE: 2.5,
    Field.NUMBER: 2.5,
    Field.CARD: 2.0,
    Field.ANSWER: 1.3,
    Field.BODY: 1.0,
    Field.NOTE: 0.5,
    Field.MENTION: 1.0,
    Field.ASKED: 0.8,
    Field.SYNONYM: 0.5,
    Field.TOPIC: 0.5,
    Field.PROVISION: 0.5,
}
COVERAGE, LINE, NEAR = 0.5, 0.6, 0.3
PRECISION = 0.4
LINES = (Field.TITLE, Field.ASKED)
PASSAGES = (Field.ANSWER, Field.BODY, Field.NOTE)
WINDOW = 14
KINDS = {"example": 0.92, "question": 0.92, "note": 0.94, "errata": 0.94}
# The fields that state a ruling together.
STATING = (Field.TITLE, Field.ANSWER)
# In an example, the part of their weight that words of its cards' names count.
NAMES, NAMED = (Field.CARD, Field.MENTION), 0.5
STATED, APART, WORDS = 5.0, 6.0, 2.0
# A ruling stands apart by at most this part of its score: the only result may still be a chance.
MOST_APART = 0.4
# From SURE on a ruling is an answer; below UNLIKELY none of the rulings is.
SURE, UNLIKELY = 6.7, 4.5
# A rival's score is lower by less than this part, and it states at least this part of what the
# first one does.
NEARLY, AS_WELL = 0.04, 0.9
Confidence = Literal["answer", "close", "none"]
WordHit = tuple[int, int, float]


def rarity(documents: int, frequency: int) -> float:
    """BM25's inverse document frequency."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


def certainty(best: Sequence[tuple[float, float]], words: int) -> float:
    """The certainty that the first of the best rulings decides a query of some words.

    `best`: how much of the query each states, and its score.
    """
    (stated, first), *others = best
    second = others[0][1] if others else 0.0
    apart = min(MOST_APART, (first - second) / first) if first else 0.0
    return STATED * stated + APART * apart + WORDS * math.log(max(words, 1))


def has_rival(best: Sequence[tuple[float, float]]) -> bool:
    """Whether the second ruling may decide a query as well; `best` as of `certainty`."""
    (stated, first), *others = best
    return any(
        score > (1 - NEARLY) * first and part >= AS_WELL * stated for part, score in others[:1]
    )


class Rating(NamedTuple):
    """How well one ruling answers a query; `best`: the heaviest hit of each slot."""

    score: float
    best: tuple[float, ...]

    @property
    def present(self) -> tuple[bool, ...]:
        """Which slots are present, not only guessed."""
        return tuple([weight >= PRESENT for weight in self.best])


class Scorer:
    """Rates rulings for one query. `rarities`: of the slots."""

    def __init__(self, slots: Sequence[Slot], rarities: Sequence[float]) -> None:
        self.rarities, self.total = rarities, sum(rarities) or 1.0
        self.several = len(slots) > 1
        # By the code of a word, the numbers of the slots that it hits, with weights.
        self.hits: dict[str, list[tuple[int, float]]] = {}
        # By the number of a slot, the codes that each word of a phrase may have.
        self.phrases: dict[int, list[set[str]]] = {}
        for number, slot in enumerate(slots):
            if slot.sequence:
                self.phrases[number] = [_codes(word.words) for word in slot.sequence]
            for lang, words in slot.words.items():
                for word, weight in words.items():
                    self.hits.setdefault(word_code(lang, word), []).append((number, weight))
        first = {code for words in self.phrases.values() for some in words[:1] for code in some}
        self.pattern = _any_code(self.hits.keys() | first)

    def rate(self, packed: str, kind: str) -> Rating:
        """The rating of a ruling; `packed`: its segments, as `pack_segments` gives them."""
        best = [0.0] * len(self.rarities)
        frequency = list(best)
        line = near = 0.0
        for field, length, hits in self._find(packed):
            factor = FIELDS[field]
            here: dict[int, float] = {}
            for _, slot, weight in hits:
                frequency[slot] += factor * weight
                if weight > here.get(slot, 0.0):
                    here[slot] = weight
            for slot, weight in here.items():
                if weight > best[slot]:  # noqa: PLR1730 (max() takes five times as long)
                    best[slot] = weight
            if field in LINES:
                part = self._part(here)
                if part > line:
                    line = max(line, part * _precision(hits, length))
            elif self.several and field in PASSAGES:
                # A window never has more than the whole segment.
                part = self._part(here)
                if part > near:
                    near = max(near, self._nearness(hits)) if len(here) > 1 else part
        words = coverage = 0.0
        for slot, weight in enumerate(best):
            if weight:
                part = self.rarities[slot] * weight
                words += part * frequency[slot] / (frequency[slot] + SATURATION)
                coverage += part
        words /= self.total
        coverage /= self.total
        score = words + COVERAGE * coverage * coverage + LINE * line * line + NEAR * near
        return Rating(score * KINDS.get(kind, 1.0), tuple(best))

    def stated(self, packed: str, kind: str) -> float:
        """How much of the query a ruling states, from 0 to 1; arguments as of `rate`."""
        segments = [
            (field, _heaviest(hits), _precision(hits, length))
            for field, length, hits in self._find(packed)
        ]
        named = {slot for field, heaviest, _ in segments if field in NAMES for slot in heaviest}
        together: dict[int, float] = {}
        most = 0.0
        for field, heaviest, precision in segments:
            if kind == "example":
                heaviest |= {slot: heaviest[slot] * NAMED for slot in named & heaviest.keys()}
            if field in LINES:
                most = max(most, self._part(heaviest) * precision)
            if field in STATING:
                for slot, weight in heaviest.items():
                    together[slot] = max(weight, together.get(slot, 0.0))
        return max(most, self._part(together))

    def _part(self, heaviest: dict[int, float]) -> float:
        """The part of the total that slots with these heaviest hits have."""
        part = 0.0
        for slot in sorted(heaviest) if len(heaviest) > 1 else heaviest:
            part += self.rarities[slot] * heaviest[slot]
        return part / self.total

    def _nearness(self, hits: Sequence[WordHit]) -> float:
        """The part of the total that the best window of words has."""
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

    def _find(self, packed: str) -> Iterator[tuple[str, int, list[WordHit]]]:
        """Yield the segments with hits: field, number of words, hits in order."""
        known = self.hits
        hits: list[WordHit] = []
        start, end = 0, -1
        for match in self.pattern.finditer(packed):
            place = match.start()
            if place > end:
                if hits:
                    yield packed[start], (end - start) // CODE, self._in_order(hits)
                start = packed.rfind("\n", 0, place) + 1
                end = packed.find("\n", place)
                if end < 0:
                    end = len(packed)
                hits = self._phrase_hits(packed[start:end]) if self.phrases else []
            place = (place - start) // CODE
            for slot, weight in known.get(match[0], ()):
                hits.append((place, slot, weight))
        if hits:
            yield packed[start], (end - start) // CODE, self._in_order(hits)

    def _in_order(self, hits: list[WordHit]) -> list[WordHit]:
        """The hits of a segment in order: those of phrases are found first."""
        return sorted(hits) if self.phrases else hits

    def _phrase_hits(self, segment: str) -> list[WordHit]:
        return [
            (place, number, 1.0)
            for number, sequence in self.phrases.items()
            for place in _places(sequence, segment)
        ]


def _precision(hits: Sequence[WordHit], length: int) -> float:
    """The factor of a title or question of some words: the more of them the query has, the more."""
    return 1 - PRECISION + PRECISION * min(1.0, len(hits) / length)


def _heaviest(hits: Iterable[WordHit]) -> dict[int, float]:
    """The heaviest of some hits of each slot."""
    heaviest: dict[int, float] = {}
    for _, slot, weight in hits:
        heaviest[slot] = max(weight, heaviest.get(slot, 0.0))
    return heaviest


def _any_code(codes: Collection[str]) -> re.Pattern[str]:
    """A pattern for any of some codes; without codes it never matches."""
    return re.compile("|".join(map(re.escape, sorted(codes))) or "(?!)")


def _codes(words: dict[str, dict[str, float]]) -> set[str]:
    """The codes of the words of all languages."""
    return {word_code(lang, word) for lang, several in words.items() for word in several}


def _places(sequence: Sequence[set[str]], segment: str) -> list[int]:
    """The places, counted in words, where a phrase begins in a segment."""
    codes = [segment[at : at + CODE] for at in range(1, len(segment), CODE)]
    return [
        place
        for place in range(len(codes) - len(sequence) + 1)
        if all(codes[place + at] in some for at, some in enumerate(sequence))
    ]
