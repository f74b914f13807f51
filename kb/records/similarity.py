"""Pairs of similar rulings, for a curator to review.

The English texts are compared, else the originals: a duplicate may come from a document in another
language. The similarity is the cosine of the words' counts, weighted by their rarity in the game.
Pairs that share neither a card nor a topic need a higher similarity.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from kb.core.problems import Problem
from kb.language import LANGUAGES, fold, tokenize
from kb.records.library import Library
from kb.records.model import Ruling
from kb.records.text import plain_text

# The least similarity of pairs with a shared card or topic, and of others. Copies of the project's
# rulings with a fifth of their words changed: 98 % are found (tests/records/test_validity.py).
MIN_SIMILARITY, MIN_SIMILARITY_ELSEWHERE = 0.7, 0.8
# Words in more rulings than this are not compared, because the time grows with their square.
_COMMON = 400
_STOP_WORDS = {fold(word) for word in LANGUAGES["en"].stop_words}


def similar_pairs(library: Library) -> Iterator[Problem]:
    """Yield the pairs of each game, the most similar first, at the second of the two.

    Pairs are left out if one supersedes, illustrates or is said to differ from the other.
    """
    for game in library.games.values():
        rulings = [
            ruling for ruling in library.of_game(game.id) if ruling.header.status == "current"
        ]
        pairs = sorted(_pairs(rulings), key=lambda pair: (-pair[2], pair[0].id, pair[1].id))
        for first, second, similarity in pairs:
            message = (
                f"{similarity:.0%} like {first.id}: merge them,"
                " or say under different-from what sets them apart"
            )
            yield Problem(second.path, 1, message)


def _pairs(rulings: Sequence[Ruling]) -> Iterator[tuple[Ruling, Ruling, float]]:
    index = SimilarityIndex([_compared_text(ruling) for ruling in rulings])
    for number, (first, words) in enumerate(zip(rulings, index.word_counts, strict=True)):
        for other, similarity in index.similarities(words, number):
            second = rulings[other]
            if (
                similarity >= MIN_SIMILARITY
                and (similarity >= MIN_SIMILARITY_ELSEWHERE or _share_subject(first, second))
                and not _is_settled(first, second)
            ):
                yield first, second, similarity


class SimilarityIndex:
    """The texts of one game, to be compared with each other or with a new text."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.word_counts = [_word_counts(text) for text in texts]
        self._postings: dict[str, list[int]] = defaultdict(list)
        for number, words in enumerate(self.word_counts):
            for word in words.keys() - _STOP_WORDS:
                self._postings[word].append(number)
        self._rarities = {
            word: math.log(1 + len(texts) / len(numbers))
            for word, numbers in self._postings.items()
            if len(numbers) <= _COMMON
        }
        self._lengths = [self._length(words) for words in self.word_counts]

    def _length(self, words: Counter[str]) -> float:
        weights = (self._rarities.get(word, 0) * count for word, count in words.items())
        return math.hypot(*weights) or 1.0

    def similarities(self, words: Counter[str], after: int = -1) -> Iterator[tuple[int, float]]:
        """Yield the numbers, above `after`, of texts with a common rare word; the similarities."""
        products: dict[int, float] = defaultdict(float)
        for word, count in words.items():
            weight = self._rarities.get(word, 0) ** 2 * count
            for other in self._postings[word] if weight else ():
                if other > after:
                    products[other] += weight * self.word_counts[other][word]
        length = self._length(words)
        for other, product in products.items():
            yield other, product / (length * self._lengths[other])

    def most_similar(self, text: str, limit: int, least: float) -> list[tuple[int, float]]:
        """Return texts with at least a similarity to another text, the most similar first."""
        similar = [row for row in self.similarities(_word_counts(text)) if row[1] >= least]
        return sorted(similar, key=lambda row: (-row[1], row[0]))[:limit]


def _word_counts(text: str) -> Counter[str]:
    return Counter(fold(token.text) for token in tokenize(text))


def _compared_text(ruling: Ruling) -> str:
    """Return title and text in English, else in the original's language."""
    text = ruling.text("en") or ruling.original
    return f"{text.title}\n{plain_text(text.without_notes)}"


def _share_subject(ruling: Ruling, other: Ruling) -> bool:
    return bool(
        set(ruling.cards()) & set(other.cards())
        or set(ruling.header.topics) & set(other.header.topics)
    )


def _is_settled(ruling: Ruling, other: Ruling) -> bool:
    """Whether the header of one of two rulings shows that a curator has compared them."""
    return any(
        second.id in (*first.header.supersedes, *first.header.example_of)
        or any(second.id == difference.id for difference in first.header.different_from)
        for first, second in ((ruling, other), (other, ruling))
    )
