"""The pages that are no game's own: front page, lists over all games, search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from kb.core import urls
from kb.records.fields import AUTHORITIES
from kb.records.history import RevisionDiff
from kb.records.library import Library
from kb.records.model import Game
from kb.site.collect import PageCollector, game_link, ruling_link
from kb.site.pages import (
    ChangedRuling,
    ChangesPage,
    DeckPage,
    ErrataPage,
    GamePage,
    GlossariesPage,
    HomeGame,
    HomePage,
    PageSource,
    PlainPage,
    ProposePage,
    SearchedGame,
    SearchPage,
    TranslationsPage,
)

# On the front page: changes, and topics of each game.
_LAST_CHANGES, _HOME_TOPICS = 5, 4
# Characters of a question that is an example query: usually, at most.
_EXAMPLE, _LONGEST_EXAMPLE = 35, 60


def overview_pages(
    library: Library,
    collectors: Sequence[PageCollector],
    past: Mapping[str, tuple[RevisionDiff, ...]],
    build: tuple[str, str],
) -> Iterator[PageSource]:
    """Every page that is no game's own, but those that name scripts; see `naming_pages`.

    `build` is the id and the date of the build.
    """

    def home() -> HomePage:
        return home_page(library, [collector.front() for collector in collectors], past, build)

    glossaries = GlossariesPage(tuple((one.link, len(one.game.terms)) for one in collectors))
    changes, translations = (
        partial(changes_page, library, past),
        partial(translations_page, library),
    )
    yield PageSource(urls.HOME, "home.html", home)
    yield PageSource(urls.GLOSSARY, "glossaries.html", lambda: glossaries)
    yield PageSource(urls.ERRATA, "errata.html", partial(_errata_page, collectors))
    yield PageSource(urls.CHANGES, "changes.html", changes)
    yield PageSource(urls.TRANSLATIONS, "translations.html", translations)
    propose = partial(ProposePage, searched_games(library))
    yield PageSource(urls.PROPOSE, "propose.html", propose)
    yield PageSource(urls.OFFLINE, "offline.html", PlainPage)
    yield PageSource(urls.NOT_FOUND, "404.html", PlainPage)


# The pages that name the browser's index and the scripts of games by what is in them.
NAMING_PAGES = (urls.SEARCH, urls.DECK, urls.GO)


def naming_pages(search: SearchPage, deck: DeckPage) -> Iterator[PageSource]:
    """Return these pages."""
    yield PageSource(urls.SEARCH, "search.html", lambda: search)
    yield PageSource(urls.DECK, "deck.html", lambda: deck)
    yield PageSource(urls.GO, "go.html", lambda: deck)


def _errata_page(collectors: Sequence[PageCollector]) -> ErrataPage:
    """The errata of all games."""
    return ErrataPage(tuple((one.link, one.errata()) for one in collectors))


def home_page(
    library: Library,
    fronts: Sequence[GamePage],
    past: Mapping[str, tuple[RevisionDiff, ...]],
    build: tuple[str, str],
) -> HomePage:
    """The front page."""
    changes = _changes(library, past)
    newest = {
        key.partition("/")[0]: (ruling_link(library.rulings[key]), change.moment[:10])
        for change, key in reversed(changes)
    }
    authorities = Counter(ruling.header.authority for ruling in library.rulings.values())
    days = changes_page(library, past, _LAST_CHANGES).days if past else ()
    return HomePage(
        games=tuple(
            HomeGame(
                game=front.game,
                rulings=front.rulings,
                cards=front.cards,
                sources=len(front.sources),
                topic_count=len(front.topics),
                topics=tuple(link for link, count in front.topics if count)[:_HOME_TOPICS],
                newest=newest.get(front.game.id),
            )
            for front in fronts
        ),
        changes=tuple((date, row) for date, rows in days for row in rows),
        authorities=tuple((name, authorities[name]) for name in AUTHORITIES if authorities[name]),
        build_id=build[0],
        build_date=build[1],
    )


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


def _changes(
    library: Library, past: Mapping[str, tuple[RevisionDiff, ...]]
) -> list[tuple[RevisionDiff, str]]:
    """Changes with the keys of their rulings, newest first; without a history, rulings by date."""
    changes = [
        (change, key)
        for key, several in past.items()
        if key in library.rulings
        for change in several
    ] or [
        (RevisionDiff(ruling.header.date, "dated"), key)
        for key, ruling in library.rulings.items()
        if ruling.header.date
    ]
    changes.sort(key=lambda pair: pair[1])
    return sorted(changes, key=lambda pair: pair[0].moment, reverse=True)


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
    """The last changes by day and game; without a history, the rulings by their own dates."""
    days: dict[str, dict[str, ChangedRuling]] = {}
    for change, key in _changes(library, past)[:limit]:
        rows = days.setdefault(change.moment[:10], {})
        if key not in rows or change.what == "created":
            what = change.parts if change.what == "changed" else ()
            rows[key] = ChangedRuling(ruling_link(library.rulings[key]), what or (change.what,))
    return ChangesPage(
        tuple(map(game_link, library.games.values())),
        tuple((date, tuple(rows.values())) for date, rows in days.items()),
    )


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
