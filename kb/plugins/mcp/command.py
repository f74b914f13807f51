"""`kb mcp`: answers for an assistant over standard input and output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from kb.commands import options
from kb.commands.backend import Target, target_for, with_searcher
from kb.plugins.mcp import EXTRA

if TYPE_CHECKING:
    from kb.pipeline.open_base import Lender, OpenBase

T = TypeVar("T")


@click.command()
@options.base_url()
@options.database()
@options.rulings()
def mcp(base_url: str, database: str | None, rulings: Path | None) -> None:
    """Answer an assistant on standard input and output (Model Context Protocol).

    \b
    Example:
    kb mcp --base-url https://rulings.example.org
    """
    EXTRA.require()
    from kb.plugins.mcp.server import RulingsServer

    lend = lender(target_for(database, rulings), base_url)
    # A missing build is built now, not at the first question.
    lend(lambda base: base.searcher.languages)
    RulingsServer(lend).run("stdio")


def lender(target: Target, base_url: str) -> Lender:
    """Return a function that lends the current build of the target, opened for each call."""
    from kb.pipeline.catalogue import Catalogue
    from kb.pipeline.open_base import OpenBase

    def lend(work: Callable[[OpenBase], T]) -> T:
        return with_searcher(
            target, lambda searcher: work(OpenBase(searcher, Catalogue(), base_url))
        )

    return lend
