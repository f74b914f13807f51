"""The order of the alphabet of each language, for lists of names."""

from __future__ import annotations

import re
from functools import cache

from kb.language import LANGUAGES, fold, language_of

# Ranks of letters are this far apart; between them come letters with diacritics, after their base.
_STEP = 10
_UNKNOWN_LETTERS = 10_000


@cache
def _alphabet() -> tuple[str, ...]:
    """The base letters of all languages: the Latin ones, then those of other scripts."""
    letters = dict.fromkeys("abcdefghijklmnopqrstuvwxyz")
    for language in LANGUAGES.values():
        letters.update(dict.fromkeys(char for char in language.alphabet if fold(char) == char))
    return tuple(letters)


@cache
def _ranks(lang: str) -> dict[str, int]:
    """Ranks of letters; digits and spaces rank before them."""
    ranks = {letter: place * _STEP for place, letter in enumerate(_alphabet(), 20)}
    for letter in language_of(lang).sorted_apart:
        base = ranks[fold(letter)]
        ranks[letter] = base + 1 + sum(base < rank < base + _STEP for rank in ranks.values())
    return ranks


def order(name: str, lang: str) -> tuple[tuple[int, ...], str]:
    """A key that sorts names as a language does: Ł after L, Č after C, Ё with Е.

    Spaces and digits come first; other signs do not count.
    """
    ranks = _ranks(lang)
    places = []
    for char in name.lower():
        base = fold(char)[:1]
        if char in ranks or base in ranks:
            places.append(ranks.get(char, ranks.get(base, 0)))
        elif char.isspace() or char.isdigit():
            places.append(int(char) + 1 if char.isdecimal() else 0)
        elif char.isalpha():
            places.append(_UNKNOWN_LETTERS + ord(char))
    return tuple(places), name


def initial(name: str, lang: str) -> str:
    """The letter under which an index of a language lists a name; `#` for digits and signs."""
    first = re.search(r"[^\W_]", name)
    if not first or not first[0].isalpha():
        return "#"
    letter = first[0].lower()
    if letter not in language_of(lang).sorted_apart:
        letter = fold(letter)[:1] or letter
    return letter.upper()
