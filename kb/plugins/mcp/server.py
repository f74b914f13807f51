"""The server of the Model Context Protocol: its tools, and its route in `kb serve`."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from importlib.metadata import version
from inspect import getdoc
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, InputRequiredResult, ToolAnnotations
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute, Route

from kb.core.similar import name_hint_or_all
from kb.pipeline.open_base import Lender
from kb.plugins.mcp.tools import Tools

INSTRUCTIONS = """\
Rulings of trading card games, with who gave each, when, and whether it still stands.
Answer questions on these games' rules from the rulings here, not from memory.
1. Call search_rulings with the question's own words, in any language; get_card for a card.
2. Read `match`: `all` has every word that matters, `most` nearly, `near` is a guess, `none` means
   that no ruling was found. With `none`, say that there is no ruling, and invent nothing.
3. Cite the ruling's id and address. Say who says so: `official`, or `translator` and `community`,
   which are not official. Say so when its `status` is not `current`. A note by editors or
   translator is not the authority's word: never quote it as such.
4. What was in force in the past: `as_of` of search_rulings and get_ruling.
"""
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
PATH = "/mcp"


class RulingsServer(MCPServer):
    """Answers every call from the current build, as lent by `lend`."""

    def __init__(self, lend: Lender) -> None:
        super().__init__(
            "kb-rulings",
            title="Rulings of trading card games",
            instructions=INSTRUCTIONS,
            version=version("kb-rulings"),
            log_level="WARNING",
            subscriptions=False,
        )
        tools = Tools(lend)
        for tool in (
            tools.search_rulings,
            tools.get_ruling,
            tools.get_card,
            tools.rulings_for_deck,
            tools.list_games,
        ):
            self.tool(description=getdoc(tool), annotations=_READ_ONLY)(tool)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool. Raises ToolError for an argument that it does not have."""
        schemas = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        known = schemas.get(name, arguments)
        for unknown in arguments.keys() - known:
            raise ToolError(f"{unknown}: unknown argument{name_hint_or_all(unknown, known)}")
        return await super().call_tool(name, arguments, context)


def mcp_routes(lend: Lender) -> tuple[list[BaseRoute], AbstractAsyncContextManager[None]]:
    """Return the route at PATH, and the context that the server enters while it runs.

    There are no sessions, so that several processes can answer. Like the API, the route is public,
    read-only and open to pages of any origin.
    """
    server = RulingsServer(lend)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,
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
    # No GET: it would open a stream, and the server sends no messages of its own.
    route = Route(PATH, endpoint, methods=["POST", "OPTIONS"], middleware=[cors])
    return [route], server.session_manager.run()
