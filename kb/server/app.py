"""The whole server as one application: pages, API, health, figures, and what watching and editing add."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from kb.core import urls
from kb.core.problems import KbError
from kb.server.api import PREFIX, make_api, refusals
from kb.server.metrics import Metrics
from kb.server.middleware import Guard, Log
from kb.server.pages import Dress, Pages
from kb.server.pool import Builds, Pool
from kb.server.responses import Refused
from kb.server.static import Files
from kb.server.watch import State


@dataclass(frozen=True)
class Served:
    """What a server serves: the site's files and the builds to search in.

    `searches`: how many searches run at once. `local_only`: only requests that name this machine are answered. `dress` adds
    to the pages that people open, `routes` are what watching and editing add, `state` tells where a watched base stands, `end` is
    called when the server has stopped.
    """

    files: Files
    builds: Builds
    searches: int = 4
    log: Log = field(default_factory=Log)
    local_only: bool = False
    dress: Dress | None = None
    routes: Sequence[BaseRoute] = ()
    state: Callable[[], State] | None = None
    end: Callable[[], None] = lambda: None
    quiet: frozenset[str] = frozenset()


def make_app(served: Served) -> ASGIApp:
    """The application for an ASGI server."""
    pool = Pool(served.builds, served.searches)
    metrics = Metrics(lambda: pool.busy)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        pool.close()
        await run_sync(served.end)

    async def alive(request: Request) -> Response:
        return JSONResponse({"status": "alive"}, headers={"Cache-Control": "no-store"})

    async def ready(request: Request) -> Response:
        missing = await run_sync(_missing, served.files, pool)
        told = {"status": "not ready", "missing": missing} if missing else {"status": "ready"}
        status = HTTPStatus.SERVICE_UNAVAILABLE if missing else HTTPStatus.OK
        return JSONResponse(told, status, {"Cache-Control": "no-store"})

    async def figures(request: Request) -> Response:
        text, media = metrics.text()
        return Response(text, headers={"Content-Type": media, "Cache-Control": "no-store"})

    pages = Pages(served.files, served.dress)

    async def page(scope: Scope, receive: Receive, send: Send) -> None:
        await (await pages(Request(scope)))(scope, receive, send)

    routes: list[BaseRoute] = [
        Route("/healthz", alive),
        Route("/readyz", ready),
        Route("/metrics", figures),
        *served.routes,
        Mount(PREFIX, make_api(pool, served.state)),
        Mount("", page),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    refusals(app)
    return Guard(
        app,
        metrics,
        served.log,
        local_only=served.local_only,
        quiet=frozenset({"/healthz", "/readyz", "/metrics"}) | served.quiet,
    )


def _missing(files: Files, pool: Pool) -> dict[str, str]:
    """What a server needs and does not find, with the reason."""
    missing = {}
    try:
        if files.get(urls.HOME) is None:
            missing["site"] = "no site there; `kb build` makes one"
    except Refused as error:
        missing["site"] = str(error)
    try:
        pool.ask(lambda base: base.searcher.store.counts())
    except (KbError, Refused) as error:
        missing["store and index"] = str(error)
    return missing
