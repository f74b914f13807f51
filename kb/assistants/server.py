"""The server of the Model Context Protocol: its tools, resources and route in `kb serve`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from importlib.metadata import version
from inspect import getdoc
from typing import Annotated, Any, Generic, TypeVar

from anyio.to_thread import run_sync
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError, ToolError
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import CallToolResult, InputRequiredResult, Resource, ToolAnnotations
from pydantic import (
    Field,
    GetJsonSchemaHandler,
    RootModel,
    SerializeAsAny,
    ValidationError,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import BaseRoute, Route

from kb.assistants import tools
from kb.assistants.tools import Lender, OpenBase
from kb.core.problems import KbError
from kb.core.similar import SimilarIds
from kb.core.validation import explain
from kb.records.model import Date, OptionalDate
from kb.search.query import MAX_LENGTH
from kb.serialize import assistant_answers as shapes
from kb.serialize.answers import (
    LANG_PATTERN,
    MAX_DECK,
    MAX_ID,
    MAX_LIMIT,
    SLUG_PATTERN,
    TEXT_PATTERN,
)

T = TypeVar("T")
RULING_URI = "kb://rulings/{game}/{ruling_id}"
GLOSSARY_URI = "kb://glossaries/{game}"
MARKDOWN = "text/markdown"
INSTRUCTIONS = """\
Rulings of trading card games, with who gave each, when, and whether it still stands.
Answer questions on these games' rules from the rulings here, not from memory.
1. Call search_rulings with the question's own words, in any language; get_card for a card.
2. Read `match`: `all` has every word that matters, `most` nearly, `near` is a guess, `none` means
   that no ruling was found. With `none`, say that there is no ruling, and make none up.
3. Cite the ruling's id and address. Say who says so: `official`, or `translator` and `community`,
   which are not official. Say so when its standing is not `current`.
