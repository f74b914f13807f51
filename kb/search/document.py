"""A ruling as the index holds it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kb.store.model import StoredRuling

# What a ruling for no rule set in particular has in that field.
ANY_RULES = "-"
# The date of a ruling without one.
UNDATED = "00000000"
# The letters of the fields of segments: a title, a question that people ask, the first paragraph,
# the others, a card that the ruling is about or mentions, another name of a term that occurs, a
# topic, words of provisions and of the id, rule numbers, stop words and others that a title quotes.
TITLE, ASKED, ANSWER, BODY, CARD, MENTION, SYNONYM, TOPIC, PROVISION, NUMBER, QUOTED = "tqabcmsopnu"


class Segment(NamedTuple):
    """A run of folded words of one language in one field."""

    field: str
    lang: str
    words: Sequence[str]


# How often a term counts for the engines' own ranking, by its field: elsewhere once.
FIELD_WEIGHTS = {TITLE: 3, CARD: 2, NUMBER: 3}
# The term that every document has.
EVERYTHING = "@all"
# Of the characters of a word's code: how many, the first, and how many each may be.
CODE, _FIRST_CODE, _CODE_BITS = 3, 0x800, 14


@dataclass(frozen=True)
class Document:
    """A ruling for the index.

    `key` is `game/id`; `terms`: those of its segments, with how often each occurs, by the weights
    of fields; `values` (name, value) are for the filters.
    """

    key: str
    kind: str
    segments: Sequence[Segment]
    terms: Mapping[str, int]
    values: tuple[tuple[str, str], ...]
    ruling: StoredRuling | None = None

    def value_terms(self) -> list[str]:
        """A term for each value."""
        return [EVERYTHING, *(value_term(name, value) for name, value in self.values)]


def value_term(name: str, value: str) -> str:
    """The term of a field's value."""
    return f"@{name}:{value}"


def pack_segments(segments: Iterable[Segment]) -> str:
    """Segments as text, one a line: the letter of the field, then a code for each word."""
    return "\n".join(
        [
            field + "".join([word_code(lang, word) for word in words])
            for field, lang, words in segments
        ]
    )


@lru_cache(maxsize=1 << 16)
def word_code(lang: str, word: str) -> str:
    """The characters that stand for a word of a language in packed segments.

    A search for some codes goes through a ruling several times as fast as a search for words. The
    first, second and third characters differ, so that no code occurs across two others. They are
    of a hash: of 100 words and 50,000 others, two have the same code in one case of a million.
    """
    digest = blake2b(f"{lang} {word}".encode("utf-8", "replace"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    characters = []
    for place in range(CODE):
        number, rest = divmod(number, 1 << _CODE_BITS)
        characters.append(chr(_FIRST_CODE + (place << _CODE_BITS) + rest))
    return "".join(characters)
