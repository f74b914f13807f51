"""Hints for ids that do not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_MAX_HINTS = 3
_MIN_SIMILARITY = 0.6


def did_you_mean(unknown: str, known: Iterable[str]) -> str:
    """Return a sentence with the most similar ids, empty where none is similar."""
    similar = difflib.get_close_matches(unknown, list(known), _MAX_HINTS, _MIN_SIMILARITY)
    return f" Did you mean {', '.join(similar)}?" if similar else ""
