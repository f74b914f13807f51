"""`kb search`: rulings by words in any form."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.backend import target_for, with_searcher
from kb.commands.options import count_noun, notify, print_json
from kb.records.fields import FILTERS
from kb.store.model import require_known

if TYPE_CHECKING:
    from kb.search.searcher import Answer, Searcher


class _SearchCommand(click.Command):
    """A command with a hint for words that begin with a dash."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; the error of an unknown option explains `--`."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            hint = "Write -- before words that begin with a dash, as in: kb search pilot -- -space"
            raise click.UsageError(f"{error.format_message()} {hint}", ctx) from None


@click.command(cls=_SearchCommand)
@click.argument(
    "query",
    nargs=-1,
    required=True,
    help='Words, "a phrase", pre*, -not, OR, and filters: '
    + " ".join(f"{name}:" for name in FILTERS),
)
@options.game()
@options.lang()
@click.option(
    "--limit",
    "-n",
    type=click.IntRange(1, 1000),
    default=10,
    metavar="N",
    show_default=True,
    help="Maximum number of results.",
)
@options.as_of()
@options.interface()
@options.as_json()
@options.database()
@options.rulings()
def search(
    query: tuple[str, ...],
    game: str | None,
    lang: str | None,
    limit: int,
    as_of: str,
    interface: str,
    as_json: bool,
    database: str | None,
    rulings: Path | None,
) -> None:
    """Find rulings by words in any form.

    Write -- before words that begin with a dash.

    \b
    Examples:
    kb search pilotów w strefie budowy
    kb search --game swtcg "council quorum" kind:ruling
    kb search -- pilot -space
    """
    target, words = target_for(database, rulings), " ".join(query)

    def run(searcher: Searcher) -> Answer:
        require_known(searcher.reader, game, lang)
        return searcher.search(words, game, lang, limit, as_of, interface)

    answer = with_searcher(target, run)
    for note in _notes(answer, as_of):
        notify(f"kb: {note}")
    if as_json:
        from kb.serialize.answers import search_results

        print_json(search_results(answer))
    else:
        from kb.commands.terminal import show_answer

        show_answer(answer, interface)
    if not answer.results:
        sys.exit(1)


def _notes(answer: Answer, as_of: str) -> Iterator[str]:
    """Yield what filters match nothing, and what is undated."""
    yield from answer.notes
    undated = sum(hit.ruling.is_undated for hit in answer.results)
    if undated and (as_of or "asof:" in answer.query.lower()):
        results = count_noun(undated, "result")
        yield f"{results} of unknown date, which may not have been in force that day"
