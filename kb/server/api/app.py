"""The API's application: its operations, its description, and the guide made from that."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from fastapi import Depends, FastAPI
from pydantic import TypeAdapter
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import HTMLResponse, Response

from kb.search.unanswered import UnansweredLog
from kb.serialize.api_answers import Problem
from kb.server.api.operation import PREFIX, refuse_unknown
from kb.server.api.operations import router
from kb.server.pool import SearchPool
from kb.server.responses import handle_errors
from kb.site.i18n import read_words
from kb.site.render import environment, render
from kb.site.templates import PACKAGED, Templates

Schema = dict[str, Any]

_DESCRIPTION = (
    "Search, rulings, cards, topics, sources and changes. Every operation is a GET request, from"
    " any origin. Lists are paged with `limit` and `offset`; `total` and the header"
    " `X-Total-Count` give the number of entries, `Link` the neighbouring pages. Errors are problem"
    " documents (RFC 9457)."
)


def create_api(
    pool: SearchPool, unanswered: UnansweredLog | None = None, *, watches: bool = False
) -> FastAPI:
    """Create the application to be mounted at PREFIX; `watches`: records are watched."""
    api = FastAPI(
        title="Rulings of trading card games",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        description=_DESCRIPTION,
        servers=[{"url": PREFIX}],
        root_path_in_servers=False,
        redirect_slashes=False,
        dependencies=[Depends(refuse_unknown)],
    )
    if not watches:
        # Watched records are drafts of somebody at this machine, not for every open website.
        api.add_middleware(
            CORSMiddleware,
            allow_origins=["*"],
            allow_methods=["GET"],
            expose_headers=["ETag", "Link", "X-Total-Count", "Retry-After", "X-Request-ID"],
            max_age=86_400,
        )
    handle_errors(api)
    api.state.pool, api.state.unanswered = pool, unanswered
    api.include_router(router)
    _complete_description(api)

    @api.get("/docs", include_in_schema=False)
    def docs() -> Response:
        return HTMLResponse(guide_page(api.openapi()))

    return api


def _complete_description(api: FastAPI) -> None:
    """Describe errors as problem documents.

    The default "" of an optional parameter is left out: the parameter's pattern need not allow it.
    """
    generate = api.openapi

    @cache
    def openapi() -> dict[str, Any]:
        description = generate()
        problem = TypeAdapter(Problem).json_schema()
        description["components"]["schemas"]["Problem"] = problem
        for methods in description["paths"].values():
            for parameter in methods["get"].get("parameters", []):
                if parameter["schema"].get("default") == "":
                    del parameter["schema"]["default"]
        return description

    api.openapi = openapi  # type: ignore[method-assign]


def guide_page(description: Schema) -> str:
    """Return an OpenAPI description as an HTML page without scripts."""
    templates = Templates((PACKAGED,))
    env = environment(templates, read_words(templates, "en"))
    context = {
        "api": description["info"],
        "prefix": PREFIX,
        "operations": {path: item["get"] for path, item in description["paths"].items()},
        "shapes": description["components"]["schemas"],
        "type_name": _type_name,
    }
    return render(env, "api.html", "the guide to the API", context)


def _type_name(schema: Schema) -> str:
    """Return the type of a value in a few words; another shape by its name."""
    return " | ".join(dict.fromkeys(_type_names(schema)))


def _type_names(schema: Schema) -> Iterator[str]:
    if "$ref" in schema:
        yield schema["$ref"].rpartition("/")[2]
    elif "anyOf" in schema:
        for choice in schema["anyOf"]:
            yield from _type_names(choice)
    elif "enum" in schema or "const" in schema:
        yield from map(str, schema.get("enum", [schema.get("const")]))
    elif "items" in schema:
        yield f"[{_type_name(schema['items'])}]"
    elif isinstance(schema.get("additionalProperties"), dict):
        yield f"{{string: {_type_name(schema['additionalProperties'])}}}"
    else:
        yield schema.get("type", "any")
