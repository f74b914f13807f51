"""When is a ruling in force, by itself and in a chain?

Days are sortable texts, as 20030601. A ruling of unknown date is in force on every day before its
end; a ruling that ended on an unknown date is in force on no day.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kb.records.model import Game, Ruling

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
EVER, NEVER = "00000000", "99999999"
NO_LONGER = ("superseded", "reversed", "withdrawn")
# How a ruling stands that its dates alone put out of force.
ENDED, UPCOMING = "ended", "upcoming"
OUT_OF_FORCE = (*NO_LONGER, ENDED, UPCOMING)


def valid_date(value: str) -> str:
    """Return a valid date: a year, a month or a day. Raises ValueError for any other text."""
    match = _DATE.fullmatch(value)
    try:
        if not match or not datetime(int(match[1]), int(match[2] or 1), int(match[3] or 1)):
            raise ValueError
    except ValueError:
        raise ValueError(f"{value!r} is not a date; write 2003, 2003-06 or 2003-06-01") from None
    return value


@lru_cache(maxsize=4096)
def sortable_date(date: str | None, missing: str = "01") -> str:
    """Return a date as a sortable text: 2003-06 -> 20030601; empty without a date.

    `missing` is the month or day if the date lacks it.
    """
    if not date:
        return ""
    return "".join((*date.split("-"), missing, missing)[:3])


def latest_day(date: str) -> str:
    """Return the last day of a date, which may be a month or a year."""
    return sortable_date(date, "31")


def today(later: int = 0) -> str:
    """Return the present day (UTC), or one some days later, as a sortable text."""
    return (datetime.now(UTC) + timedelta(days=later)).strftime("%Y%m%d")


@dataclass(frozen=True)
class Validity:
    """The days on which a ruling is in force: from `begins` up to, not including, `ends`.

    `begins` is EVER if the first day is unknown. `since` and `until` are the dates as written
    (2003-06), empty if unknown.
    """

    begins: str = EVER
    ends: str = NEVER
    since: str = ""
    until: str = ""


def standing(status: str, begins: str, ends: str) -> str:
    """Return how a ruling with a status and a validity stands today: its status, as a rule.

    By its dates it may be ENDED or UPCOMING. A superseded one stays current until its successor is
    in force.
    """
    day = today()
    if status == "superseded" and begins <= day < ends:
        return "current"
    if status in NO_LONGER:
        return status
    return UPCOMING if begins > day else ENDED if ends <= day else status


def newest_source_date(ruling: Ruling, game: Game) -> str | None:
    """Return the date of a ruling's newest source."""
    dates = [
        game.sources_by_id[citation.source].published
        for citation in ruling.header.sources
        if citation.source in game.sources_by_id
    ]
    return max((date for date in dates if date), default=None)


def ruling_date(ruling: Ruling, game: Game) -> str:
    """Return the day of a ruling, else of its newest source; empty if both are unknown."""
    return sortable_date(ruling.header.date or newest_source_date(ruling, game))


def validities(games: Mapping[str, Game], rulings: Mapping[str, Ruling]) -> dict[str, Validity]:
    """Return the validity of every ruling, by key. A ruling ends when its successor begins."""
    since = dict.fromkeys(rulings, "")
    for key, ruling in rulings.items():
        if ruling.game in games:
            head, source = ruling.header, newest_source_date(ruling, games[ruling.game])
            since[key] = head.effective or head.date or source or ""
    successions: dict[str, str] = {}
    for key, ruling in rulings.items():
        for other in ruling.header.supersedes:
            old = f"{ruling.game}/{other}"
            earliest = successions.get(old, since[key])
            successions[old] = min(earliest, since[key], key=sortable_date)
    result: dict[str, Validity] = {}
    for key, ruling in rulings.items():
        until = ruling.header.effective_until or successions.get(key, "")
        has_ended = key in successions or ruling.header.status in NO_LONGER
        result[key] = Validity(
            sortable_date(since[key]) or EVER,
            sortable_date(until) or (EVER if has_ended else NEVER),
            since[key],
            until,
        )
    return result


def chain(start: str, neighbours: Callable[[str], Iterable[str]]) -> list[str]:
    """Return all rulings of a chain in breadth-first order from `start`.

    `neighbours`: the rulings that a ruling supersedes or that supersede it.
    """
    members = {start: None}
    waiting = deque(members)
    while waiting:
        for other in neighbours(waiting.popleft()):
            if other not in members:
                members[other] = None
                waiting.append(other)
    return list(members)
