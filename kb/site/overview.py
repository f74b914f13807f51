"""The pages that belong to no game: front page, lists over all games, search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import SimpleNamespace

from kb.core import urls
from kb.language.registry import own_languages
from kb.records.changed import ruling_dates
from kb.records.history import RevisionDiff
from kb.records.library import Library
from kb.records.model import Game
from kb.site.collect import PageCollector, listed_ruling
from kb.site.pages import Page

# On the front page: changes, and topics of each game.
_LAST_CHANGES, _HOME_TOPICS = 5, 4
# Changes on the page of changes.
_CHANGES = 200
# Preferred and maximum length of a question as an example query, in characters.
_EXAMPLE, _LONGEST_EXAMPLE = 35, 60
# The pages that name the browser's index and the scripts of games by their hashes.
NAMING_PAGES = (urls.SEARCH, urls.DECK, urls.GO)
Past = Mapping[str, tuple[RevisionDiff, ...]]


def overview_pages(
    library: Library, collectors: Sequence[PageCollector], past: Past, stamp: Mapping[str, str]
) -> Iterator[Page]:
    """Every page that belongs to no game, except NAMING_PAGES. `stamp`: the build's id and date."""

    def of_games(what: Callable[[PageCollector], object]) -> Callable[[], SimpleNamespace]:
        return lambda: SimpleNamespace(games=[(each.link, what(each)) for each in collectors])

    home = partial(_home, library, collectors, past, stamp)
    changes = partial(_changes_page, library, collectors, past)
    yield Page(urls.HOME, "home.html", home)
    yield Page(urls.GLOSSARY, "glossaries.html", of_games(lambda each: len(each.game.terms)))
    yield Page(urls.ERRATA, "errata.html", of_games(PageCollector.errata))
    yield Page(urls.CHANGES, "changes.html", changes)
    yield Page(urls.TRANSLATIONS, "translations.html", partial(_translations, library, collectors))
    yield Page(urls.OFFLINE, "offline.html", SimpleNamespace)
    yield Page(urls.NOT_FOUND, "404.html", SimpleNamespace)


def _home(
    library: Library, collectors: Sequence[PageCollector], past: Past, stamp: Mapping[str, str]
) -> SimpleNamespace:
    """The front page: games, and the last changes, with their dates, for a language.

    Each game has its numbers of rulings and cards, and its first topics.
    """
    days = _days(library, past, _CHANGES) if past else {}
    changes = [(day, row) for day, rows in days.items() for row in rows.values()]
    games = []
    for collector in collectors:
        topics, groups = collector.topics(), collector.groups
        games.append(
            SimpleNamespace(
                game=collector.link,
                rulings=len(groups.rulings),
                cards=len(groups.by_card),
                topic_count=len(topics),
                topics=[link for link, count in topics if count][:_HOME_TOPICS],
            )
        )
    return SimpleNamespace(
        games=games,
        changes=partial(_last_changes, changes),
        build_date=stamp["date"],
    )


def _last_changes(
    changes: Sequence[tuple[str, SimpleNamespace]], lang: str
) -> Sequence[tuple[str, SimpleNamespace]]:
    """The last changes of rulings that readers of a language read; if there are none, of all."""
    own = {*own_languages(lang)}
    readable = [(day, row) for day, row in changes if own.intersection(dict(row.link.titles))]
    return (readable or changes)[:_LAST_CHANGES]


def example_queries(game: Game, library: Library) -> Mapping[str, tuple[str, ...]]:
    """The queries that a game's curator chose; else one short question in each language."""
    if game.header.examples:
        return game.header.examples
    examples: dict[str, tuple[str, ...]] = {}
    for lang in game.header.languages:
        questions = [
            question
            for ruling in library.of_game(game.id)
            for question in ruling.asked_as.get(lang, ())
            if len(question) <= _LONGEST_EXAMPLE
        ]
        if questions:
            best = min(questions, key=lambda text: (abs(len(text) - _EXAMPLE), text))
            examples[lang] = (best,)
    return examples


def _changes(library: Library, past: Past) -> list[tuple[RevisionDiff, str]]:
    """Changes with the keys of their rulings, newest first.

    Without a history these are the rulings by their dates, else by when they came into force.
    """
    changes = [
        (change, key)
        for key, several in past.items()
        if key in library.rulings
        for change in several
    ] or [
        (RevisionDiff(date or since, "dated"), key)
        for key, date, since in ruling_dates(library)
        if date or since
    ]
    changes.sort(key=lambda pair: pair[1])
    return sorted(changes, key=lambda pair: pair[0].moment, reverse=True)


def _days(library: Library, past: Past, limit: int) -> dict[str, dict[str, SimpleNamespace]]:
    """The last changes by day and by key: the ruling's link, and what happened to it."""
    days: dict[str, dict[str, SimpleNamespace]] = {}
    for change, key in _changes(library, past)[:limit]:
        rows = days.setdefault(change.moment[:10], {})
        if key not in rows or change.what == "created":
            link = listed_ruling(library.rulings[key], library)
            rows[key] = SimpleNamespace(link=link, what=change.what_changed)
    return days


def _changes_page(
    library: Library, collectors: Sequence[PageCollector], past: Past
) -> SimpleNamespace:
    """The last changes by day and game; without a history, the rulings by their own dates."""
    games = [collector.link for collector in collectors]
    days = []
    for day, rows in _days(library, past, _CHANGES).items():
        by_game = ((game, [key for key in rows if key.startswith(f"{game.id}/")]) for game in games)
        days.append((day, [(game, [rows[key] for key in keys]) for game, keys in by_game]))
    translations = _translations(library, collectors).games
    needed = any(stale or missing for _, stale, missing in translations)
    return SimpleNamespace(games=games, days=days, needs_translations=needed)


def _translations(library: Library, collectors: Sequence[PageCollector]) -> SimpleNamespace:
    """Stale and missing translations of every game, each a ruling and the language."""
    games = []
    for collector in collectors:
        rulings = library.of_game(collector.game.id)
        stale = [
            (listed_ruling(ruling, library), lang) for ruling in rulings for lang in ruling.stale()
        ]
        missing = [
            (listed_ruling(ruling, library), lang)
            for ruling in rulings
            for lang in collector.game.header.languages
            if ruling.text(lang) is None
        ]
        games.append((collector.link, stale, missing))
    return SimpleNamespace(games=games)
