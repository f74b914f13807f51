"""`kb build`: the store, the search index and the static site."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kb.commands.options import (
    Rulings,
    Site,
    count_noun,
    input_output,
    notify,
    paths_for,
    split_list,
    web_address,
)

if TYPE_CHECKING:
    from kb.pipeline.build import BuildResult
    from kb.pipeline.paths import Paths

of_site = partial(typer.Option, rich_help_panel="Site")
ReportProgress = Callable[[str, int, int], None]


def _report_address(value: str) -> str:
    from kb.records.site_config import report_address

    try:
        return report_address(value) if value else ""
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def build(
    output: Site = Path("site"),
    rulings: Rulings = None,
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going", help="Publish the good records although others have problems."
        ),
    ] = False,
    base_url: Annotated[
        str,
        of_site(
            callback=web_address,
            metavar="URL",
            help="Where the site will be served: for canonical URLs, QR codes, sitemap.",
        ),
    ] = "",
    report: Annotated[
        str,
        of_site(
            callback=_report_address,
            metavar="URL",
            help="Where readers report, instead of report: in site.yaml.",
        ),
    ] = "",
    interface: Annotated[
        str,
        of_site(
            metavar="LANGS",
            help="Interface languages of all pages, such as en,pl"
            " (default: those of games and their sister languages).",
        ),
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Build everything again, even if nothing changed.")
    ] = False,
    engine: Annotated[
        str | None,
        input_output(
            metavar="NAME",
            help="Search engine: whoosh, database, or auto (default: as asked for before,"
            " else auto: database above 5,000 rulings).",
        ),
    ] = None,
) -> None:
    """Build the store, the search index and the static site from the records.

    Nothing is published while a record has problems.

    Examples:
    kb build --output public
    kb build --base-url https://rulings.example.org --interface en,pl
    """
    from kb.pipeline.build import build as run_build
    from kb.site.settings import SiteOptions

    start, paths = time.perf_counter(), paths_for(rulings, own=True)
    options = SiteOptions(base_url, report, tuple(split_list(interface)))
    with progress() as report_progress:
        result = run_build(
            paths,
            output,
            keep_going=keep_going,
            site=options,
            force=force,
            engine=engine,
            progress=report_progress,
        )
    _print_result(result, paths, output, base_url, time.perf_counter() - start)


def _print_result(
    result: BuildResult, paths: Paths, output: Path, base_url: str, seconds: float
) -> None:
    from kb.search.engines.base import OUTGROWN, chosen, outgrown, requested

    for problem in result.problems:
        notify(str(problem))
    for key in result.left_out:
        notify(f"left out: {key}")
    if result.damaged:
        notify(f"kb: {result.damaged}; everything was built again")
    if not (base_url or result.unchanged):
        notify("kb: links to this site show no picture in chats; --base-url URL gives its address")
    print(
        f"{count_noun(result.rulings, 'ruling')} of {count_noun(result.games, 'game')},"
        f" {count_noun(result.cards, 'card')}, {count_noun(result.pages, 'page')}"
        f" in {seconds:.1f} s"
    )
    if result.unchanged:
        print("nothing has changed since the last build")
    engine, rulings = chosen(paths.current), result.rulings
    if outgrown(engine, rulings):
        notify(
            f"kb: {rulings:,} rulings are many for {engine};"
            " kb build --engine database makes searching faster"
        )
    print(f"site:  {output / 'index.html'}")
    print(f"index: {paths.data} (for kb search, kb show, kb card)")
    limit = "up to" if rulings <= OUTGROWN else "above"
    reason = (
        "by --engine" if requested(paths.current) else f"the default {limit} {OUTGROWN:,} rulings"
    )
    print(f"engine: {engine} ({reason})")


@contextmanager
def progress() -> Iterator[ReportProgress | None]:
    """Show a progress bar on standard error; yield None when that is not a terminal."""
    if sys.stderr is None or sys.stderr.closed or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    # No thread refreshes the bar: a process with threads cannot be forked safely.
    bar = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    with bar:
        tasks: dict[str, Any] = {}

        def report_progress(stage: str, done: int, total: int) -> None:
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=total)
            bar.update(tasks[stage], completed=done, total=total, refresh=True)

        yield report_progress
