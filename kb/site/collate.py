"""The order of the alphabet of each language, for lists of names."""

from __future__ import annotations

import re
from functools import cache

from kb.language import fold

# Letters that are sorted on their own, after the letter that they are written with; all others are sorted with it
# (Polish dictionaries; Slovak STN 97 6030, where ď, ľ, ň, ť and the long vowels go with their base; Russian ё goes with е).
_OWN = {"pl": "ąćęłńóśźż", "sk": "äčôšž"}
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюя"


@cache
def _ranks(lang: str) -> dict[str, int]:
    """Places of letters in the alphabet, ten apart; those of a Cyrillic alphabet come after the Latin ones."""
    ranks = {letter: place * 10 for place, letter in enumerate(_LATIN + _CYRILLIC, 20)}
    for letter in _OWN.get(lang, ""):
        base = ranks[fold(letter)]
        ranks[letter] = base + 1 + sum(base < rank < base + 10 for rank in ranks.values())
    return ranks


def order(name: str, lang: str) -> tuple[tuple[int, ...], str]:
    """A key that sorts names as a language does: Ł after L, Č after C, Ё with Е; spaces and digits first, signs do not count."""
    ranks = _ranks(lang)
    places = []
    for char in name.lower():
        base = fold(char)[:1]
        if char in ranks or base in ranks:
            places.append(ranks.get(char, ranks.get(base, 0)))
        elif char.isspace() or char.isdigit():
            places.append(int(char) + 1 if char.isdecimal() else 0)
        elif char.isalpha():
            places.append(10_000 + ord(char))
    return tuple(places), name


def initial(name: str, lang: str) -> str:
    """The letter under which an index of a language lists a name; `#` for digits and signs."""
    found = re.search(r"[^\W_]", name)
    if not found or not found[0].isalpha():
        return "#"
    letter = found[0].lower()
    return (letter if letter in _OWN.get(lang, "") else fold(letter)[:1] or letter).upper()
