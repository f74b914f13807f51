"""Folding: words without case, diacritics, apostrophes; typed texts without invisible characters.

Words copied from a page or a PDF may have invisible characters. Records refuse them
(kb.records.characters); searches ignore them, in the browser by the same lists. The browser folds
by templates/static/fold.js.
"""

from __future__ import annotations

import re
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
# Format characters (category Cf), without the visible ones, such as signs around Arabic numbers.
FORMAT = (
    "\xad\u061c\u180e\u200b-\u200f\u2060-\u206f\ufff9-\ufffb\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Blank characters of other categories: fillers, and variation selectors.
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
# Control characters, spaces, and fillers as wide as a space.
SPACES = "\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\u3164\uffa0"
DROPPED = f"{FORMAT}{BLANK}\u202a-\u202e\ufeff"
# After a letter of these scripts a joiner is a part of the word.
JOINED = "\u0600-\u18af"
JOINERS = "\u200c\u200d"
_SPACE = re.compile(f"[{SPACES}]+")
_DROPPED = re.compile(f"([{JOINED}][{JOINERS}])|[{DROPPED}]")


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
    # A letter folds alike beside any line.
    return dict(zip(distinct, fold.__wrapped__("\n".join(distinct)).split("\n"), strict=True))


@lru_cache(maxsize=65536)
def fold(text: str) -> str:
    """A text in lower case without diacritics and apostrophes; every dash is `-`. Idempotent."""
    if text.isascii():
        return text.lower().replace("'", "").replace("`", "")
    lower = unicodedata.normalize("NFC", text).casefold()
    return "".join(map(_fold_letter, unicodedata.normalize("NFC", lower)))


def clean_typed(text: str) -> str:
    """Return a typed text without invisible characters, with single spaces between its words."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return _SPACE.sub(" ", _DROPPED.sub(r"\1", _SPACE.sub(" ", text))).strip()
