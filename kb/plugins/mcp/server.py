"""The server of the Model Context Protocol: its tools, resources and route in `kb serve`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib.metadata import version
from inspect import getdoc, signature
from typing import Any, Generic, TypeVar

from anyio.to_thread import run_sync
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, InputRequiredResult, Resource, ToolAnnotations
from pydantic import GetJsonSchemaHandler, RootModel, SerializeAsAny, ValidationError
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute, Route

from kb.core.problems import KbError
from kb.core.similar import SimilarIds
from kb.core.validation import explain
from kb.plugins.mcp import tools
from kb.serialize import answering
from kb.serialize import assistant_answers as shapes
from kb.serialize.open_base import Lender, OpenBase

T = TypeVar("T")
RULING_URI = "kb://rulings/{game}/{ruling_id}"
MARKDOWN = "text/markdown"
INSTRUCTIONS = """\
Rulings of trading card games, with who gave each, when, and whether it still stands.
Answer questions on these games' rules from the rulings here, not from memory.
1. Call search_rulings with the question's own words, in any language; get_card for a card.
2. Read `match`: `all` has every word that matters, `most` nearly, `near` is a guess, `none` means
   that no ruling was found. With `none`, say that there is no ruling, and invent nothing.
3. Cite the ruling's id and address. Say who says so: `official`, or `translator` and `community`,
   which are not official. Say so when its standing is not `current`.
4. What was in force in the past: what_stood_on.
Names of cards and terms differ between languages: the game's glossary is a resource.
"""
TOOLS: tuple[Callable[..., shapes.Answer], ...] = (
    answering.search_rulings,
    tools.get_ruling,
    answering.get_card,
    answering.rulings_for_deck,
    tools.what_stood_on,
    tools.list_games,
)
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
PATH = "/mcp"
# Largest body, in bytes; arguments are short.
_MAX_BODY = 100_000


class Documented(RootModel[T], Generic[T]):
    """A model around an answer: the SDK drops the descriptions of a dataclass's members."""

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the answer's own schema."""
        return handler.resolve_ref_schema(handler(schema["schema"]))


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
        self._lend = lend
        for tool in TOOLS:
            description = getdoc(tool)
            self.tool(description=description, annotations=_READ_ONLY)(_served(tool, self._answer))
        _add_resources(self, self._answer)

    def _answer(self, work: Callable[[OpenBase], T]) -> T:
        try:
            return self._lend(work)
        except KbError as error:
            raise ToolError(str(error)) from None

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; each wrong argument is told in a sentence, with what it should be."""
        schemas = {tool.name: tool.input_schema["properties"] for tool in await self.list_tools()}
        known = schemas.get(name, arguments)
        for unknown in arguments.keys() - known:
            hint = SimilarIds(known).did_you_mean_or_known(unknown)
            raise ToolError(f"{unknown}: unknown argument.{hint}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            faults = [(str(fault["loc"][0]), explain(fault)) for fault in error.__cause__.errors()]
        told = (f"{key}: {text}. {known[key]['description']}" for key, text in faults)
        raise ToolError("\n".join(told))

    async def list_resources(self) -> list[Resource]:
        """List the games' glossaries of the current build."""
        games = await run_sync(self._answer, tools.list_games)
        return [
            Resource(
                uri=game.glossary,
                name=f"glossary-{game.id}",
                title=f"{game.name}: glossary",
                description="The game's terms in all its languages, with their meanings.",
                mime_type=MARKDOWN,
            )
            for game in games.games
        ]


def _served(tool: Callable[..., shapes.Answer], lend: Lender) -> Callable[..., Any]:
    """Return a tool without its first parameter, an open build, which is lent for each call."""
    own = signature(tool, eval_str=True)
    # SerializeAsAny keeps the further members of the SearchAnswer that `what_stood_on` may return.
    answer: Any = Documented[SerializeAsAny[own.return_annotation]]  # type: ignore[name-defined]

    def call(**arguments: Any) -> Any:
        return answer(lend(lambda base: tool(base, **arguments)))

    call.__name__ = tool.__name__
    parameters = list(own.parameters.values())[1:]
    call.__signature__ = own.replace(  # type: ignore[attr-defined]
        parameters=parameters, return_annotation=answer
    )
    return call


def _add_resources(server: MCPServer, run: Lender) -> None:
    @server.resource(
        RULING_URI,
        title="Ruling",
        description="A ruling with its texts in all languages, authority, standing and sources.",
        mime_type=MARKDOWN,
    )
    def ruling(game: str, ruling_id: str) -> str:
        text = run(lambda base: tools.ruling_markdown(base, game, ruling_id))
        return _text_or_error(text, f"{answering.NO_RULING}: {game}/{ruling_id}")

    @server.resource(
        tools.glossary_uri("{game}"),
        title="Glossary",
        description="A game's terms in all its languages, with their meanings.",
        mime_type=MARKDOWN,
    )
    def glossary(game: str) -> str:
        text = run(lambda base: tools.glossary_markdown(base, game))
        return _text_or_error(text, f"There is no game {game}")


def _text_or_error(text: str | None, message: str) -> str:
    if text is None:
        raise ResourceNotFoundError(message)
    return text


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
    # No GET: it would open a stream, and the server sends no messages of its own.
    route = Route(PATH, endpoint, methods=["POST", "OPTIONS"], middleware=[cors])
    return [route], server.session_manager.run()
