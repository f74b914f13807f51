"""A document: a ruling as the index holds it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kb.store.model import StoredRuling

# The value of the field `rules` of a ruling that is for no rule set in particular.
ANY_RULES = "-"
# The date of a ruling without one.
UNDATED = "00000000"


class Field:
    """The letters of the fields of a document."""

    TITLE = "t"
    # A question that players ask.
    ASKED = "q"
    # The first paragraph, and the others.
    ANSWER = "a"
    BODY = "b"
    # A note by the editors or the translator.
    NOTE = "e"
    # A card that the ruling is about, and one that it mentions.
    CARD = "c"
    MENTION = "m"
    # A name of a term that occurs.
    SYNONYM = "s"
    TOPIC = "o"
    # Words of provisions and of the id.
    PROVISION = "p"
    # Numbers of rules.
    NUMBER = "n"


class Segment(NamedTuple):
    """A run of folded words of one language in one field."""

    field: str
    lang: str
    words: Sequence[str]


# How often an engine counts a term of a field; other fields count once. These whole numbers only
# choose the candidates; `ranking.FIELDS` weighs the fields of a candidate for the final order.
RETRIEVAL_WEIGHTS = {Field.TITLE: 3, Field.CARD: 2, Field.NUMBER: 3}
# The term of every document.
EVERYTHING = "@all"
# A word's code: its number of characters, the first of them, and the bits that each holds.
CODE, _FIRST_CODE, _CODE_BITS = 3, 0x800, 14


@dataclass(frozen=True)
class Document:
    """A ruling for the index.

    `key` is `game/id`; `kind`: as what it is ranked: a question that was answered is a ruling;
    `terms`: how often each term of the segments counts, by RETRIEVAL_WEIGHTS; `values` (name,
    value) are for the filters.
    """

    key: str
    kind: str
    segments: Sequence[Segment]
    terms: Mapping[str, int]
    values: tuple[tuple[str, str], ...]
    ruling: StoredRuling | None = None

    def value_terms(self) -> list[str]:
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

    Codes are found in a ruling several times as fast as words. The ranges of the first, second and
    third characters are disjoint, so that no code occurs across two others. The characters are a
    hash: the chance that one of 100 words shares its code with one of 50,000 others is 1 in a
    million.
    """
    digest = blake2b(f"{lang} {word}".encode("utf-8", "replace"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    characters = []
    for place in range(CODE):
        number, rest = divmod(number, 1 << _CODE_BITS)
        characters.append(chr(_FIRST_CODE + (place << _CODE_BITS) + rest))
    return "".join(characters)
