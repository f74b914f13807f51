"""Which translations are stale, and which rulings await a review?"""

from __future__ import annotations

from collections.abc import Iterator

from kb.core.problems import Problem
from kb.records.library import Library


def stale_translations(library: Library) -> Iterator[Problem]:
    """Yield each stale translation at its heading."""
    for ruling in library.rulings.values():
        stale = ruling.stale()
        for text in ruling.texts:
            if text.lang in stale:
                message = (
                    f"{text.lang}: the original has changed;"
                    f" check the translation, then run: kb translated {ruling.key}"
                )
                yield Problem(ruling.path, text.line, message)


def unreviewed(library: Library) -> Iterator[Problem]:
    """Yield each current ruling that is not reviewed against the newest edition."""
    for game in library.games.values():
        if not game.header.editions:
            continue
        newest = game.header.editions[-1].id
        for ruling in library.of_game(game.id):
            if ruling.header.reviewed != newest and ruling.header.status == "current":
                reviewed = ruling.header.reviewed or "none"
                message = f"reviewed: {reviewed}; the newest edition is {newest}"
                yield Problem(ruling.path, 1, message)
