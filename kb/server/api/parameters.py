"""Parameters, documented responses and links between pages, for all operations of the API."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import Path, Query
from starlette.requests import Request
from starlette.responses import Response

from kb.assistants.tools import OpenBase
from kb.core.similar import SimilarIds
from kb.records import model
from kb.search.query import MAX_LENGTH
from kb.serialize.answers import (
    LANG_PATTERN,
    MAX_ID,
    MAX_LIMIT,
    SLUG_PATTERN,
    TEXT_PATTERN,
)
from kb.serialize.api_answers import Page, Sources, Topics
from kb.server.pool import SearchPool
from kb.server.responses import PROBLEM_JSON, HttpError, invalid_parameters, json_response

T = TypeVar("T")
PREFIX = "/api/v1"
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
    model.Date,
    Query(description="A day; a month or a year stands for its last day.", examples=["2003-06-01"]),
]
SinceDate = Annotated[
    model.Date, Query(description="A day, a month or a year.", examples=["2003-06-01"])
]
Limit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Maximum number of results.")]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, description="Number of results to skip.")]
SearchOffset = Annotated[
    int, Query(ge=0, le=MAX_SEARCH_OFFSET, description="Number of results to skip.")
]
SlugInPath = Annotated[str, Path(max_length=MAX_ID, pattern=SLUG_PATTERN)]
_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": description,
        "content": {PROBLEM_JSON: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, description in (
        (404, "Not found."),
        (422, "A parameter is invalid."),
        (503, "The server is busy, or nothing has been built yet."),
    )
}
_NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {"description": "Not modified since the response whose ETag If-None-Match names."}
}


async def refuse_unknown(request: Request) -> None:
    """Raise HttpError 422 for query parameters that an operation does not have."""
    paths = request.app.openapi()["paths"]
    operation = paths.get(request.scope["route"].path, {}).get("get", {})
    known = {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"}
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        similar = SimilarIds(known)
        errors = [
            {
                "parameter": name,
                "message": f"There is no such parameter.{similar.did_you_mean_or_known(name)}",
            }
            for name in unknown
        ]
        raise invalid_parameters(errors)


def page_response(request: Request, page: Page | Topics | Sources) -> Response:
    """Return a page of a list, or the whole of a short list, with its headers."""
    if isinstance(page, Page):
        headers = page_headers(request, page.total, page.limit, page.offset, MAX_OFFSET)
    else:
        headers = {"X-Total-Count": str(page.total)}
    return json_response(request, page, headers)


def page_headers(
    request: Request, total: int, limit: int, offset: int, max_offset: int
) -> dict[str, str]:
    """Return X-Total-Count, and Link (RFC 8288) with the first, previous, next and last page."""
    last = max(0, total - 1) // limit * limit
    offsets = {"first": 0, "prev": max(0, offset - limit), "next": offset + limit, "last": last}
    if not offset:
        del offsets["prev"]
    if offset + limit >= total:
        del offsets["next"]
    path = PREFIX + request.url.path.removeprefix(PREFIX)
    links = []
    for relation, start in offsets.items():
        if start <= max_offset:
            query = request.url.include_query_params(limit=limit, offset=start).query
            links.append(f'<{path}?{query}>; rel="{relation}"')
    return {"X-Total-Count": str(total), "Link": ", ".join(links)}


def responses(model: type[Any]) -> dict[int | str, dict[str, Any]]:
    """Return the documented responses of an operation that returns `model`."""
    return {200: {"model": model, "description": "Success."}, **_NOT_MODIFIED, **_PROBLEMS}


def read_build(
    pool: SearchPool, work: Callable[[OpenBase], T], game: str = "", lang: str = ""
) -> T:
    """Return the result of `work` with the current build.

    Raises HttpError 404 for an unknown game or language.
    """

    def checked(build: OpenBase) -> T:
        check_known(build, game, lang)
        return work(build)

    return pool.run(checked)


def check_known(build: OpenBase, game: str, lang: str = "") -> None:
    """Raise HttpError 404 for an unknown game or language."""
    languages = build.searcher.languages
    if game and game not in languages:
        known = ", ".join(languages) or "none"
        raise HttpError(404, f"There is no game {game}. Games: {known}.", parameter="game")
    codes = sorted({code for codes in languages.values() for code in codes})
    if lang and lang not in codes:
        known = ", ".join(codes) or "none"
        detail = f"There are no rulings in {lang}. Languages: {known}."
        raise HttpError(404, detail, parameter="lang")
