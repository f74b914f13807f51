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

from kb.language import LANGUAGES, fold, tokenize
from kb.records.library import Library
from kb.records.marks import plain_text, ruling_cards
from kb.records.model import Ruling

# Measured on the project's rulings (tests/records/test_standing.py): with a fifth of their words
# changed 98 % are found; as they are, one pair was, and a curator has told it apart.
ALIKE, ALIKE_ELSEWHERE = 0.7, 0.8
# A word that more rulings than this have tells none apart; looking at its pairs would take the
# square of them.
COMMON = 400
_STOP = {fold(word) for word in LANGUAGES["en"].stop_words}


@dataclass(frozen=True)
class SimilarPair:
    """Two rulings of a game that look alike (0 to 1).

    `stronger` names the one of stronger authority, if they differ.
    """

    one: Ruling
    other: Ruling
    alike: float
    stronger: str = ""

    def __str__(self) -> str:
        why = f"; {self.stronger} has the stronger authority" if self.stronger else ""
        return (
            f"{self.other.path}:1: {self.alike:.0%} like {self.one.id}{why}: merge them, or say"
            " under different-from what sets"
            " them apart"
        )


def similar_pairs(library: Library) -> Iterator[SimilarPair]:
    """Yield the pairs of every game, the most alike first.

    Pairs that a curator has distinguished, and chains, are left out.
    """
    for game in library.games.values():
        rulings = [one for one in library.of_game(game.id) if one.header.status == "current"]
        found = []
        for one, other, alike in _similar_indexes(rulings):
            first, second = rulings[one], rulings[other]
            if _is_settled(first, second) or alike < (
                ALIKE if _share_subject(first, second) else ALIKE_ELSEWHERE
            ):
                continue
            found.append(
                SimilarPair(first, second, alike, _stronger(first, second, game.header.authorities))
            )
        yield from sorted(found, key=lambda pair: (-pair.alike, pair.one.id, pair.other.id))


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
            word: math.log(1 + len(texts) / len(found))
            for word, found in having.items()
            if len(found) <= COMMON
        }
        self._size = [self._length(bag) for bag in self.bags]

    def _length(self, bag: Counter[str]) -> float:
        return (
            math.sqrt(
                sum(
                    (self._rare[word] * many) ** 2
                    for word, many in bag.items()
                    if word in self._rare
                )
            )
            or 1.0
        )

    def scores(self, bag: Counter[str], after: int = -1) -> Iterator[tuple[int, float]]:
        """Yield the texts after a number that share a rare word: number and similarity (0 to 1)."""
        found: dict[int, float] = defaultdict(float)
        for word, many in bag.items():
            if word in self._rare:
                for other in self._having[word]:
                    if other > after:
                        found[other] += self._rare[word] ** 2 * many * self.bags[other][word]
        size = self._length(bag)
        for other, score in found.items():
            yield other, score / (size * self._size[other])

    def to(self, text: str, most: int, least: float) -> list[tuple[int, float]]:
        """The texts most like another, at least so much, the most alike first."""
        found = [one for one in self.scores(_word_counts(text)) if one[1] >= least]
        return sorted(found, key=lambda one: (-one[1], one[0]))[:most]


def _word_counts(text: str) -> Counter[str]:
    return Counter(fold(token.text) for token in tokenize(text))


def _compared_text(ruling: Ruling) -> str:
    return compared_text({text.lang: (text.title, text.body) for text in ruling.texts})


def compared_text(texts: Mapping[str, tuple[str, str]]) -> str:
    """Return what is compared: title and text in English, else in the first language."""
    title, body = texts.get("en") or next(iter(texts.values()), ("", ""))
    return f"{title}\n{plain_text(body)}"


def _share_subject(one: Ruling, other: Ruling) -> bool:
    return bool(
        set(ruling_cards(one)) & set(ruling_cards(other))
        or set(one.header.topics) & set(other.header.topics)
    )


def _is_settled(one: Ruling, other: Ruling) -> bool:
    ties = {other.id} & {
        *one.header.supersedes,
        *one.header.example_of,
        *(told.id for told in one.header.different_from),
    }
    back = {one.id} & {
        *other.header.supersedes,
        *other.header.example_of,
        *(told.id for told in other.header.different_from),
    }
    return bool(ties or back)


def _stronger(one: Ruling, other: Ruling, order: Sequence[str]) -> str:
    first, second = (
        order.index(ruling.header.authority) if ruling.header.authority in order else len(order)
        for ruling in (one, other)
    )
    return "" if first == second else one.id if first < second else other.id
