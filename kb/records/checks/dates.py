"""Checks of dates and authority across records; each is a generator of Problem."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from kb.core.problems import Problem
from kb.records.checks.references import Rulings
from kb.records.model import Game, Ruling
from kb.records.validity import chain, latest_day, newest_source_date, sortable_date, today


def check_dates(games: Mapping[str, Game], rulings: Rulings) -> Iterator[Problem]:
    """Yield every problem of dates, authority and open questions; `rulings` by `game/id`."""
    for game in games.values():
        yield from check_game_dates(game)
    for ruling in rulings.values():
        if ruling.game in games:
            yield from check_ruling_dates(ruling, games[ruling.game])
            yield from check_authority(ruling, games[ruling.game])
            yield from check_open_question(ruling)
            yield from check_translations(ruling)
            yield from check_supersession(ruling, rulings)
    yield from check_chains(rulings)


def check_game_dates(game: Game) -> Iterator[Problem]:
    """A window ends after it begins, and belongs to one of the game's authorities."""
    for authority, window in game.header.ruled.items():
        if window.begins and window.ends and sortable_date(window.begins) > latest_day(window.ends):
            message = f"ruled: {authority} ends ({window.ends}) before it begins ({window.begins})"
            yield game.problem("game.yaml", message)
        if authority not in game.header.authorities:
            message = f"ruled: {authority} is not one of the game's authorities"
            yield game.problem("game.yaml", message)


def check_ruling_dates(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """A ruling is not from the future, follows its source, and ends after it began."""
    head = ruling.header
    for key, date in (("date", head.date), ("asked", head.asked)):
        if date and sortable_date(date) > today(1):
            yield ruling.problem(f"{key}: {date} is in the future; write the right day", key)
    source = newest_source_date(ruling, game)
    if head.effective and source and latest_day(head.effective) < sortable_date(source):
        message = f"effective: {head.effective} is before its source was published ({source})"
        yield ruling.problem(message, "effective")
    first, until = head.effective or head.date, head.effective_until
    if until and first and latest_day(until) <= sortable_date(first):
        message = f"effective-until: {until} is not after {first}, when it began"
        yield ruling.problem(message, "effective-until")


def check_authority(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """The authority is one of the game's, and could rule then."""
    head = ruling.header
    if head.authority not in game.header.authorities:
        known = ", ".join(game.header.authorities)
        message = f"authority: {head.authority} is not one of the game's ({known})"
        yield ruling.problem(message, "authority")
    window = game.header.ruled.get(head.authority)
    if window and head.date:
        is_early = latest_day(head.date) < sortable_date(window.begins)
        is_late = window.ends and sortable_date(head.date) > latest_day(window.ends)
        if is_early or is_late:
            span = f"{window.begins}/{window.ends}"
            message = f"date: {head.date}, but {head.authority} ruled {span} (game.yaml)"
            yield ruling.problem(message, "date")


def check_open_question(ruling: Ruling) -> Iterator[Problem]:
    """An open question has a kind of its own, and its advice is not official."""
    head = ruling.header
    if (head.asked or head.asked_of) and head.kind != "question":
        key = "asked" if head.asked else "asked-of"
        yield ruling.problem("asked: only for kind: question", key)
    if head.status == "unanswered" and head.kind != "question":
        message = f"status: unanswered is for kind: question, not for {head.kind}"
        yield ruling.problem(message, "status")
    if head.status == "unanswered" and head.authority == "official":
        message = "authority: official, but unanswered; advice in the meantime is the community's"
        yield ruling.problem(message, "authority")


def check_translations(ruling: Ruling) -> Iterator[Problem]:
    """`translated-from` names only translations that exist."""
    for lang in ruling.header.translated_from:
        if lang not in {text.lang for text in ruling.texts[1:]}:
            message = f"translated-from: there is no translation into {lang}"
            yield ruling.problem(message, "translated-from", lang)


def check_supersession(ruling: Ruling, rulings: Rulings) -> Iterator[Problem]:
    """A ruling supersedes earlier ones only."""
    head = ruling.header
    own = head.effective or head.date
    for index, other in enumerate(head.supersedes):
        old = rulings.get(f"{ruling.game}/{other}")
        date = (old.header.effective or old.header.date) if old else None
        if own and date and latest_day(own) < sortable_date(date):
            message = f"supersedes: {other} is from {date}, later than this ruling ({own})"
            yield ruling.problem(message, "supersedes", index)
    if head.because and not head.supersedes and head.status not in ("reversed", "withdrawn"):
        yield ruling.problem(
            "because: the ruling neither supersedes another nor was taken back",
            "because",
        )


def check_chains(rulings: Rulings) -> Iterator[Problem]:
    """Only one ruling of a chain is current; reported at each later one by id."""
    neighbours: dict[str, set[str]] = defaultdict(set)
    for key, ruling in rulings.items():
        for other in ruling.header.supersedes:
            target = f"{ruling.game}/{other}"
            if target in rulings:
                neighbours[target].add(key)
                neighbours[key].add(target)
    visited: set[str] = set()
    for start in sorted(neighbours):
        if start in visited:
            continue
        members = chain(start, neighbours.__getitem__)
        visited.update(members)
        # A superseded ruling whose status is current is a problem of its own (check_status).
        current = sorted(key for key in members if rulings[key].header.status == "current")
        for index, key in enumerate(current):
            ruling = rulings[key]
            others = (rulings[other] for other in current[:index] if other not in neighbours[key])
            rivals = (other.id for other in others if not _may_coexist(ruling, other))
            names = ", ".join(rivals)
            if names:
                message = f"status: current, and so is {names} of the same chain; only one may be"
                yield ruling.problem(message, "status")


def _may_coexist(ruling: Ruling, other: Ruling) -> bool:
    """Whether both may be current: under different rule sets, or listed as different."""
    own, others = set(ruling.header.rules), set(other.header.rules)
    distinguished = (*ruling.header.different_from, *other.header.different_from)
    ids = {difference.id for difference in distinguished}
    return bool(own and others and not own & others) or bool(ids & {ruling.id, other.id})