4. What was in force in the past: what_stood_on.
Names of cards and terms differ between languages: the game's glossary is a resource.
"""
_READ_ONLY = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


Line = Annotated[str, Field(max_length=MAX_LENGTH, pattern=TEXT_PATTERN)]
Words = Annotated[
    Line,
    Field(
        min_length=1,
        description="Words in any form and language, a card's name or a rule's number."
        ' Also "a phrase", -not, OR, and filters such as card:"Name" topic: source: authority:.',
    ),
]
WordsOrId = Annotated[
    Line, Field(min_length=1, description="A ruling's id, as game/id, or words to search for.")
]
_CARD_NAME = "A card's name in any case form, a nickname or a misprint; slips are found."
CardName = Annotated[Line, Field(min_length=1, description=_CARD_NAME)]
_DECK = "The list as text, a card a line, such as `2x Darth Sidious (C)`."
DeckList = Annotated[str, Field(min_length=1, max_length=MAX_DECK, description=_DECK)]
_GAME = "Id of a game from list_games; empty for all."
GameId = Annotated[str, Field(max_length=MAX_ID, pattern=f"^$|{SLUG_PATTERN}", description=_GAME)]
_KEY_PATTERN = r"^[a-z0-9-]+(/[a-z0-9-]+)?$"
_KEY = "A ruling's id, as game/id."
RulingId = Annotated[str, Field(max_length=2 * MAX_ID + 1, pattern=_KEY_PATTERN, description=_KEY)]
_LANG = "Language to answer in, such as a found ruling's `lang`; empty for the ruling's own."
Lang = Annotated[str, Field(pattern=f"^$|{LANG_PATTERN}", description=_LANG)]
Day = Annotated[Date, Field(description="A day, a month or a year: 2003-06-01, 2003-06 or 2003.")]
_AS_OF = "Answer with what was in force on this day; empty for today."
OptionalDay = Annotated[OptionalDate, Field(description=_AS_OF)]
_LIMIT = f"Maximum number of rulings, 1 to {MAX_LIMIT}."
Limit = Annotated[int, Field(ge=1, le=MAX_LIMIT, description=_LIMIT)]
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


# SerializeAsAny keeps the further members of the SearchAnswer that `what_stood_on` may return.
Answer = Documented[SerializeAsAny[shapes.Answer]]
SearchAnswer = Documented[shapes.SearchAnswer]
CardAnswer = Documented[shapes.CardAnswer]
DeckRulings = Documented[shapes.DeckRulings]
GamesAnswer = Documented[shapes.GamesAnswer]


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
        _add_tools(self, self._answer)
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


def _add_tools(server: MCPServer, run: Lender) -> None:
    """Add the tools, whose docstrings go to the model."""

    def tool(function: Callable[..., Any]) -> None:
        server.tool(description=getdoc(function), annotations=_READ_ONLY)(function)

    @tool
    def search_rulings(
        query: Words, game: GameId = "", lang: Lang = "", as_of: OptionalDay = "", limit: Limit = 5
    ) -> SearchAnswer:
        """Find rulings by words.

        Words match in any inflected form, without diacritics and with typing errors, in all
        languages of the base at once. Returns the best rulings first, each with answer, authority,
        standing, sources and date. `match` says how exact: only `all` has every word that matters;
        `near` is a guess; with `none` no ruling was found.
        """
        return SearchAnswer(
            run(lambda base: tools.search_rulings(base, query, game, lang, as_of, limit))
        )

    @tool
    def get_ruling(ruling_id: RulingId, lang: Lang = "", as_of: OptionalDay = "") -> Answer:
        """Get one ruling by its id, with its whole text.

        Exact: the id has to be that of a ruling, a former id leads to the current one. `match` is
        `none` when there is no such ruling; the message then has similar ids.
        """
        return Answer(run(lambda base: tools.get_ruling(base, ruling_id, lang, as_of)))

    @tool
    def get_card(
        name: CardName, game: GameId = "", lang: Lang = "", limit: Limit = 20
    ) -> CardAnswer:
        """Get the rulings on a card, those about it first, then those that mention it.

        `named_by` says how the name matched: its name, another name (a nickname, a misprint), a
        case form, or only a part of it or a similar spelling, where `match` is `near`, a guess.
        `match` is `none` when no card has the name or no ruling names the card.
        """
        return CardAnswer(run(lambda base: tools.get_card(base, name, game, lang, limit)))

    @tool
    def rulings_for_deck(
        deck: DeckList, game: GameId = "", lang: Lang = "", limit: Limit = 30
    ) -> DeckRulings:
        """Get the rulings that matter for a deck list: by card, then on its types and keywords.

        Cards are found in any case form and with slips; `named_by` says how, and `unknown` lists
        the lines that name no card. Without a game, that of most cards. `match` is `all` when every
        line was recognized, `most` when some are guesses or unknown, `none` without any ruling.
        """
        return DeckRulings(run(lambda base: tools.deck_rulings(base, deck, game, lang, limit)))

    @tool
    def what_stood_on(day: Day, query: WordsOrId, game: GameId = "", lang: Lang = "") -> Answer:
        """Get what was in force on a day in the past.

        `query` is a ruling's id or words. Of an id: the one in force then, of that ruling, its
        predecessors and successors; of words: the rulings found among what was in force then. A
        ruling without a date counts as always in force. `match` is `none` when no ruling is known
        to have stood.
        """
        return Answer(run(lambda base: tools.what_stood_on(base, day, query, game, lang)))

    @tool
    def list_games(lang: Lang = "") -> GamesAnswer:
        """List the games that have rulings here, with their ids, languages and glossaries.

        Complete: there are no rulings of other games.
        """
        return GamesAnswer(run(lambda base: tools.list_games(base, lang)))


def _add_resources(server: MCPServer, run: Lender) -> None:
    @server.resource(
        RULING_URI,
        title="Ruling",
        description="A ruling with its texts in all languages, authority, standing and sources.",
        mime_type=MARKDOWN,
    )
    def ruling(game: str, ruling_id: str) -> str:
        text = run(lambda base: tools.ruling_markdown(base, game, ruling_id))
        return _text_or_error(text, f"{tools.NO_RULING}: {game}/{ruling_id}")

    @server.resource(
        GLOSSARY_URI,
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
