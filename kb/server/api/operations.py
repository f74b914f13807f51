"""The operations of the API, each a function of the current build; its docstring is its summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, make_dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from kb.core import urls
from kb.core.characters import clean_typed
from kb.core.problems import KbError
from kb.core.similar import name_hint, name_hint_or_all
from kb.pipeline.catalogue import complete_words
from kb.pipeline.open_base import OpenBase
from kb.records.changed import dated_changes
from kb.records.fields import VALUE_FIELDS, field_types
from kb.records.history import Change, latest_changes
from kb.serialize import api_answers as answers
from kb.serialize.answers import (
    Card,
    SearchResults,
    change_answer,
    search_results,
)
from kb.serialize.ruling import ruling_to_json
from kb.server.api.operation import (
    MAX_OFFSET,
    PREFIX,
    CardLabel,
    CitationId,
    Date,
    GameId,
    Interface,
    Lang,
    Limit,
    Offset,
    QueryText,
    SearchOffset,
    SinceDate,
    SlugInPath,
    TopicId,
    add_operation,
    known_languages,
)
from kb.server.responses import HttpError
from kb.store import lists
from kb.store.model import in_force_on

router = APIRouter()
operation = partial(add_operation, router)
_LINKS = ("search", "suggest", "rulings", "cards", "topics", "sources", "changes")


@operation("/", answers.Start)
def start(build: OpenBase) -> answers.Start:
    """Games, and links to all operations."""
    languages = build.searcher.languages
    games = build.store.games()
    links = {name: f"{PREFIX}/{name}" for name in _LINKS}
    return answers.Start(
        build=build.store.about()["build"],
        games=[
            answers.Game(game, name, languages[game], urls.game(game))
            for game, name in games.items()
        ],
        links={**links, "description": f"{PREFIX}/openapi.json"},
    )


@operation("/search", SearchResults)
def search(
    build: OpenBase,
    q: QueryText,
    game: GameId = "",
    lang: Lang = "",
    as_of: Date = "",
    limit: Limit = 10,
    offset: SearchOffset = 0,
    interface: Interface = "",
) -> SearchResults:
    """Search, as `kb search` does."""
    answer = build.searcher.search(q, game, lang, limit + offset, as_of, interface)
    codes = known_languages(build)
    if interface and interface not in codes:
        note = f"interface: no rulings in {interface}; choose one of {', '.join(codes)}"
        answer = replace(answer, notes=(*answer.notes, note))
    return search_results(answer, offset)


@operation("/suggest", answers.Suggestions)
def suggest(
    build: OpenBase, q: QueryText, game: GameId = "", lang: Lang = "", limit: Limit = 10
) -> answers.Suggestions:
    """Completions of a query that is being typed."""
    searcher, store = build.searcher, build.store
    games = [game] if game else list(searcher.languages)
    codes = dict.fromkeys(code for name in games for code in searcher.languages[name])
    words = complete_words(searcher, q, [lang] if lang else list(codes), limit)
    cards = build.catalogue.complete_cards(store, q, game, limit)
    keys = build.catalogue.complete_topics(store, q, game, limit)
    topics = lists.topics(store, game) if keys else []
    titles = {(topic["game"], topic["id"]): topic["title"] for topic in topics}
    return answers.Suggestions(
        query=q,
        words=[answers.WordCompletion(code, word) for code, word in words],
        cards=[answers.CardCompletion(*key, _url_of_card(build, *key)) for key in cards],
        topics=[answers.TopicCompletion(*key, titles[key], urls.topic(*key)) for key in keys],
    )


def _url_of_card(build: OpenBase, game: str, name: str) -> str | None:
    """Return the address of a card's page, None for a card without rulings."""
    labels = {name, *(card.label for card in build.catalogue.cards(build.store)[game, name])}
    if not any(build.store.rulings_on(game, labels)):
        return None
    return urls.card(game, build.catalogue.slugs(build.store, game)[name])


_TYPES = field_types()
# A parameter for each filter that compares the one value of a field of the header.
_Values = make_dataclass(
    "_Values",
    [
        (name, _TYPES[field.name] | None, None)
        for name, field in VALUE_FIELDS.items()
        if field.shape == "single"
    ],
)


@operation("/rulings", answers.Rulings)
def rulings(
    build: OpenBase,
    values: Annotated[Any, Depends(_Values)],
    game: GameId = "",
    topic: TopicId = "",
    lang: Lang = "",
    source: CitationId = "",
    card: CardLabel = "",
    limit: Limit = 20,
    offset: Offset = 0,
) -> answers.Rulings:
    """Rulings, by game and id."""
    wanted = {
        "game": game,
        "topic": topic,
        "lang": lang,
        "source": source,
        "card": clean_typed(card),
    }
    total, keys = lists.ruling_keys(build.store, {**wanted, **asdict(values)}, limit, offset)
    if topic and not total:
        _row_with_id(lists.topics(build.store, game), topic, "topic", game)
    if source and not total:
        document = source.partition("#")[0]
        _row_with_id(lists.sources(build.store, game), document, "source", game)
    results = [ruling_to_json(ruling) for ruling in build.store.rulings(keys)]
    return answers.Rulings(total, limit, offset, results)


