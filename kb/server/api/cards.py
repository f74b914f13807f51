"""Cards: a list by name or by what a query may mean, and those of one name."""

from __future__ import annotations

from fastapi import FastAPI, Request
from starlette.responses import Response

from kb.core import urls
from kb.search.cards import best_card_matches
from kb.serialize.answers import Card, card_answer
from kb.serialize.api_answers import Cards
from kb.server.api.parameters import (
    GameId,
    Limit,
    Offset,
    QueryText,
    SlugInPath,
    check_known,
    page_response,
    responses,
)
from kb.server.pool import OpenBuild, SearchPool
from kb.server.responses import HttpError, json_response


def add_operations(api: FastAPI, pool: SearchPool) -> None:
    """Add the operations to the application."""

    @api.get(
        "/cards",
        summary="Cards by name; with `q`, the cards that it may mean, as `kb card` prints them",
        responses=responses(Cards),
    )
    def cards(
        request: Request,
        q: QueryText = "",
        game: GameId = "",
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Response:
        def work(build: OpenBuild) -> Cards:
            check_known(build, game)
            store = build.searcher.store
            candidates = {
                key: versions
                for key, versions in build.catalogue.cards(store).items()
                if not game or key[0] == game
            }
            if q.strip():
                _, keys = best_card_matches(q, candidates, store, build.searcher.table)
            else:
                keys = sorted(candidates)
            results = [_card(build, *key) for key in keys[offset : offset + limit]]
            return Cards(len(keys), limit, offset, results)

        return page_response(request, pool.run(work))

    @api.get(
        "/cards/{game}/{slug}",
        summary="The cards of one name, by the last part of their page's address",
        responses=responses(Card),
    )
    def card(request: Request, game: SlugInPath, slug: SlugInPath) -> Response:
        def work(build: OpenBuild) -> Card:
            check_known(build, game)
            names = build.catalogue.names(build.searcher.store, game)
            if slug not in names:
                hint = build.catalogue.similar(f"cards {game}", lambda: names).did_you_mean(slug)
                raise HttpError(404, f"There is no card {slug} in {game}.{hint}")
            return _card(build, game, names[slug])

        return json_response(request, pool.run(work))


def url_of_card(build: OpenBuild, game: str, name: str) -> str | None:
    """Return the page of a card, None where no ruling is about it."""
    store = build.searcher.store
    labels = {name, *(card.label for card in build.catalogue.cards(store)[game, name])}
    if not any(store.rulings_on(game, labels)):
        return None
    return urls.card(game, build.catalogue.slugs(store, game)[name])


def _card(build: OpenBuild, game: str, name: str) -> Card:
    store = build.searcher.store
    versions = build.catalogue.cards(store)[game, name]
    return card_answer(name, versions, store, build.catalogue.slugs(store, game))
