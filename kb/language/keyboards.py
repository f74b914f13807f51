"""Words typed while the keyboard was set to another language.

A layout is a string: the letters that the keys `KEYS` give. On a Czech keyboard the key `3` gives
`š`, and `z` and `y` have changed places.
"""

from __future__ import annotations

from collections.abc import Iterable

KEYS = "`1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./"
AMERICAN = KEYS


def retyped(word: str, typed: str, meant: str) -> str:
    """A word typed on one layout as the same keys give it on another; empty if it cannot be."""
    keys = dict(zip(typed, meant, strict=True))
    made = "".join(keys.get(char, " ") for char in word.lower())
    return "" if " " in made else made


def retypings(word: str, meant: str, layouts: Iterable[str]) -> list[str]:
    """What a word may be on the layout `meant` when it was typed on any other of `layouts`."""
    made = (retyped(word, typed, meant) for typed in layouts if typed != meant)
    return [other for other in dict.fromkeys(made) if other.isalpha() and other != word.lower()]
