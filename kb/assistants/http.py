"""The server over streamable HTTP, as a route of `kb serve`."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from mcp.server.transport_security import TransportSecuritySettings
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute, Route

from kb.assistants.answers import Lender
from kb.assistants.server import RulingsServer

PATH = "/mcp"
# In bytes; arguments are short.
_MAX_BODY = 100_000


def mcp_routes(lend: Lender) -> tuple[list[BaseRoute], AbstractAsyncContextManager[None]]:
    """Return the route at PATH, and what has to be entered while the server runs.

    Without sessions, so that several processes may answer. Like the API it is public, reads only,
    and answers pages of any origin.
    """
    server = RulingsServer(lend)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
        max_request_body_size=_MAX_BODY,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    cors = Middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["POST"],
        allow_headers=["*"],
        max_age=86_400,
    )
    endpoint = next(route.endpoint for route in app.routes if isinstance(route, Route))
    # POST only: a stream opened with GET would have nothing to send.
    route = Route(PATH, endpoint, methods=["POST", "OPTIONS"], middleware=[cors])
    return [route], server.session_manager.run()
