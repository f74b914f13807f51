"""Keyboard layouts: what the keys of an American keyboard type in another language.

A layout is a string: what the keys `KEYS` type. On a Czech keyboard the key `3` types `š`, and `z`
and `y` have changed places.
"""

from __future__ import annotations

KEYS = "`1234567890-=qwertyuiop[]asdfghjkl;'zxcvbnm,./"
AMERICAN = KEYS
# Shifted keys that are no capital letters, where other scripts have letters.
_SHIFTED = dict(zip("`[];',.", '~{}:"<>', strict=True))


def digit_row(layout: str) -> dict[str, str]:
    """The letters (and `§`) that a layout has on keys of digits and marks, by these."""
    return {
        key: typed
        for key, typed in zip(KEYS, layout, strict=True)
        if not key.isalpha() and (typed.isalpha() or typed == "§")
    }


def script_keys(layout: str) -> dict[str, str]:
    """The letters of a script other than Latin, by what the same keys type on an American keyboard.

    Small letters come first, then capital ones; empty for a layout of Latin letters.
    """
    keys = {key: typed for key, typed in zip(KEYS, layout, strict=True) if typed.isalpha()}
    if any(key.isalpha() and typed.isascii() for key, typed in keys.items()):
        return {}
    shifted = {_SHIFTED.get(key, key.upper()): typed.upper() for key, typed in keys.items()}
    return keys | shifted
