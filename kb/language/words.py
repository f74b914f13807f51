"""Words in running text, and their folding: without case, diacritics and apostrophes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from kb.core.characters import APOSTROPHES, DASHES

HYPHENS = "‐‑-"
# Letters and digits with the marks above and below them.
_LETTERS = r"[^\W_]+(?:[\u0300-\u036f]+[^\W_]*)*"
_HYPHEN = re.compile(f"[{HYPHENS}]")
WORD = re.compile(rf"\d+(?:\.\d+)+(?![\w])|{_LETTERS}(?:[{APOSTROPHES}{HYPHENS}]{_LETTERS})*")


class Token(NamedTuple):
    """A word and its position (code points)."""

    start: int
    end: int
    text: str


def tokenize(text: str) -> Iterator[Token]:
    """The words of a text in order.

    A word is letters and digits; inner apostrophes and hyphens stay, `113.5` is one word.
    """
    for match in WORD.finditer(text):
        yield Token(match.start(), match.end(), match[0])


def words_of(text: str) -> list[str]:
    """The words of a text without their positions."""
    return WORD.findall(text)


def parts(word: str) -> tuple[str, ...]:
    """The joined word and the pieces of a hyphenated one (R2-D2 -> R2D2, R2, D2); else empty."""
    if word.isalnum():
        return ()
    pieces = [piece for piece in _HYPHEN.split(word) if piece]
    return ("".join(pieces), *pieces) if len(pieces) > 1 else ()


def owner(word: str) -> str:
    """The owner in a possessive (Sidious's, Vader’s -> Sidious, Vader), else the word."""
    return word[:-2] if len(word) > 3 and word[-1] == "s" and word[-2] in APOSTROPHES else word


# Letters that Unicode does not decompose, apostrophes and dashes. `й` stays, `ё` becomes `е`.
SPECIAL = {
    "ł": "l",
    "đ": "d",
    "ø": "o",
    "ß": "ss",
    "æ": "ae",
    "œ": "oe",
    "þ": "th",
    "ı": "i",
    "й": "й",
    "ё": "е",
}
_SIGNS = dict.fromkeys(APOSTROPHES, "") | dict.fromkeys(DASHES, "-")
SPECIAL |= _SIGNS
_PLAIN_SIGNS = str.maketrans(_SIGNS | {"ё": "е"})


@lru_cache(maxsize=4096)
def _fold_letter(char: str) -> str:
    if char in SPECIAL:
        return SPECIAL[char]
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(
        SPECIAL.get(base, base) for base in decomposed if not unicodedata.combining(base)
    )


def fold_all(words: Iterable[str]) -> dict[str, str]:
    """Return the folded form of each word, faster than one by one; no word has line breaks."""
    distinct = list(dict.fromkeys(words))
    if not distinct:
        return {}
    # A letter folds the same next to a line break.
    return dict(zip(distinct, fold.__wrapped__("\n".join(distinct)).split("\n"), strict=True))


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """A text in lower case without diacritics and apostrophes; every dash is `-`. Idempotent."""
    if text.isascii():
        return text.lower().replace("'", "").replace("`", "")
    lower = unicodedata.normalize("NFC", text).casefold()
    return "".join(map(_fold_letter, unicodedata.normalize("NFC", lower)))


def lacks_only_marks(word: str, form: str) -> bool:
    """Whether a word is a form, or lacks diacritics of it; both fold to the same in lower case.

    Any apostrophe or none, and any dash are the same; `ё` counts as `е`. Those of other lengths
    differ in a ligature (æ).
    """
    if word.isascii():
        return True
    word, form = (unicodedata.normalize("NFC", one).translate(_PLAIN_SIGNS) for one in (word, form))
    return len(word) != len(form) or all(
        one in (other, fold(other)) for one, other in zip(word, form, strict=True)
    )
