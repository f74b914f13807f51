"""Rulings: a filtered list, and one by its id."""

from __future__ import annotations

from dataclasses import asdict, make_dataclass
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from starlette.responses import RedirectResponse, Response

from kb.assistants.tools import OpenBase
from kb.core.problems import KbError
from kb.language.fold import clean_typed
from kb.records.fields import VALUE_FIELDS
from kb.records.model import field_types
from kb.serialize.api_answers import Ruling, Rulings
from kb.serialize.ruling import stored_ruling_to_json
from kb.server.api.lists import row_with_id
from kb.server.api.parameters import (
    PREFIX,
    CardLabel,
    CitationId,
    Date,
    GameId,
    Lang,
    Limit,
    Offset,
    SlugInPath,
    TopicId,
    page_response,
    read_build,
    responses,
)
from kb.server.pool import SearchPool
from kb.server.responses import HttpError, json_response
from kb.store import lists
from kb.store.model import in_force_on

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


def add_operations(api: FastAPI, pool: SearchPool) -> None:
    """Add the operations to the application."""

    @api.get("/rulings", summary="Rulings, by game and id", responses=responses(Rulings))
    def rulings(
        request: Request,
        values: Annotated[Any, Depends(_Values)],
        game: GameId = "",
        topic: TopicId = "",
        lang: Lang = "",
        source: CitationId = "",
        card: CardLabel = "",
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Response:
        wanted = lists.RulingFilter(game, topic, lang, source, clean_typed(card), asdict(values))

        def work(build: OpenBase) -> Rulings:
            total, keys = lists.ruling_keys(build.store, wanted, limit, offset)
            if topic and not total:
                row_with_id(lists.topics(build.store, game), topic, "topic", game)
            if source and not total:
                document = source.partition("#")[0]
                row_with_id(lists.sources(build.store, game), document, "source", game)
            results = [stored_ruling_to_json(ruling) for ruling in build.store.rulings(keys)]
            return Rulings(total, limit, offset, results)

        return page_response(request, read_build(pool, work, game, lang))

    @api.get(
        "/rulings/{game}/{ruling_id}",
        summary="One ruling, as `kb show` prints it; a former id redirects to the current one",
        responses={
            308: {"description": "A former id; Location has the current one."},
            **responses(Ruling),
        },
    )
    def ruling(
        request: Request, game: SlugInPath, ruling_id: SlugInPath, as_of: Date = ""
    ) -> Response:
        result = read_build(pool, lambda build: _ruling(build, game, ruling_id, as_of), game)
        if isinstance(result, str):
            query = f"?{request.url.query}" if request.url.query else ""
            location = f"{PREFIX}/rulings/{game}/{result}{query}"
            return RedirectResponse(location, HTTPStatus.PERMANENT_REDIRECT)
        return json_response(request, result)


def _ruling(build: OpenBase, game: str, ruling_id: str, as_of: str) -> dict[str, Any] | str:
    """Return the ruling of an id as in force on a day; for a former id, the current id."""
    store = build.store
    ruling = store.ruling(f"{game}/{ruling_id}")
    if ruling is None:
        current_id = lists.current_id(store, game, ruling_id)
        if current_id:
            return current_id
        similar = build.catalogue.similar(f"rulings {game}", lambda: store.ruling_ids(game))
        hint = similar.did_you_mean(ruling_id)
        raise HttpError(404, f"There is no ruling {ruling_id} in {game}.{hint}")
    if as_of:
        try:
            ruling = in_force_on(store, ruling, as_of)
        except KbError as error:
            raise HttpError(404, str(error)) from error
    return stored_ruling_to_json(ruling)
