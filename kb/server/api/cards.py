"""Cards: a list by name or by query, and all cards of one name."""

from __future__ import annotations

from fastapi import FastAPI, Request
from starlette.responses import Response

from kb.assistants.tools import OpenBase
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
    page_response,
    read_build,
    responses,
)
from kb.server.pool import SearchPool
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
        page = read_build(pool, lambda build: _cards(build, q, game, limit, offset), game)
        return page_response(request, page)

    @api.get(
        "/cards/{game}/{slug}",
        summary="The cards of one name, by the last part of their page's address",
        responses=responses(Card),
    )
    def card(request: Request, game: SlugInPath, slug: SlugInPath) -> Response:
        return json_response(
            request, read_build(pool, lambda build: _card(build, game, slug), game)
        )


def _cards(build: OpenBase, query: str, game: str, limit: int, offset: int) -> Cards:
    if query.strip():
        names = build.catalogue.card_names(build.store, game)
        _, keys = best_card_matches(query, names, build.store, build.searcher.table)
    else:
        cards = build.catalogue.cards(build.store)
        keys = sorted(key for key in cards if not game or key[0] == game)
    page = [_named_card(build, *key) for key in keys[offset : offset + limit]]
    return Cards(len(keys), limit, offset, page)


def _card(build: OpenBase, game: str, slug: str) -> Card:
    names = build.catalogue.names(build.store, game)
    if slug not in names:
        hint = build.catalogue.similar(f"cards {game}", lambda: names).did_you_mean(slug)
        raise HttpError(404, f"There is no card {slug} in {game}.{hint}")
    return _named_card(build, game, names[slug])


def url_of_card(build: OpenBase, game: str, name: str) -> str | None:
    """Return the address of a card's page, None for a card without rulings."""
    labels = {name, *(card.label for card in build.catalogue.cards(build.store)[game, name])}
    if not any(build.store.rulings_on(game, labels)):
        return None
    return urls.card(game, build.catalogue.slugs(build.store, game)[name])


def _named_card(build: OpenBase, game: str, name: str) -> Card:
    versions = build.catalogue.cards(build.store)[game, name]
    return card_answer(name, versions, build.store, build.catalogue.slugs(build.store, game))
