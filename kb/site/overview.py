"""The pages that are no game's own: front page, lists over all games, search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from kb.core import urls
from kb.records.history import RevisionDiff
from kb.records.library import Library
from kb.records.model import Game
from kb.site.collect import PageCollector, game_link, ruling_link
from kb.site.pages import (
    ChangesPage,
    ErrataPage,
    GlossariesPage,
    HomePage,
    Page,
    PlainPage,
    RulingLink,
    SearchedGame,
    TranslationsPage,
)


def overview_pages(
    library: Library,
    collectors: Sequence[PageCollector],
    past: Mapping[str, tuple[RevisionDiff, ...]],
    build: tuple[str, str],
) -> Iterator[Page]:
    """Every page that is no game's own; `build` is the id and the date of the build."""
    fronts = [collector.front() for collector in collectors]
    home = HomePage(tuple((one.game, one.rulings, one.cards) for one in fronts), *build)
    glossaries = GlossariesPage(tuple((one.link, len(one.game.terms)) for one in collectors))
    errata = ErrataPage(tuple((one.link, one.errata()) for one in collectors))
    yield Page(urls.HOME, "home.html", home)
    yield Page(urls.GLOSSARY, "glossaries.html", glossaries)
    yield Page(urls.ERRATA, "errata.html", errata)
    yield Page(urls.CHANGES, "changes.html", changes_page(library, past))
    yield Page(urls.TRANSLATIONS, "translations.html", translations_page(library))
    yield Page(urls.SEARCH, "search.html", PlainPage())
    yield Page(urls.OFFLINE, "offline.html", PlainPage())
    yield Page(urls.NOT_FOUND, "404.html", PlainPage())


def searched_games(library: Library) -> tuple[SearchedGame, ...]:
    """What the search page and the event pack name of the games."""

    def searched(game: Game) -> SearchedGame:
        return SearchedGame(
            game_link(game), {topic.id: topic.title for topic in game.header.topics}
        )

    return tuple(map(searched, library.games.values()))


def changes_page(
    library: Library, past: Mapping[str, tuple[RevisionDiff, ...]], limit: int = 200
) -> ChangesPage:
    """The last changes by day; of records without a history, the rulings by their own dates."""
    changes = [
        (change.moment, key, change.what)
        for key, several in past.items()
        for change in several
        if key in library.rulings
    ] or [
        (ruling.header.date, key, "dated")
        for key, ruling in library.rulings.items()
        if ruling.header.date
    ]
    by_day: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for change in changes:
        by_day[change[0][:10]].append(change)
    newest = (
        change
        for day in sorted(by_day, reverse=True)
        for change in sorted(by_day[day], key=lambda change: change[1])
    )
    days: dict[str, dict[str, tuple[RulingLink, str]]] = {}
    for moment, key, what in islice(newest, limit):
        rows = days.setdefault(moment[:10], {})
        if key not in rows or what == "created":
            rows[key] = (ruling_link(library.rulings[key]), what)
    return ChangesPage(tuple((date, tuple(rows.values())) for date, rows in days.items()))


def translations_page(library: Library) -> TranslationsPage:
    """Stale and missing translations of every game."""
    games = []
    for game in library.games.values():
        rulings = library.of_game(game.id)
        stale = tuple((ruling_link(one), lang) for one in rulings for lang in one.stale())
        missing = tuple(
            (ruling_link(one), lang)
            for one in rulings
            for lang in game.header.languages
            if one.text(lang) is None
        )
        games.append((game_link(game), stale, missing))
    return TranslationsPage(tuple(games))
