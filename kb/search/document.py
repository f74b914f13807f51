"""A ruling as every engine takes it in: its terms, analysed already, and the values that filters ask for."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kb.language import fold
from kb.search.weights import GAP

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb.records.model import Game, Ruling
    from kb.records.validity import Validity
    from kb.search.analyzer import Analyzer

# What a ruling for no rule set in particular has in that field.
ANY_RULES = "-"
# The date of a ruling without one.
UNDATED = "00000000"
# Lengths that a byte can stand for: exact where they are small, in steps of some 3 % after (those that Whoosh keeps).
LENGTHS = tuple(round((1.033**step - 1) * 27) for step in range(256))


# The terms of one word, which always stand together: its form and its lemmas.
Terms = tuple[str, ...]


class TermStream(NamedTuple):
    """Words of a ruling in order: the terms of each, its place, and its weight in tenths."""

    terms: list[Terms]
    places: list[int]
    weights: list[int]

    def add(self, words: Sequence[Terms], place: int, weight: int) -> int:
        """Adds words after a place; gives the place after which the next ones stand."""
        self.terms.extend(words)
        self.places.extend(range(place + 1, place + len(words) + 1))
        self.weights.extend([weight] * len(words))
        return place + len(words) + GAP

    def put(self, word: Terms, place: int, weight: int) -> None:
        """Adds one word at a place."""
        self.terms.append(word)
        self.places.append(place)
        self.weights.append(weight)


@dataclass(frozen=True)
class Document:
    """A ruling for the index: `key` is `game/id`, `fields` (name, value) are for the filters."""

    key: str
    words: TermStream
    fields: tuple[tuple[str, str], ...]

    @property
    def length(self) -> int:
        """How long it is, in terms."""
        return sum(map(len, self.words.terms))


def document(ruling: Ruling, game: Game, analyser: Analyzer, span: Validity) -> Document:
    """A ruling analysed; `span`: the days on which it stands."""
    return Document(
        ruling.key, analyser.words(ruling), tuple(dict.fromkeys(_fields(ruling, game, span)))
    )


def _fields(ruling: Ruling, game: Game, span: Validity) -> list[tuple[str, str]]:
    from kb.records.validity import ruling_date

    head = ruling.header
    return [
        ("game", ruling.game),
        ("kind", head.kind),
        ("authority", head.authority),
        ("status", head.status),
        *(("lang", text.lang) for text in ruling.texts),
        *(("topic", topic) for topic in head.topics),
        *(("source", one) for citation in head.sources for one in (citation.source, str(citation))),
        *(("card", name) for name in folded_cards(ruling, game)),
        ("date", ruling_date(ruling, game) or UNDATED),
        ("begins", span.begins),
        ("ends", span.ends),
        *(("rules", one) for one in head.rules or (ANY_RULES,)),
    ]


def folded_cards(ruling: Ruling, game: Game) -> list[str]:
    """Folded labels, names and other names of a ruling's cards, for the filter."""
    from kb.records.marks import ruling_cards

    names = {
        name
        for label in ruling_cards(ruling)
        for card in game.cards_named(label)
        for name in (label, card.name, *card.other_names)
    }
    return sorted({fold(name).replace(",", " ").strip() for name in names})


def surroundings(ruling: Ruling, game: Game, span: Validity) -> tuple[object, ...]:
    """All that a document holds besides its ruling's own texts and header, but for the game's terms."""
    from kb.records.marks import ruling_cards
    from kb.records.validity import ruling_date

    cards = [
        (label, [(card.name, card.other_names) for card in game.cards_named(label)])
        for label in ruling_cards(ruling)
    ]
    topics = [sorted(game.topics[topic].title.items()) for topic in ruling.header.topics]
    return cards, topics, ruling_date(ruling, game), span.begins, span.ends


def length_step(terms: int) -> int:
    """A length as a byte: the first step of LENGTHS that is not less, at most the last."""
    return min(bisect_left(LENGTHS, terms), 255)


def stored_length(terms: int) -> int:
    """How long a document of so many terms is taken to be: engines and browser keep lengths in one byte."""
    return LENGTHS[length_step(terms)]
