"""Words without case, diacritics and apostrophes, as they are typed in haste or on another keyboard."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

# Letters that Unicode does not take apart. `й` stays a letter of its own, `ё` becomes `е`.
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


_MOST = 4096


class _Letters(dict[int, str]):
    """What each letter becomes, by its number; found out when a text has it."""

    def __missing__(self, number: int) -> str:
        if len(self) >= _MOST:
            self.clear()
        made = self[number] = _letter(chr(number))
        return made


_LETTERS = _Letters()


def _letter(char: str) -> str:
    if char in SPECIAL:
        return SPECIAL[char]
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(SPECIAL.get(one, one) for one in apart if not unicodedata.combining(one))


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """A text in lower case without diacritics and apostrophes; every dash is `-`. Folding twice changes nothing."""
    if text.isascii():
        return text.lower().replace("'", "").replace("`", "")
    whole = unicodedata.normalize("NFC", text).casefold()
    return unicodedata.normalize("NFC", whole).translate(_LETTERS)
