"""`kb build`: the store, the search index and the static site."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kb.commands import options
from kb.commands.options import count_noun, notify, paths_for, split_list

if TYPE_CHECKING:
    from kb.pipeline.build import BuildResult
    from kb.pipeline.paths import Paths

ReportProgress = Callable[[str, int, int], None]


@click.command()
@click.option(
    "--keep-going", is_flag=True, help="Publish the good records although others have problems."
)
@click.option("--force", is_flag=True, help="Build everything again, even if nothing changed.")
@options.base_url(
    help="Where the site will be served: for canonical URLs, link previews, QR codes, sitemap."
)
@click.option(
    "--interface",
    default="",
    metavar="LANGS",
    help="Interface languages of all pages, such as en,pl"
    " (default: English and the languages of each game).",
)
@click.option(
    "--engine",
    metavar="NAME",
    default="",
    help="Search engine: whoosh or database (default: database above 1,000 rulings).",
)
@options.site()
@options.rulings()
def build(
    keep_going: bool,
    force: bool,
    base_url: str,
    interface: str,
    engine: str,
    output: Path,
    rulings: Path | None,
) -> None:
    """Build the store, the search index and the static site from the records.

    Nothing is published while a record has problems.

    \b
    Examples:
    kb build --output public
    kb build --base-url https://rulings.example.org --interface en,pl
    """
    from kb.pipeline.build import build as run_build
    from kb.site.settings import SiteOptions

    start, paths = time.perf_counter(), paths_for(rulings, own=True)
    site = SiteOptions(base_url, tuple(split_list(interface)))
    with progress() as report_progress:
        result = run_build(
            paths,
            output,
            keep_going=keep_going,
            site=site,
            force=force,
            engine=engine,
            progress=report_progress,
        )
    _print_result(result, paths, output, time.perf_counter() - start)


def _print_result(result: BuildResult, paths: Paths, output: Path, seconds: float) -> None:
    for problem in result.problems:
        notify(str(problem))
    for key in result.left_out:
        notify(f"left out: {key}")
    for key, now in result.lost:
        notify(
            f"kb: {key} is now {now}; list the old id there under formerly, or links to it break"
        )
    print(
        f"{count_noun(result.rulings, 'ruling')} of {count_noun(result.games, 'game')},"
        f" {count_noun(result.cards, 'card')}, {count_noun(result.pages, 'page')}"
        f" in {seconds:.1f} s"
    )
    if result.unchanged:
        print("nothing has changed since the last build")
    print(f"site:  {output / 'index.html'}")
    print(f"index: {paths.data} (for kb search, kb show, kb card)")


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
