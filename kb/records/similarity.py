"""Pairs of rulings that look alike, for a curator to review.

Compared are the English texts (else the originals), since every ruling of the base has one, so that
two languages of a game, or two documents that repeat each other, meet. The measure is the cosine of
their words, weighted by how rare these are in the game; a shared card or topic raises nothing, but
pairs without either have to be more alike.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest

from kb.language import LANGUAGES, fold, tokenize
from kb.records.library import Library
from kb.records.marks import plain_text
from kb.records.model import Ruling

# Measured on the project's rulings (tests/records/test_validity.py): with a fifth of their words
# changed, 98 % are found.
ALIKE, ALIKE_ELSEWHERE = 0.7, 0.8
# At most so many pairs of a game are listed; many copies of a text make the square of their number.
MAX_PAIRS = 5_000
# A word in more rulings than this distinguishes none, and comparing them takes their square.
COMMON = 400
_STOP = {fold(word) for word in LANGUAGES["en"].stop_words}


@dataclass(frozen=True)
class SimilarPair:
    """Two rulings of a game that look alike (0 to 1).

    `stronger` names the one of stronger authority, if they differ.
    """

    first: Ruling
    second: Ruling
    similarity: float
    stronger: str = ""

    def __str__(self) -> str:
        why = f"; {self.stronger} has the stronger authority" if self.stronger else ""
        return (
            f"{self.second.path}:1: {self.similarity:.0%} like {self.first.id}{why}: merge them,"
            " or say under different-from what sets them apart"
        )


def similar_pairs(library: Library) -> Iterator[SimilarPair]:
    """Yield the pairs of every game, the most alike first, at most MAX_PAIRS of each.

    Pairs that a curator has distinguished, and chains, are left out.
    """
    for game in library.games.values():
        rulings = [
            ruling for ruling in library.of_game(game.id) if ruling.header.status == "current"
        ]
        pairs = _pairs(rulings, game.header.authorities)
        yield from nsmallest(
            MAX_PAIRS, pairs, key=lambda pair: (-pair.similarity, pair.first.id, pair.second.id)
        )


def _pairs(rulings: Sequence[Ruling], authorities: Sequence[str]) -> Iterator[SimilarPair]:
    for index, other, similarity in _similar_indexes(rulings):
        first, second = rulings[index], rulings[other]
        least = ALIKE if _share_subject(first, second) else ALIKE_ELSEWHERE
        if similarity >= least and not _is_settled(first, second):
            yield SimilarPair(first, second, similarity, _stronger(first, second, authorities))


def _similar_indexes(rulings: Sequence[Ruling]) -> Iterator[tuple[int, int, float]]:
    likeness = SimilarityIndex([_compared_text(ruling) for ruling in rulings])
    for number, bag in enumerate(likeness.bags):
        for other, alike in likeness.scores(bag, number):
            if alike >= ALIKE:
                yield number, other, alike


class SimilarityIndex:
    """How alike texts of one game are to each other, or to a text that somebody is writing."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.bags = [_word_counts(text) for text in texts]
        having: dict[str, list[int]] = defaultdict(list)
        for number, bag in enumerate(self.bags):
            for word in bag:
                if word not in _STOP:
                    having[word].append(number)
        self._having = having
        self._rare = {
            word: math.log(1 + len(texts) / len(numbers))
            for word, numbers in having.items()
            if len(numbers) <= COMMON
        }
        self._size = [self._length(bag) for bag in self.bags]

    def _length(self, bag: Counter[str]) -> float:
        weights = (self._rare[word] * count for word, count in bag.items() if word in self._rare)
        return math.hypot(*weights) or 1.0

    def scores(self, bag: Counter[str], after: int = -1) -> Iterator[tuple[int, float]]:
        """Yield the texts after a number that share a rare word: number and similarity (0 to 1)."""
        scores: dict[int, float] = defaultdict(float)
        for word, many in bag.items():
            if word in self._rare:
                for other in self._having[word]:
                    if other > after:
                        scores[other] += self._rare[word] ** 2 * many * self.bags[other][word]
        size = self._length(bag)
        for other, score in scores.items():
            yield other, score / (size * self._size[other])

    def to(self, text: str, most: int, least: float) -> list[tuple[int, float]]:
        """The texts most like another, at least so much, the most alike first."""
        similar = [row for row in self.scores(_word_counts(text)) if row[1] >= least]
        return sorted(similar, key=lambda row: (-row[1], row[0]))[:most]


def _word_counts(text: str) -> Counter[str]:
    return Counter(fold(token.text) for token in tokenize(text))


def _compared_text(ruling: Ruling) -> str:
    return compared_text({text.lang: (text.title, text.body) for text in ruling.texts})


def compared_text(texts: Mapping[str, tuple[str, str]]) -> str:
    """Return what is compared: title and text in English, else in the first language."""
    title, body = texts.get("en") or next(iter(texts.values()), ("", ""))
    return f"{title}\n{plain_text(body)}"


def _share_subject(ruling: Ruling, other: Ruling) -> bool:
    return bool(
        set(ruling.cards()) & set(other.cards())
        or set(ruling.header.topics) & set(other.header.topics)
    )


def _is_settled(ruling: Ruling, other: Ruling) -> bool:
    """Whether one of two rulings names the other, so that a curator has seen both."""
    return other.id in _named(ruling) or ruling.id in _named(other)


def _named(ruling: Ruling) -> set[str]:
    header = ruling.header
    different = (difference.id for difference in header.different_from)
    return {*header.supersedes, *header.example_of, *different}


def _stronger(first: Ruling, second: Ruling, order: Sequence[str]) -> str:
    """Return the id of the ruling of stronger authority; empty when they have the same."""
    rank, other_rank = (
        order.index(ruling.header.authority) if ruling.header.authority in order else len(order)
        for ruling in (first, second)
    )
    return "" if rank == other_rank else first.id if rank < other_rank else second.id
