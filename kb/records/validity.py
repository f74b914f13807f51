"""When a ruling is valid: from its first day up to its last, alone and in a chain.

Days are words that sort, as 20030601. A ruling without any date stands from ever on; one that no
longer stands, and of which nobody knows since when, is found on no day.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.records.model import Game, Ruling

EVER, NEVER = "00000000", "99999999"
NO_LONGER = ("superseded", "reversed", "withdrawn")


@lru_cache(maxsize=4096)
def sortable_date(date: str | None, missing: str = "01") -> str:
    """Return a date as a sortable text: 2003-06 -> 20030601; empty for none.

    `missing` stands for a month or day that is not given.
    """
    if not date:
        return ""
    return "".join((*date.split("-"), missing, missing)[:3])


def latest_day(date: str) -> str:
    """The day that a question about a date means: of a month or a year its last."""
    return sortable_date(date, "31")


@dataclass(frozen=True, slots=True)
class Validity:
    """The days on which a ruling stands: from `begins` on, up to but not with `ends`."""

    begins: str = EVER
    ends: str = NEVER

    def holds(self, wanted: str) -> bool:
        """Whether the ruling stands on a day."""
        return self.begins <= wanted < self.ends


def ruling_date(ruling: Ruling, game: Game) -> str:
    """The day of a ruling, else of its newest source; empty when neither has one."""
    return sortable_date(ruling.header.date or newest_source_date(ruling, game))


def newest_source_date(ruling: Ruling, game: Game) -> str | None:
    """The date of a ruling's newest source."""
    dates = [
        game.sources_by_id[one.source].published
        for one in ruling.header.sources
        if one.source in game.sources_by_id
    ]
    return max((date for date in dates if date), default=None)


def first_day(ruling: Ruling, game: Game) -> str:
    """The first day of a ruling, empty when nobody knows."""
    return sortable_date(ruling.header.effective) or ruling_date(ruling, game)


def validities(games: Mapping[str, Game], rulings: Mapping[str, Ruling]) -> dict[str, Validity]:
    """Return the validity of every ruling, by key.

    A successor's first day is the end of what it supersedes.
    """
    made: dict[str, Validity] = {}
    ended: dict[str, str] = {}
    began = {
        key: first_day(one, games[one.game]) if one.game in games else ""
        for key, one in rulings.items()
    }
    for at, ruling in rulings.items():
        first = began[at]
        for other in ruling.header.supersedes:
            key = f"{ruling.game}/{other}"
            ended[key] = min(ended.get(key, NEVER), first or EVER)
    for key, ruling in rulings.items():
        first = began[key]
        last = sortable_date(ruling.header.effective_until) or ended.get(key, "")
        if not last:
            last = EVER if ruling.header.status in NO_LONGER else NEVER
        made[key] = Validity(first or EVER, last)
    return made


def chain(
    start: str, earlier: Mapping[str, Iterable[str]], later: Mapping[str, Iterable[str]]
) -> list[str]:
    """Return every ruling of a chain, the given one first, then in breadth-first order."""
    found = {start: None}
    waiting = deque(found)
    while waiting:
        here = waiting.popleft()
        for other in (*later.get(here, ()), *earlier.get(here, ())):
            if other not in found:
                found[other] = None
                waiting.append(other)
    return list(found)
