"""Checks of dates and authority across records; each is a generator of Problem."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from kb.core.problems import Problem
from kb.records.model import Game, Ruling
from kb.records.validity import chain, latest_day, newest_source_date, sortable_date

Rulings = Mapping[str, Ruling]
# So many rivals of a ruling are named.
_MAX_NAMED = 5


def check_dates(
    games: Mapping[str, Game], rulings: Rulings, settled: Collection[str] = ()
) -> Iterator[Problem]:
    """Yield every problem of dates, authority, editions and open questions.

    `rulings` by `game/id`; `settled` as for all checks.
    """
    for game in games.values():
        yield from check_game_dates(game)
    for key, ruling in rulings.items():
        owner = games.get(ruling.game)
        if owner is None:
            continue
        if key not in settled:
            yield from check_header(ruling, owner)
        if ruling.header.different_from:
            yield from check_differences(ruling, rulings)
        if ruling.header.supersedes or ruling.header.because:
            yield from check_supersession(ruling, rulings)
    yield from check_chains(rulings)


def check_header(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """What a ruling's header says agrees with itself and with the game."""
    yield from check_ruling_dates(ruling, game)
    yield from check_authority(ruling, game)
    yield from check_rule_sets(ruling, game)
    yield from check_open_question(ruling)
    yield from check_translations(ruling)


def check_game_dates(game: Game) -> Iterator[Problem]:
    """Rule sets and editions are listed once; windows end after they begin."""
    path = game.file("game.yaml")
    for name, entries in (("rule-sets", game.header.rule_sets), ("editions", game.header.editions)):
        for one in sorted(
            one for one, many in Counter(entry.id for entry in entries).items() if many > 1
        ):
            yield Problem(path, 1, f"{name}: {one} is listed twice")
    for authority, window in game.header.ruled.items():
        if window.begins and window.ends and sortable_date(window.begins) > latest_day(window.ends):
            yield Problem(
                path,
                1,
                f"ruled: {authority} ends ({window.ends}) before it begins ({window.begins})",
            )
        if authority not in game.header.authorities:
            yield Problem(path, 1, f"ruled: {authority} is not one of the game's authorities")


