"""Services beside the site and the API, such as assistants and chats, and what they answer from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TypeVar

from starlette.routing import BaseRoute

from kb.assistants.answers import Lender, OpenBase
from kb.core.problems import KbError
from kb.server.pool import OpenBuild, SearchPool
from kb.server.responses import HttpError

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
            searcher = build.searcher
            return work(OpenBase(searcher, lambda: build.catalogue.cards(searcher.store), base_url))

        try:
            return pool.run(run)
        except HttpError as error:
            raise KbError(error.detail) from None

    return lend


def mcp_service(lend: Lender) -> Service:
    """Return the service for assistants."""
    from kb.assistants.http import mcp_routes

    return Service(*mcp_routes(lend))
