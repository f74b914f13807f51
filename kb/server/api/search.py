"""The API's entry point, search, and suggestions."""

from __future__ import annotations

from dataclasses import replace

from fastapi import FastAPI, Request
from starlette.responses import Response

from kb.assistants.tools import OpenBase
from kb.core import urls
from kb.search.catalogue import complete_words
from kb.search.unanswered import UNANSWERED, UnansweredLog
from kb.serialize.answers import SearchResults, search_results
from kb.serialize.api_answers import (
    CardCompletion,
    Game,
    Start,
    Suggestions,
    TopicCompletion,
    WordCompletion,
)
from kb.server.api.cards import url_of_card
from kb.server.api.parameters import (
    MAX_SEARCH_OFFSET,
    PREFIX,
    Date,
    GameId,
    Interface,
    Lang,
    Limit,
    QueryText,
    SearchOffset,
    check_known,
    page_headers,
    read_build,
    responses,
)
from kb.server.pool import SearchPool
from kb.server.responses import (
    REVALIDATE,
    file_response,
    json_file,
    json_response,
)
from kb.store import lists

_LINKS = ("search", "suggest", "rulings", "cards", "topics", "sources", "changes")


def add_operations(api: FastAPI, pool: SearchPool, unanswered: UnansweredLog | None = None) -> None:
    """Add the operations to the application; `unanswered` gets queries without an answer."""

    @api.get(
        "/",
        summary="Games, and links to all operations",
        responses=responses(Start),
    )
    def start(request: Request) -> Response:
        return json_response(request, pool.run(_start))

    @api.get("/search", summary="Search, as `kb search` does", responses=responses(SearchResults))
    def search(
        request: Request,
        q: QueryText,
        game: GameId = "",
        lang: Lang = "",
        as_of: Date = "",
        limit: Limit = 10,
        offset: SearchOffset = 0,
        interface: Interface = "",
    ) -> Response:
        def work(build: OpenBase) -> SearchResults:
            check_known(build, game, lang)
            answer = build.searcher.search(
                q, game or None, lang or None, limit + offset, as_of, interface
            )
            codes = sorted({code for codes in build.searcher.languages.values() for code in codes})
            if interface and interface not in codes:
                note = f"interface: no rulings in {interface}; choose one of {', '.join(codes)}"
                answer = replace(answer, notes=(*answer.notes, note))
            return search_results(answer, offset)

        results = pool.run(work)
        if unanswered and not offset and results.match in UNANSWERED:
            unanswered.record(q, results.match)
        headers = page_headers(request, results.total, limit, offset, MAX_SEARCH_OFFSET)
        file = json_file(results, etag_of=replace(results, took_ms=0))
        return file_response(request, file, REVALIDATE, headers, weak=True)

    @api.get(
        "/suggest",
        summary="Completions of a query that is being typed",
        responses=responses(Suggestions),
    )
    def suggest(
        request: Request, q: QueryText, game: GameId = "", lang: Lang = "", limit: Limit = 10
    ) -> Response:
        def work(build: OpenBase) -> Suggestions:
            return _suggestions(build, q, game, lang, limit)

        return json_response(request, read_build(pool, work, game, lang))


def _start(build: OpenBase) -> Start:
    languages = build.searcher.languages
    games = build.store.games()
    links = {name: f"{PREFIX}/{name}" for name in (*_LINKS, "docs")}
    return Start(
        build=build.store.about()["build"],
        games=[Game(game, name, languages[game], urls.game(game)) for game, name in games.items()],
        links={**links, "description": f"{PREFIX}/openapi.json"},
    )


def _suggestions(build: OpenBase, typed: str, game: str, lang: str, limit: int) -> Suggestions:
    searcher, store = build.searcher, build.store
    games = [game] if game else list(searcher.languages)
    codes = dict.fromkeys(code for name in games for code in searcher.languages[name])
    words = complete_words(searcher, typed, [lang] if lang else list(codes), limit)
    cards = build.catalogue.complete_cards(store, typed, game, limit)
    keys = build.catalogue.complete_topics(store, typed, game, limit)
    topics = lists.topics(store, game) if keys else []
    titles = {(topic["game"], topic["id"]): topic["title"] for topic in topics}
    return Suggestions(
        query=typed,
        words=[WordCompletion(code, word) for code, word in words],
        cards=[CardCompletion(*key, url_of_card(build, *key)) for key in cards],
        topics=[TopicCompletion(*key, titles[key], urls.topic(*key)) for key in keys],
    )
