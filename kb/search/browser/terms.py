"""The rows of terms: postings of words, ideas, rule numbers and values, and words of lemmas."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from operator import sub

from kb.core.computed import Computed
from kb.language import fold
from kb.records.model import Game, Ruling
from kb.search.analyzer import folded_cards
from kb.search.document import NUMBER, Segment
from kb.search.jargon import ideas_of

# The digits of packed numbers; those of the second half say that the number goes on.
PACKED_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
_MORE = len(PACKED_DIGITS) // 2
# The name of a row: its language, whether it is a word, a lemma or an idea, and that.
_NAME = re.compile(r"([a-z]{2,3})([=:!])(.*)", re.DOTALL)


class Terms:
    """What documents add to the index, one after another.

    `postings` by name: documents as differences, then for words how often each has it, then the
    positions, counted over all segments, as differences within each document. `frequencies`: how
    many documents have each lemma.
    """

    def __init__(self) -> None:
        self.frequencies: Counter[str] = Counter()
        self._documents: dict[str, list[int]] = defaultdict(list)
        self._counts: dict[str, list[int]] = defaultdict(list)
        self._positions: dict[str, list[int]] = defaultdict(list)
        self._names = Computed[tuple[str, str], list[str]](lambda word: _names(*word))

    def add(
        self,
        document: int,
        segments: Sequence[Segment],
        values: Iterable[str],
        lemmas: Iterable[str],
    ) -> None:
        """Add a document: its segments, the names of its values, and its lemmas."""
        self.frequencies.update(lemmas)
        for name in values:
            self._documents[name].append(document)
        places: dict[str, list[int]] = defaultdict(list)
        position = 0
        for field, lang, words in segments:
            for word in words:
                for name in self._names["" if field == NUMBER else lang, word]:
                    places[name].append(position)
                position += 1
        for name, positions in places.items():
            self._documents[name].append(document)
            self._counts[name].append(len(positions))
            self._positions[name] += _steps(positions)

    def postings(self) -> Iterator[tuple[str, str]]:
        """Every posting by its name, packed, behind the number of its documents."""
        for name, documents in self._documents.items():
            counts, positions = self._counts.get(name, []), self._positions.get(name, [])
            yield name, packed((len(documents), *_steps(documents), *counts, *positions))


def packed(numbers: Iterable[int]) -> str:
    """Whole numbers as text, each by five bits from the lowest, as source maps have them."""
    digits = []
    for number in numbers:
        rest = number
        while rest >= _MORE:
            digits.append(PACKED_DIGITS[_MORE + rest % _MORE])
            rest //= _MORE
        digits.append(PACKED_DIGITS[rest])
    return "".join(digits)


def _steps(numbers: Sequence[int]) -> Iterator[int]:
    return map(sub, numbers, (0, *numbers))


def _names(lang: str, word: str) -> list[str]:
    """The names of the postings that a word belongs to: its own, and those of its ideas."""
    if not lang:
        return [f"#{word}"]
    return [f"{lang}={word}", *(f"{lang}!{idea}" for idea in ideas_of(word, (lang,)))]


def value_names(ruling: Ruling, game: Game) -> list[str]:
    """The names of a ruling's postings without positions, of its cards and sources."""
    cards = (f"@card:{name}" for name in folded_cards(ruling, game))
    sources = (
        f"@source:{value}"
        for citation in ruling.header.sources
        for value in (citation.source, citation)
    )
    return list(dict.fromkeys((*cards, *sources)))


def key_of(name: str) -> str:
    """Where a row is looked for: a word and its lemma stand near, in whatever language."""
    match = _NAME.fullmatch(name)
    if not match:
        return name
    return f"!{match[3]}" if match[2] == "!" else fold(match[3].lstrip("^~+")) or match[3]
