"""The API's application: its operations and their description (OpenAPI)."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import Depends, FastAPI
from pydantic import TypeAdapter
from starlette.middleware.cors import CORSMiddleware

from kb.serialize.api_answers import Problem
from kb.server.api.operation import PREFIX, refuse_unknown
from kb.server.api.operations import router
from kb.server.pool import SearchPool
from kb.server.responses import handle_errors
from kb.server.unanswered import UnansweredLog

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
            expose_headers=["ETag", "Link", "X-Total-Count", "Retry-After"],
            max_age=86_400,
        )
    handle_errors(api)
    api.state.pool, api.state.unanswered = pool, unanswered
    api.include_router(router)
    _complete_description(api)
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
