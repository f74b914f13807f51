"""The whole server as one application: pages, API, health checks, and services of plug-ins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from anyio.to_thread import run_sync
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp

from kb.core import urls
from kb.core.problems import NotBuilt
from kb.pipeline.builds import Builds
from kb.server.api.app import create_api
from kb.server.api.operation import PREFIX
from kb.server.middleware import SecurityHeaders
from kb.server.pages import PageEndpoint, SiteStorage
from kb.server.pool import SearchPool
from kb.server.responses import NO_STORE, handle_errors
from kb.server.services import Host, Service
from kb.server.unanswered import UnansweredLog
from kb.site.templates import PACKAGED, Templates
from kb.store.lists import ruling_counts

if TYPE_CHECKING:
    from kb.server.live_pages import LivePages

# Names of this machine; others are refused, so that no site can rebind its own name to it.
LOCAL_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
_TEMPLATES = Templates((PACKAGED,))
# A higher level takes twice the time and saves 1 % of the size.
_GZIP_LEVEL = 6
# Largest body of a request, in bytes.
_MAX_BODY = 2_000_000


def create_app(
    files: SiteStorage | None,
    builds: Builds,
    *,
    live: LivePages | None = None,
    services: Sequence[Service] = (),
    templates: Templates = _TEMPLATES,
    base_url: str = "",
    on_stop: Callable[[], object] | None = None,
    unanswered: UnansweredLog | None = None,
) -> ASGIApp:
    """Create the application for an ASGI server; without `files`, it has no pages.

    `live` belongs to watching. `services` get `templates` and `base_url`. `on_stop` is called when
    the server has stopped. `unanswered` gets queries without an answer.
    """
    pool = SearchPool(builds, base_url)
    host = Host(pool.run, templates, base_url, live)
    started = [service.start(host) for service in services]
    hosts = LOCAL_HOSTS if any(service.local_only for service in started) else ["*"]

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        try:
            async with AsyncExitStack() as running:
                for service in started:
                    await running.enter_async_context(service.context)
                yield
        finally:
            pool.close()
            if on_stop:
                await run_sync(on_stop)

    app = Starlette(
        routes=[
            *_health_checks(files, pool),
            *(live.routes() if live else ()),
            *(route for service in started for route in service.routes),
            Mount(PREFIX, create_api(pool, unanswered, watches=live is not None)),
        ],
        # The outermost first.
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=hosts),
            Middleware(RequestBodyLimitMiddleware, max_body_size=_MAX_BODY),
            Middleware(GZipMiddleware, compresslevel=_GZIP_LEVEL),
        ],
        lifespan=lifespan,
    )
    if files is not None:
        # A route for every path would hide the answer 405 of the routes above.
        app.router.default = PageEndpoint(files, live.injector if live else None)
    handle_errors(app)
    # Around the application, whose handler of internal errors is outside its middleware.
    return SecurityHeaders(app)


def _health_checks(files: SiteStorage | None, pool: SearchPool) -> list[BaseRoute]:
    """Return the routes by which operators and load balancers ask for the server's health."""

    async def healthz(request: Request) -> Response:
        return JSONResponse({"status": "alive"}, headers=NO_STORE)

    def readyz(request: Request) -> Response:
        """Raises NotBuilt, which names what is missing."""
        if files is not None and files.get(urls.HOME) is None:
            raise NotBuilt("There is no site; `kb build` makes one.")
        pool.run(lambda build: ruling_counts(build.store))
        return JSONResponse({"status": "ready"}, headers=NO_STORE)

    return [Route("/healthz", healthz), Route("/readyz", readyz)]
