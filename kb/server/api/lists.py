"""Topics, sources and changes, as `kb changes --format json` has them."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from kb.core import urls
from kb.core.similar import SimilarIds
from kb.records.changed import changed_ruling
from kb.records.history import Change, LatestChange, latest_changes
from kb.records.validity import sortable_date
from kb.serialize.answers import change_answer
from kb.serialize.api_answers import Changes, Source, Sources, Topic, TopicRulings, Topics
from kb.server.api.parameters import (
    MAX_OFFSET,
    GameId,
    Limit,
    Offset,
    SinceDate,
    SlugInPath,
    check_known,
    checked_date,
    page_response,
    responses,
)
from kb.server.pool import OpenBuild, SearchPool
from kb.server.responses import HttpError, json_response
from kb.store import lists
from kb.store.queries import Store


def add_operations(api: FastAPI, pool: SearchPool) -> None:
    """Add the operations to the application."""
    _add_topics(api, pool)
    _add_sources(api, pool)

    @api.get(
        "/changes",
        summary="Changed rulings, newest first, as `kb changes` prints them",
        responses=responses(Changes),
    )
    def changes(
        request: Request, since: SinceDate = "", limit: Limit = 50, offset: Offset = 0
    ) -> Response:
        date = checked_date(since, "since")
        return page_response(request, page_of_changes(pool, date, limit, offset))


def _add_topics(api: FastAPI, pool: SearchPool) -> None:
    @api.get(
        "/topics",
        summary="Topics, with the number of their rulings",
        responses=responses(Topics),
    )
    def topics(request: Request, game: GameId = "") -> Response:
        def work(build: OpenBuild) -> Topics:
            check_known(build, game)
            topics = [
                Topic(**topic, url=urls.topic(topic["game"], topic["id"]))
                for topic in lists.topics(build.searcher.store, game)
            ]
            return Topics(len(topics), topics)

        return page_response(request, pool.run(work))

    @api.get(
        "/topics/{game}/{topic}",
        summary="One topic with its rulings",
        responses=responses(TopicRulings),
    )
    def topic(request: Request, game: SlugInPath, topic: SlugInPath) -> Response:
        def work(build: OpenBuild) -> TopicRulings:
            check_known(build, game)
            store = build.searcher.store
            shape = _with_id(lists.topics(store, game), topic, "topic", game)
            _, keys = lists.ruling_keys(
                store, lists.RulingFilter(game=game, topic=topic), MAX_OFFSET, 0
            )
            return TopicRulings(game, topic, shape["title"], keys)

        return json_response(request, pool.run(work))


def _add_sources(api: FastAPI, pool: SearchPool) -> None:
    @api.get(
        "/sources",
        summary="Documents and rulebooks, with their provisions",
        responses=responses(Sources),
    )
    def sources(request: Request, game: GameId = "") -> Response:
        def work(build: OpenBuild) -> Sources:
            check_known(build, game)
            # Plain data, which leaves out what is not known of a document.
            sources: list[Any] = lists.sources(build.searcher.store, game)
            return Sources(len(sources), sources)

        return page_response(request, pool.run(work))

    @api.get(
        "/sources/{game}/{source}",
        summary="One document with its provisions",
        responses=responses(Source),
    )
    def source(request: Request, game: SlugInPath, source: SlugInPath) -> Response:
        def work(build: OpenBuild) -> dict[str, Any]:
            check_known(build, game)
            shapes = lists.sources(build.searcher.store, game)
            return _with_id(shapes, source, "source", game)

        return json_response(request, pool.run(work))


def _with_id(shapes: list[dict[str, Any]], wanted: str, noun: str, game: str) -> dict[str, Any]:
    for shape in shapes:
        if shape["id"] == wanted:
            return shape
    hint = SimilarIds(shape["id"] for shape in shapes).did_you_mean(wanted)
    raise HttpError(404, f"There is no {noun} {wanted} in {game}.{hint}")


def page_of_changes(pool: SearchPool, since: str, limit: int, offset: int) -> Changes:
    """Return a page of the rulings that changed since a date, each with its latest change.

    By the records' history; where no history is known, by the dates of the rulings.
    """

    def work(build: OpenBuild) -> Changes:
        store = build.searcher.store
        history = build.catalogue.cached("history", pool.builds.history)
        found = _by_dates(store, since) if history is None else latest_changes(history, since)
        page = found[offset : offset + limit]
        keys = [latest.change.key for latest in page]
        rulings = {ruling.key: ruling for ruling in store.rulings(keys)}
        results = []
        for latest in page:
            ruling = rulings.get(latest.change.key)
            status = ruling.status if ruling else None
            results.append(change_answer(changed_ruling(latest, ruling, status)))
        return Changes(len(found), limit, offset, results)

    return pool.run(work)


def _by_dates(store: Store, since: str) -> list[LatestChange]:
    return [
        LatestChange(Change("", moment, key, "", "dated"), False)
        for key, moment in lists.dated_rulings(store)
        if not since or sortable_date(moment, "31") >= sortable_date(since)
    ]
