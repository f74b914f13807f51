"""What all operations of the API share: parameters and their checks, pages, responses."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from kb.core.similar import name_hint_or_all
from kb.pipeline.open_base import OpenBase
from kb.records import types
from kb.search.query import MAX_LENGTH
from kb.serialize.answers import (
    LANG_PATTERN,
    MAX_ID,
    MAX_LIMIT,
    SLUG_PATTERN,
    TEXT_PATTERN,
    SearchResults,
)
from kb.server.responses import PROBLEM_JSON, HttpError, invalid_parameters, json_response

Work = TypeVar("Work", bound=Callable[..., Any])
Documented = Mapping[int | str, dict[str, Any]]
PREFIX = "/api/v1"
_SHARED: Documented = {
    304: {"description": "Not modified since the response whose ETag If-None-Match names."},
    **{
        status: {
            "description": description,
            "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status, description in (
            (404, "Not found."),
            (422, "A parameter is invalid."),
            (503, "The server is busy, or nothing has been built yet."),
        )
    },
}


# Results beyond this number are not ranked.
MAX_SEARCH_OFFSET = 1_000
MAX_OFFSET = 1_000_000
QueryText = Annotated[
    str, Query(max_length=MAX_LENGTH, pattern=TEXT_PATTERN, examples=["pilotów w strefie budowy"])
]
GameId = Annotated[
    str,
    Query(max_length=MAX_ID, pattern=SLUG_PATTERN, description="Id of a game.", examples=["swtcg"]),
]
Lang = Annotated[
    str,
    Query(pattern=LANG_PATTERN, description="Language code (ISO 639).", examples=["pl"]),
]
TopicId = Annotated[
    str, Query(max_length=MAX_ID, pattern=SLUG_PATTERN, description="Id of a topic.")
]
Interface = Annotated[
    str,
    Query(
        pattern=LANG_PATTERN,
        description="Language to show where several match alike; English without it.",
        examples=["pl"],
    ),
]
CardLabel = Annotated[
    str,
    Query(
        max_length=200,
        pattern=TEXT_PATTERN,
        description="Name of a card, with its version where it has one.",
        examples=["Darth Sidious (C)"],
    ),
]
CitationId = Annotated[
    str,
    Query(
        max_length=201,
        pattern=r"^[a-z0-9-]+(#[\w.-]+)?$",
        description="Id of a document, or document#provision.",
    ),
]
Date = Annotated[
    types.Date,
    Query(description="A day; a month or a year stands for its last day.", examples=["2003-06-01"]),
]
SinceDate = Annotated[
    types.Date, Query(description="A day, a month or a year.", examples=["2003-06-01"])
]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Maximum number of results.")]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, description="Number of results to skip.")]
SearchOffset = Annotated[
    int, Query(ge=0, le=MAX_SEARCH_OFFSET, description="Number of results to skip.")
]
SlugInPath = Annotated[str, Path(max_length=MAX_ID, pattern=SLUG_PATTERN)]


def responses(shape: Any) -> dict[int | str, dict[str, Any]]:
    """Return the documented responses of an operation that returns `shape`."""
    return {200: {"model": shape, "description": "Success."}, **_SHARED}


def add_operation(
    router: APIRouter, path: str, shape: Any, others: Documented | None = None
) -> Callable[[Work], Work]:
    """Add a function as an operation: from the current build and parameters to a `shape`.

    Its docstring is the summary. A Response in place of the shape is sent as it is; `others`
    documents such responses.
    """

    def add(work: Work) -> Work:
        def endpoint(request: Request, **values: Any) -> Response:
            def checked(build: OpenBase) -> Any:
                _check_known(build, values.get("game", ""), values.get("lang", ""))
                return work(build, **values)

            answer = request.app.state.pool.run(checked)
            log = request.app.state.unanswered
            # Here, because writing may take long and the searcher is free again.
            if log and isinstance(answer, SearchResults) and not values["offset"]:
                log.record(values["q"], answer.match)
            return _response(request, answer, values)

        # FastAPI reads the parameters, with their limits, from the signature.
        signature = inspect.signature(work, eval_str=True)
        build, *parameters = signature.parameters.values()
        request = build.replace(name="request", annotation=Request)
        endpoint.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[request, *parameters]
        )
        router.add_api_route(
            path,
            endpoint,
            name=work.__name__,
            summary=(work.__doc__ or "").rstrip("."),
            response_model=None,
            responses={**(others or {}), **responses(shape)},
        )
        router.add_api_route(
            path, endpoint, methods=["HEAD"], response_model=None, include_in_schema=False
        )
        return work

    return add


def _check_known(build: OpenBase, game: str, lang: str) -> None:
    """Raise HttpError 404 for an unknown game or language."""
    games, codes = build.searcher.languages, known_languages(build)
    if game and game not in games:
        detail = f"There is no game {game}. Games: {', '.join(games) or 'none'}."
        raise HttpError(404, detail, parameter="game")
    if lang and lang not in codes:
        detail = f"There are no rulings in {lang}. Languages: {', '.join(codes) or 'none'}."
        raise HttpError(404, detail, parameter="lang")


def known_languages(build: OpenBase) -> list[str]:
    """Return the codes of the languages of all games."""
    return sorted({code for codes in build.searcher.languages.values() for code in codes})


async def refuse_unknown(request: Request) -> None:
    """Raise HttpError 422 for query parameters that an operation does not have."""
    paths = request.app.openapi()["paths"]
    described = paths.get(request.scope["route"].path, {}).get("get", {})
    known = {each["name"] for each in described.get("parameters", ()) if each["in"] == "query"}
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        message = "There is no such parameter"
        errors = [
            {"parameter": name, "message": f"{message}{name_hint_or_all(name, known)}"}
            for name in unknown
        ]
        raise invalid_parameters(errors)


def _response(request: Request, answer: Any, values: Mapping[str, Any]) -> Response:
    if isinstance(answer, Response):
        return answer
    is_search = isinstance(answer, SearchResults)
    headers = {}
    if hasattr(answer, "total"):
        headers["X-Total-Count"] = str(answer.total)
    if "offset" in values:
        max_offset = MAX_SEARCH_OFFSET if is_search else MAX_OFFSET
        listed = answer.total + answer.partial if is_search else answer.total
        headers["Link"] = _links(request, listed, values, max_offset)
    etag_of = replace(answer, took_ms=0) if is_search else None
    return json_response(request, answer, headers, etag_of=etag_of)


def _links(request: Request, total: int, values: Mapping[str, Any], max_offset: int) -> str:
    """Return the header Link (RFC 8288) with the first, previous, next and last page."""
    limit, offset = values["limit"], values["offset"]
    offsets = {
        "first": 0,
        "prev": max(0, offset - limit) if offset else None,
        "next": offset + limit if offset + limit < total else None,
        "last": max(0, total - 1) // limit * limit,
    }
    path = PREFIX + request.url.path.removeprefix(PREFIX)
    links = []
    for relation, start in offsets.items():
        if start is not None and start <= max_offset:
            query = request.url.include_query_params(limit=limit, offset=start).query
            links.append(f'<{path}?{query}>; rel="{relation}"')
    return ", ".join(links)
