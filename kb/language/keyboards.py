"""Keyboard layouts: what the keys of an American keyboard type in another language.

A layout is a string: what the keys `KEYS` type. On a Czech keyboard the key `3` types `š`, and `z`
and `y` have changed places.
"""

from __future__ import annotations

KEYS = "`1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./"
AMERICAN = KEYS


def digit_row(layout: str) -> dict[str, str]:
    """The letters (and `§`) that a layout has on keys of digits and marks, by these."""
    return {
        key: typed
        for key, typed in zip(KEYS, layout, strict=True)
        if not key.isalpha() and (typed.isalpha() or typed == "§")
    }
