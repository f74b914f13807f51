"""Topics, sources and changes, as `kb changes --format json` has them."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from kb.assistants.tools import OpenBase
from kb.core import urls
from kb.core.similar import SimilarIds
from kb.records.changed import dated_changes
from kb.records.history import latest_changes
from kb.serialize.answers import change_answer
from kb.serialize.api_answers import Changes, Source, Sources, Topic, TopicRulings, Topics
from kb.server.api.parameters import (
    MAX_OFFSET,
    GameId,
    Limit,
    Offset,
    SinceDate,
    SlugInPath,
    page_response,
    read_build,
    responses,
)
from kb.server.pool import SearchPool
from kb.server.responses import HttpError, json_response
from kb.store import lists


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
        return page_response(request, page_of_changes(pool, since, limit, offset))


def _add_topics(api: FastAPI, pool: SearchPool) -> None:
    @api.get(
        "/topics",
        summary="Topics, with the number of their rulings",
        responses=responses(Topics),
    )
    def topics(request: Request, game: GameId = "") -> Response:
        rows = read_build(pool, lambda build: lists.topics(build.store, game), game)
        topics = [Topic(**row, url=urls.topic(row["game"], row["id"])) for row in rows]
        return page_response(request, Topics(len(topics), topics))

    @api.get(
        "/topics/{game}/{topic}",
        summary="One topic with its rulings",
        responses=responses(TopicRulings),
    )
    def topic(request: Request, game: SlugInPath, topic: SlugInPath) -> Response:
        def work(build: OpenBase) -> TopicRulings:
            row = row_with_id(lists.topics(build.store, game), topic, "topic", game)
            wanted = lists.RulingFilter(game=game, topic=topic)
            _, keys = lists.ruling_keys(build.store, wanted, MAX_OFFSET, 0)
            return TopicRulings(game, topic, row["title"], keys)

        return json_response(request, read_build(pool, work, game))


def _add_sources(api: FastAPI, pool: SearchPool) -> None:
    def rows(game: str) -> list[Any]:
        """Return sources as plain data, without what is unknown of a document."""
        return read_build(pool, lambda build: lists.sources(build.store, game), game)

    @api.get(
        "/sources",
        summary="Documents and rulebooks, with their provisions",
        responses=responses(Sources),
    )
    def sources(request: Request, game: GameId = "") -> Response:
        sources = rows(game)
        return page_response(request, Sources(len(sources), sources))

    @api.get(
        "/sources/{game}/{source}",
        summary="One document with its provisions",
        responses=responses(Source),
    )
    def source(request: Request, game: SlugInPath, source: SlugInPath) -> Response:
        return json_response(request, row_with_id(rows(game), source, "source", game))


def row_with_id(rows: list[dict[str, Any]], row_id: str, noun: str, game: str) -> dict[str, Any]:
    """Return the row of an id; `game`: empty for all. Raises HttpError 404 for an unknown id."""
    for row in rows:
        if row["id"] == row_id:
            return row
    hint = SimilarIds(row["id"] for row in rows).did_you_mean_or_known(row_id)
    place = f" in {game}" if game else ""
    raise HttpError(404, f"There is no {noun} {row_id}{place}.{hint}")


def page_of_changes(pool: SearchPool, since: str, limit: int, offset: int) -> Changes:
    """Return a page of the rulings that changed since a date, each with its latest change.

    The changes are those of the records' history, else the dates of the rulings.
    """

    def work(build: OpenBase) -> Changes:
        history = build.catalogue.cached("history", pool.builds.history)
        if history is None:
            changes = dated_changes(lists.ruling_dates(build.store), since)
        else:
            changes = latest_changes(history, since)
        page = changes[offset : offset + limit]
        keys = [change.key for change in page]
        rulings = {ruling.key: ruling for ruling in build.store.rulings(keys)}
        rows = ((change, rulings.get(change.key)) for change in page)
        results = [
            change_answer(change, ruling, ruling.status if ruling else None)
            for change, ruling in rows
        ]
        return Changes(len(changes), limit, offset, results)

    return pool.run(work)