@operation(
    "/rulings/{game}/{ruling_id}",
    answers.Ruling,
    {308: {"description": "A former id; Location has the current one."}},
)
def ruling(
    build: OpenBase, game: SlugInPath, ruling_id: SlugInPath, as_of: Date = ""
) -> dict[str, Any] | Response:
    """One ruling, as `kb show` prints it; a former id redirects to the current one."""
    store = build.store
    ruling = next(store.rulings(store.keys(ruling_id, game)), None)
    if ruling is None:
        hint = name_hint(ruling_id, store.ruling_ids(game))
        raise HttpError(404, f"There is no ruling {ruling_id} in {game}{hint or '.'}")
    if ruling.id != ruling_id:
        location = f"{PREFIX}/rulings/{ruling.key}" + (f"?as_of={as_of}" if as_of else "")
        return RedirectResponse(location, HTTPStatus.PERMANENT_REDIRECT)
    if as_of:
        try:
            ruling = in_force_on(store, ruling, as_of)
        except KbError as error:
            raise HttpError(404, str(error)) from error
    return ruling_to_json(ruling)


@operation("/cards", answers.Cards)
def cards(
    build: OpenBase, q: QueryText = "", game: GameId = "", limit: Limit = 20, offset: Offset = 0
) -> answers.Cards:
    """Cards by name; with `q`, the cards that it may mean, as `kb card` prints them."""
    if q.strip():
        _, keys = build.cards_named(q, game)
    else:
        all_cards = build.catalogue.cards(build.store)
        keys = sorted(key for key in all_cards if not game or key[0] == game)
    page = [build.card(*key) for key in keys[offset : offset + limit]]
    return answers.Cards(len(keys), limit, offset, page)


@operation("/cards/{game}/{slug}", Card)
def card(build: OpenBase, game: SlugInPath, slug: SlugInPath) -> Card:
    """The cards of one name, by the last part of their page's address."""
    names = build.catalogue.names(build.store, game)
    if slug not in names:
        hint = name_hint(slug, names)
        raise HttpError(404, f"There is no card {slug} in {game}{hint or '.'}")
    return build.card(game, names[slug])


@operation("/topics", answers.Topics)
def topics(build: OpenBase, game: GameId = "") -> answers.Topics:
    """Topics, with the number of their rulings."""
    rows = lists.topics(build.store, game)
    results = [answers.Topic(**row, url=urls.topic(row["game"], row["id"])) for row in rows]
    return answers.Topics(len(results), results)


@operation("/topics/{game}/{topic}", answers.TopicRulings)
def topic(build: OpenBase, game: SlugInPath, topic: SlugInPath) -> answers.TopicRulings:
    """One topic with its rulings."""
    row = _row_with_id(lists.topics(build.store, game), topic, "topic", game)
    wanted = {"game": game, "topic": topic}
    _, keys = lists.ruling_keys(build.store, wanted, MAX_OFFSET, 0)
    return answers.TopicRulings(game, topic, row["title"], keys)


@operation("/sources", answers.Sources)
def sources(build: OpenBase, game: GameId = "") -> answers.Sources:
    """Documents and rulebooks, with their provisions."""
    rows: list[Any] = lists.sources(build.store, game)
    return answers.Sources(len(rows), rows)


@operation("/sources/{game}/{source}", answers.Source)
def source(build: OpenBase, game: SlugInPath, source: SlugInPath) -> dict[str, Any]:
    """One document with its provisions."""
    return _row_with_id(lists.sources(build.store, game), source, "source", game)


def _row_with_id(rows: list[dict[str, Any]], row_id: str, noun: str, game: str) -> dict[str, Any]:
    """Return the row of an id; `game`: empty for all. Raises HttpError 404 for an unknown id."""
    for row in rows:
        if row["id"] == row_id:
            return row
    hint = name_hint_or_all(row_id, (row["id"] for row in rows))
    place = f" in {game}" if game else ""
    raise HttpError(404, f"There is no {noun} {row_id}{place}{hint}")


async def _history(request: Request) -> Callable[[], list[Change] | None]:
    read: Callable[[], list[Change] | None] = request.app.state.pool.builds.history
    return read


@operation("/changes", answers.Changes)
def changes(
    build: OpenBase,
    read_history: Annotated[Any, Depends(_history)],
    since: SinceDate = "",
    limit: Limit = 50,
    offset: Offset = 0,
) -> answers.Changes:
    """Changed rulings, newest first, as `kb changes` prints them."""
    history = build.catalogue.cached("history", read_history)
    if history is None:
        # Without a history, the dates of the rulings.
        changes = dated_changes(lists.ruling_dates(build.store), since)
    else:
        changes = latest_changes(history, since)
    page = changes[offset : offset + limit]
    rulings = {ruling.key: ruling for ruling in build.store.rulings(change.key for change in page)}
    rows = ((change, rulings.get(change.key)) for change in page)
    results = [
        change_answer(change, ruling, ruling.status if ruling else None) for change, ruling in rows
    ]
    return answers.Changes(len(changes), limit, offset, results)
