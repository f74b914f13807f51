"""Colours as #rrggbb: their contrast by WCAG 2, and a readable variant."""

from __future__ import annotations

# The backgrounds of light and dark pages in static/kb.css that text of the accent colour is on.
LIGHT_PAGE = "#fbfaf7"
DARK_PAGE = "#1e2227"
# WCAG 2.2, 1.4.3: normal text, level AA.
MIN_CONTRAST = 4.5


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def readable(colour: str, background: str) -> str:
    """Return a colour mixed with as little black or white as makes it readable on a background."""
    target = "#000000" if _luminance(background) > 0.5 else "#ffffff"
    for percent in range(0, 101, 5):
        mixed = _mix(colour, target, percent / 100)
        if contrast(mixed, background) >= MIN_CONTRAST:
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
