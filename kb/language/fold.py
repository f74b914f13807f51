"""Folding: words without case, diacritics and apostrophes, in the browser by static/fold.js."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

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
SPECIAL |= dict.fromkeys("'’‘ʼ`´", "") | dict.fromkeys("‐‑–—−", "-")


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