def check_ruling_dates(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """A ruling takes effect no earlier than its source was published, and ends after it began."""
    head = ruling.header
    source = newest_source_date(ruling, game)
    if head.effective and source and latest_day(head.effective) < sortable_date(source):
        yield Problem(
            ruling.path,
            ruling.line("effective"),
            f"effective: {head.effective} is before its source was published ({source})",
        )
    first = head.effective or head.date
    if head.effective_until and first and latest_day(head.effective_until) <= sortable_date(first):
        line = ruling.line("effective-until")
        yield Problem(
            ruling.path,
            line,
            f"effective-until: {head.effective_until} is not after {first}, when it began",
        )


def check_authority(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """Who rules is one of the game's authorities, and could rule then."""
    head = ruling.header
    if head.authority not in game.header.authorities:
        known = ", ".join(game.header.authorities)
        yield Problem(
            ruling.path,
            ruling.line("authority"),
            f"authority: {head.authority} is not one of the game's ({known})",
        )
    window = game.header.ruled.get(head.authority)
    if (
        window
        and head.date
        and (
            latest_day(head.date) < sortable_date(window.begins)
            or (window.ends and sortable_date(head.date) > latest_day(window.ends))
        )
    ):
        span = f"{window.begins}/{window.ends}"
        yield Problem(
            ruling.path,
            ruling.line("date"),
            f"date: {head.date}, but {head.authority} ruled {span} (game.yaml)",
        )


def check_rule_sets(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """Rule sets and the edition of the last review are the game's."""
    known = [one.id for one in game.header.rule_sets]
    for index, name in enumerate(ruling.header.rules):
        if name not in known:
            listed = ", ".join(known) or "none"
            yield Problem(
                ruling.path,
                ruling.line("rules", index),
                f"rules: {name} is not a rule set of game.yaml ({listed})",
            )
    editions = [one.id for one in game.header.editions]
    if ruling.header.reviewed and ruling.header.reviewed not in editions:
        listed = ", ".join(editions) or "none"
        yield Problem(
            ruling.path,
            ruling.line("reviewed"),
            f"reviewed: {ruling.header.reviewed} is not an edition of game.yaml ({listed})",
        )


def check_open_question(ruling: Ruling) -> Iterator[Problem]:
    """An open question has a kind of its own, and its advice is not official."""
    head = ruling.header
    if (head.asked or head.asked_of) and head.kind != "question":
        yield Problem(
            ruling.path,
            ruling.line("asked" if head.asked else "asked-of"),
            "asked: only a question (kind) is asked",
        )
    if head.status == "unanswered" and head.kind != "question":
        yield Problem(
            ruling.path,
            ruling.line("status"),
            f"status: unanswered is for kind: question, not for {head.kind}",
        )
    if head.status == "unanswered" and head.authority == "official":
        line = ruling.line("authority")
        yield Problem(
            ruling.path,
            line,
            "authority: official, but unanswered; advice in the meantime is the community's",
        )


def check_translations(ruling: Ruling) -> Iterator[Problem]:
    """What translations were made from is noted for translations that are there."""
    for lang in ruling.header.translated_from:
        if lang not in {text.lang for text in ruling.texts[1:]}:
            line = ruling.line("translated-from", lang)
            yield Problem(
                ruling.path, line, f"translated-from: there is no translation into {lang}"
            )


def check_differences(ruling: Ruling, rulings: Rulings) -> Iterator[Problem]:
    """What a ruling is told apart from exists."""
    for index, other in enumerate(ruling.header.different_from):
        if other.id == ruling.id or f"{ruling.game}/{other.id}" not in rulings:
            line = ruling.line("different-from", index)
            yield Problem(
                ruling.path, line, f"different-from: no other ruling {other.id} in {ruling.game}"
            )


def check_supersession(ruling: Ruling, rulings: Rulings) -> Iterator[Problem]:
    """A ruling supersedes earlier ones only."""
    mine = ruling.header.effective or ruling.header.date
    for index, other in enumerate(ruling.header.supersedes):
        old = rulings.get(f"{ruling.game}/{other}")
        theirs = (old.header.effective or old.header.date) if old else None
        if mine and theirs and latest_day(mine) < sortable_date(theirs):
            line = ruling.line("supersedes", index)
            yield Problem(
                ruling.path,
                line,
                f"supersedes: {other} is of {theirs}, later than this ruling ({mine})",
            )
    if (
        ruling.header.because
        and not ruling.header.supersedes
        and ruling.header.status not in ("reversed", "withdrawn")
    ):
        yield Problem(
            ruling.path,
            ruling.line("because"),
            "because: says why a ruling supersedes another or was taken back, and it does neither",
        )


def check_chains(rulings: Rulings) -> Iterator[Problem]:
    """One ruling of a chain is current.

    Reported at each that is one too many, the newest by id last.
    """
    later: dict[str, list[str]] = {}
    earlier: dict[str, list[str]] = {}
    for key, ruling in rulings.items():
        for other in ruling.header.supersedes:
            target = f"{ruling.game}/{other}"
            if target in rulings:
                later.setdefault(target, []).append(key)
                earlier.setdefault(key, []).append(target)
    visited: set[str] = set()
    for start in sorted(later):
        if start in visited:
            continue
        members = chain(start, earlier, later)
        visited.update(members)
        # What is superseded and still says current is a problem of its own.
        current = sorted(key for key in members if rulings[key].header.status == "current")
        for index, key in enumerate(current):
            linked = {*earlier.get(key, ()), *later.get(key, ())}
            others = (
                one
                for one in current[:index]
                if one not in linked and not _may_coexist(rulings[key], rulings[one])
            )
            rivals = list(islice(others, _MAX_NAMED))
            if rivals:
                ruling, names = rulings[key], ", ".join(rulings[one].id for one in rivals)
                yield Problem(
                    ruling.path,
                    ruling.line("status"),
                    f"status: current, and so is {names} of the same chain; one answer stands",
                )


def _may_coexist(ruling: Ruling, other: Ruling) -> bool:
    """Whether both may be current: under different rule sets, or listed as different."""
    own, others = set(ruling.header.rules), set(other.header.rules)
    distinguished = {difference.id for difference in ruling.header.different_from} | {
        difference.id for difference in other.header.different_from
    }
    return bool(own and others and not own & others) or bool(distinguished & {ruling.id, other.id})
