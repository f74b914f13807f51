"""`kb mcp`: answers for an assistant over standard input and output."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kb.assistants.answers import Lender, OpenBase
from kb.assistants.server import RulingsServer
from kb.commands.backend import Backend, Notify, Target, with_backend
from kb.search.card_names import cards_by_name

T = TypeVar("T")


def lender(target: Target, say: Notify, base_url: str) -> Lender:
    """Return a function that lends the current build of the target, opened for each call."""

    def lend(work: Callable[[OpenBase], T]) -> T:
        def run(backend: Backend) -> T:
            with backend.searcher(None) as searcher:
                return work(OpenBase(searcher, lambda: cards_by_name(searcher.store), base_url))

        return with_backend(target, run, say)

    return lend


def serve_stdio(target: Target, say: Notify, base_url: str = "") -> None:
    """Serve until standard input ends; a missing build is built first."""
    lend = lender(target, say, base_url)
    lend(lambda base: base.searcher.languages)
    RulingsServer(lend).run("stdio")
