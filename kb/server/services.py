"""Services beside the site and the API: assistants and chats, over builds lent by the pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TypeVar

from starlette.routing import BaseRoute

from kb.assistants.tools import Lender, OpenBase
from kb.chats.replies import Recipients
from kb.core.problems import KbError
from kb.server.pool import SearchPool
from kb.server.responses import HttpError
from kb.site.templates import Templates

T = TypeVar("T")


@dataclass(frozen=True)
class Service:
    """Routes, and a context that the server enters while it runs."""

    routes: Sequence[BaseRoute]
    running: AbstractAsyncContextManager[None] = field(default_factory=nullcontext)


ServiceFactory = Callable[[Lender], Service]


def pool_lender(pool: SearchPool, base_url: str = "") -> Lender:
    """Return a lender of the pool's builds, which raises KbError in place of HttpError."""

    def lend(work: Callable[[OpenBase], T]) -> T:
        try:
            return pool.run(lambda build: work(OpenBase(build.searcher, build.catalogue, base_url)))
        except HttpError as error:
            raise KbError(error.detail) from None

    return lend


def mcp_service(lend: Lender) -> Service:
    """Return the service for assistants."""
    from kb.assistants.server import mcp_routes

    return Service(*mcp_routes(lend))


def discord_service(public_key: str, templates: Templates) -> ServiceFactory:
    """Return the service for Discord. Raises WrongUsage for an invalid public key."""
    from kb.chats.http import SignatureVerifier, discord_route

    verifier, recipients = SignatureVerifier(public_key), Recipients(templates)
    return lambda lend: Service([discord_route(lend, verifier, recipients)])


def telegram_service(secret: str, templates: Templates) -> ServiceFactory:
    """Return the service for Telegram; its requests carry the secret token."""
    from kb.chats.http import telegram_route

    recipients = Recipients(templates)
    return lambda lend: Service([telegram_route(lend, secret, recipients)])
