"""The alphabetical order of each language, for lists of names."""

from __future__ import annotations

import re
from functools import cache

from kb.language import fold

# Letters that are sorted on their own, after their base letter; all others are sorted with it
# (Polish dictionaries; Slovak STN 97 6030, where ď, ľ, ň, ť and long vowels go with their base;
# Russian ё goes with е).
_OWN = {"pl": "ąćęłńóśźż", "sk": "äčôšž"}
_LATIN = "abcdefghijklmnopqrstuvwxyz"
_CYRILLIC = "абвгдежзийклмнопрстуфхцчшщъыьэюя"


@cache
def _ranks(lang: str) -> dict[str, int]:
    """Positions of letters in the alphabet, ten apart, Cyrillic letters after Latin ones."""
    ranks = {letter: place * 10 for place, letter in enumerate(_LATIN + _CYRILLIC, 20)}
    for letter in _OWN.get(lang, ""):
        base = ranks[fold(letter)]
        ranks[letter] = base + 1 + sum(base < rank < base + 10 for rank in ranks.values())
    return ranks


def order(name: str, lang: str) -> tuple[tuple[int, ...], str]:
    """A sort key for names of a language: Ł after L, Č after C, Ё with Е.

    Spaces and digits come first, signs do not count.
    """
    ranks = _ranks(lang)
    positions = []
    for char in name.lower():
        base = fold(char)[:1]
        if char in ranks or base in ranks:
            positions.append(ranks.get(char, ranks.get(base, 0)))
        elif char.isspace() or char.isdigit():
            positions.append(int(char) + 1 if char.isdecimal() else 0)
        elif char.isalpha():
            positions.append(10_000 + ord(char))
    return tuple(positions), name


def initial(name: str, lang: str) -> str:
    """The letter under which an index lists a name; `#` for digits and signs."""
    first = re.search(r"[^\W_]", name)
    if not first or not first[0].isalpha():
        return "#"
    letter = first[0].lower()
    return (letter if letter in _OWN.get(lang, "") else fold(letter)[:1] or letter).upper()
