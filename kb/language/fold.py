"""Words without case, diacritics and apostrophes, as they are typed in haste."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache

# Letters that Unicode does not take apart, apostrophes and dashes. The browser gets them with
# the index. `й` stays a letter of its own, `ё` becomes `е`.
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
_CACHED = 4096


class _Letters(dict[int, str]):
    """What each letter folds to, by code point, computed on first use."""

    def __missing__(self, number: int) -> str:
        if len(self) >= _CACHED:
            self.clear()
        folded = self[number] = _fold_letter(chr(number))
        return folded


_LETTERS = _Letters()


def _fold_letter(char: str) -> str:
    if char in SPECIAL:
        return SPECIAL[char]
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(SPECIAL.get(base, base) for base in apart if not unicodedata.combining(base))


def fold_all(words: Iterable[str]) -> dict[str, str]:
    """Each of many words, none with a line break, with what it folds to: in one go."""
    several = list(dict.fromkeys(words))
    if not several:
        return {}
    # No letter changes with the line before or after it.
    return dict(zip(several, fold.__wrapped__("\n".join(several)).split("\n"), strict=True))


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """A text in lower case without diacritics and apostrophes; every dash is `-`. Idempotent."""
    if text.isascii():
        return text.lower().replace("'", "").replace("`", "")
    whole = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", whole).translate(_LETTERS)
