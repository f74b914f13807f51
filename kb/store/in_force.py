"""Which ruling of a chain was in force on a day?"""

from __future__ import annotations

from collections import deque

from kb.core.problems import KbError
from kb.records.validity import latest_day
from kb.store.model import Reader, StoredRuling


def in_force_on(store: Reader, ruling: StoredRuling, day: str) -> StoredRuling:
    """Return the ruling of a chain that was in force on a day, the newest if there were several.

    `day`: a date, or the last day of a month or year. Raises KbError when none was in force.
    """
    rulings = _chain(store, ruling)
    in_force = [member for member in rulings if member.stood(latest_day(day))]
    if not in_force:
        dates = ", ".join(
            f"{member.id} ({member.effective or member.date or 'no date'})" for member in rulings
        )
        raise KbError(f"no ruling of this chain is known to have been in force on {day}: {dates}")
    return max(in_force, key=lambda member: (member.begins, member.id == ruling.id))


def _chain(store: Reader, ruling: StoredRuling) -> list[StoredRuling]:
    """Return what the ruling supersedes and what supersedes it, to both ends; itself first."""
    chain = {ruling.id: ruling}
    waiting = deque([ruling])
    while waiting:
        member = waiting.popleft()
        for other in (*member.superseded_by, *member.supersedes):
            neighbour = None if other in chain else store.ruling(f"{ruling.game}/{other}")
            if neighbour:
                chain[other] = neighbour
                waiting.append(neighbour)
    return list(chain.values())
