"""A ruling as every engine takes it in: its terms, analysed already, and the values that filters ask for."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kb.language import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kb.index.words import Analyser, Posting
    from kb.records.model import Game, Ruling
    from kb.records.standing import Span

# What a ruling for no rule set in particular has in that field.
ANY_RULES = "-"
# The date of a ruling without one.
UNDATED = "00000000"
# Lengths that a byte can stand for: exact where they are small, in steps of some 3 % after (those that Whoosh keeps).
LENGTHS = tuple(round((1.033**step - 1) * 27) for step in range(256))


@dataclass(frozen=True)
class Document:
    """A ruling for the index: `key` is `game/id`, `postings` (term, position, weight), `fields` (name, value) for the filters.

    A weight is a multiple of a tenth.
    """

    key: str
    postings: Sequence[Posting]
    fields: tuple[tuple[str, str], ...]


def document(ruling: Ruling, game: Game, analyser: Analyser, span: Span) -> Document:
    """A ruling analysed; `span`: the days on which it stands."""
    return Document(ruling.key, analyser.postings(ruling), tuple(dict.fromkeys(_fields(ruling, game, span))))


def _fields(ruling: Ruling, game: Game, span: Span) -> list[tuple[str, str]]:
    from kb.records.standing import dated

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
        ("date", dated(ruling, game) or UNDATED),
        ("begins", span.begins),
        ("ends", span.ends),
        *(("rules", one) for one in head.rules or (ANY_RULES,)),
    ]


def folded_cards(ruling: Ruling, game: Game) -> list[str]:
    """Folded labels, names and other names of a ruling's cards, for the filter."""
    from kb.records.marks import cards_of

    names = {
        name for label in cards_of(ruling) for card in game.cards_named(label) for name in (label, card.name, *card.other_names)
    }
    return sorted({fold(name).replace(",", " ").strip() for name in names})


def surroundings(ruling: Ruling, game: Game, span: Span) -> tuple[object, ...]:
    """All that a document holds besides its ruling's own texts and header, but for the game's terms."""
    from kb.records.marks import cards_of
    from kb.records.standing import dated

    cards = [
        (label, [(card.name, card.other_names) for card in game.cards_named(label)]) for label in cards_of(ruling)
    ]  # fmt: skip
    topics = [sorted(game.topics[topic].title.items()) for topic in ruling.header.topics]
    return cards, topics, dated(ruling, game), span.begins, span.ends


def length_step(terms: int) -> int:
    """A length as a byte: the first step of LENGTHS that is not less, at most the last."""
    return min(bisect_left(LENGTHS, terms), 255)


def stored_length(terms: int) -> int:
    """How long a document of so many terms is taken to be: engines and browser keep lengths in one byte."""
    return LENGTHS[length_step(terms)]
