"""Further services of the server, such as assistants and chats, and the builds that they read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TypeVar

from starlette.routing import BaseRoute

from kb.assistants.tools import Lender, OpenBase
from kb.chats.replies import Recipients
from kb.core.problems import KbError
from kb.server.pool import OpenBuild, SearchPool
from kb.server.responses import HttpError
from kb.site.templates import Templates

T = TypeVar("T")


@dataclass(frozen=True)
class Service:
    """Routes, and a context that is entered while the server runs."""

    routes: Sequence[BaseRoute]
    running: AbstractAsyncContextManager[None] = field(default_factory=nullcontext)


ServiceFactory = Callable[[Lender], Service]


def pool_lender(pool: SearchPool, base_url: str = "") -> Lender:
    """Return a function that lends builds of the pool; its errors are KbErrors."""

    def lend(work: Callable[[OpenBase], T]) -> T:
        def run(build: OpenBuild) -> T:
            store = build.searcher.store

            def complete_cards(typed: str, game: str, limit: int) -> list[tuple[str, str]]:
                completions = build.catalogue.card_completions(store)
                return completions.complete(typed, limit, lambda key: not game or key[0] == game)

            base = OpenBase(
                build.searcher, lambda: build.catalogue.cards(store), base_url, complete_cards
            )
            return work(base)

        try:
            return pool.run(run)
        except HttpError as error:
            raise KbError(error.detail) from None

    return lend


def mcp_service(lend: Lender) -> Service:
    """Return the service for assistants."""
    from kb.assistants.server import mcp_routes

    return Service(*mcp_routes(lend))


def discord_service(public_key: str, templates: Templates) -> ServiceFactory:
    """Return the service for Discord. Raises WrongUsage for what is no public key."""
    from kb.chats.http import SignatureVerifier, discord_route

    verifier, recipients = SignatureVerifier(public_key), Recipients(templates)
    return lambda lend: Service([discord_route(lend, verifier, recipients)])


def telegram_service(secret: str, templates: Templates) -> ServiceFactory:
    """Return the service for Telegram, whose requests bear the secret token."""
    from kb.chats.http import telegram_route

    recipients = Recipients(templates)
    return lambda lend: Service([telegram_route(lend, secret, recipients)])
