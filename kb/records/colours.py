"""Colours of a game or a site that can be read: their contrast is calculated as in WCAG 2."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

# The backgrounds of coloured text in static/kb.css.
LIGHT_PAGE = "#fbfaf7"
DARK_PAGE = "#1e2227"
# WCAG 2.2, 1.4.3: normal text, level AA.
MIN_CONTRAST = 4.5
# WCAG 2.2, 1.4.6: level AAA, because colours with less look dull on dark pages.
_DARK_CONTRAST = 7


def _readable_colour(value: str) -> str:
    if not value:
        raise ValueError("no colour; put it in quotes, because # begins a comment")
    colour = "#" + value.removeprefix("#").lower()
    if not re.fullmatch(r"#[0-9a-f]{6}", colour):
        raise ValueError(
            f"{value!r} is not a colour; write six hexadecimal digits, as in '#1d4f73'"
        )
    ratio = contrast(colour, LIGHT_PAGE)
    if ratio < MIN_CONTRAST:
        raise ValueError(
            f"{value!r} has a contrast of {ratio:.1f} with the page; {MIN_CONTRAST} is needed to"
            f" read it, as '{readable(colour, LIGHT_PAGE)}' has"
        )
    return colour


# A colour of links and headings, with enough contrast on light pages.
Colour = Annotated[str, AfterValidator(_readable_colour)]


def dark_shade(colour: str) -> str:
    """Return the shade of a colour for dark pages."""
    return readable(colour, DARK_PAGE, _DARK_CONTRAST)


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def readable(colour: str, background: str, ratio: float = MIN_CONTRAST) -> str:
    """Mix a colour with the least black or white that makes it readable on a background."""
    target = "#000000" if _luminance(background) > 0.5 else "#ffffff"
    for percent in range(0, 101, 5):
        mixed = _mix(colour, target, percent / 100)
        if contrast(mixed, background) >= ratio:
            return mixed
    return target


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def _mix(colour: str, other: str, share: float) -> str:
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _luminance(colour: str) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in _channels(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
