"""Commands for webmasters: build, pack, publish."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.cli.options import (
    INPUT,
    Games,
    Overwrite,
    Rulings,
    Site,
    command,
    count_noun,
    notify,
    paths_for,
    require_scheme,
    split_list,
)

if TYPE_CHECKING:
    from kb.pipeline.build import BuildResult

SITE = "Site"


@command()
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
        typer.Option(
            "--base-url",
            rich_help_panel=SITE,
            metavar="URL",
            help="Where the site will be served: for canonical URLs, QR codes, sitemap.",
        ),
    ] = "",
    report: Annotated[
        str,
        typer.Option(
            "--report",
            rich_help_panel=SITE,
            metavar="URL",
            help="Where 'Report a problem' leads; {id} stands for the ruling's game/id.",
        ),
    ] = "",
    interface: Annotated[
        str,
        typer.Option(
            "--interface",
            rich_help_panel=SITE,
            metavar="LANGS",
            help="Interface languages of the site, such as en,pl (default: all).",
        ),
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Build everything again, even if nothing changed.")
    ] = False,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            rich_help_panel=INPUT,
            metavar="NAME",
            help=(
                "Search engine: whoosh, database, or auto (default: as asked for before,"
                " else auto: database above 5,000 rulings)."
            ),
        ),
    ] = None,
) -> None:
    """Build the store, the search index and the static site from the records.

    Nothing is published while a record has problems.

    Example: kb build --output public

    Example: kb build --base-url https://rulings.example.org --interface en,pl
    """
    from kb.commands.progress import progress
    from kb.pipeline import build as pipeline

    require_scheme(base_url, "--base-url", ("http://", "https://"))
    require_scheme(report, "--report", ("http://", "https://", "mailto:"))
    options = pipeline.SiteOptions(base_url, report, tuple(split_list(interface)))
    with progress() as report_progress:
        result = pipeline.build(
            paths_for(rulings),
            output,
            keep_going=keep_going,
            site=options,
            force=force,
            engine=engine,
            progress=report_progress,
        )
    _print_result(result)


def _print_result(result: BuildResult) -> None:
    from kb.search.engines.choice import OUTGROWN, outgrown

    for problem in result.problems:
        notify(str(problem))
    for key in result.left_out:
        notify(f"left out: {key}")
    if result.damaged:
        notify(f"kb: {result.damaged}; everything was built again")
    print(
        f"{count_noun(result.rulings, 'ruling')} of {count_noun(result.games, 'game')},"
        f" {count_noun(result.cards, 'card')}, {count_noun(result.pages, 'page')}"
        f" in {result.seconds:.1f} s"
    )
    if result.unchanged:
        print("nothing has changed since the last build")
    if outgrown(result.engine, result.rulings):
        notify(
            f"kb: {result.rulings:,} rulings are many for {result.engine};"
            " kb build --engine database makes searching faster"
        )
    print(f"site:  {result.site / 'index.html'}")
    print(f"index: {result.data} (for kb search, kb show, kb card)")
    limit = "up to" if result.rulings <= OUTGROWN else "above"
    reason = "by --engine" if result.engine_requested else f"by itself {limit} {OUTGROWN:,} rulings"
    print(f"engine: {result.engine} ({reason})")


@command()
def pack(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            rich_help_panel=INPUT,
            metavar="FILE",
            help="An .html file, or .pdf (printed).",
        ),
    ],
    further: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Further deck lists, after --deck."),
    ] = None,
    deck: Annotated[
        list[Path] | None,
        typer.Option(
            "--deck", metavar="FILE", help="Only what matters for this deck list; repeatable."
        ),
    ] = None,
    game: Games = None,
    lang: Annotated[
        str,
        typer.Option(
            "--lang", "-l", metavar="LANGS", help="Text languages, such as pl,en (default: all)."
        ),
    ] = "",
    interface: Annotated[
        str,
        typer.Option("--interface", metavar="LANG", help="The language of headings and labels."),
    ] = "en",
    force: Overwrite = False,
    rulings: Rulings = None,
) -> None:
    """Write the rulings of some games to one file for an event: searchable, ready to print.

    With --deck it has only the rulings that matter for a deck, or for all decks of an event.

    Example: kb pack --game swtcg --lang pl,en --output pack.html

    Example: kb pack --game swtcg --interface pl --output pack.pdf
    """
    from kb.commands import pack as packing

    if further and not deck:
        raise typer.BadParameter("deck lists come after --deck", param_hint="FILE")
    decks = [*(deck or ()), *(further or ())]
    languages = split_list(lang)
    result = packing.pack(
        paths_for(rulings), output, game or [], languages, interface, decks, force=force
    )
    for line in result.unknown:
        notify(str(line))
    print(f"{count_noun(result.rulings, 'ruling')}, {result.size / 1e6:.1f} MB: {result.path}")


@command()
def publish(
    database: Annotated[
        str,
        typer.Option(
            "--database",
            "-d",
            rich_help_panel=INPUT,
            metavar="URL",
            envvar="KB_DATABASE",
            help="Such as postgresql+psycopg://user@host/name.",
        ),
    ],
    site: Annotated[
        Path | None,
        typer.Option(
            "--site", metavar="DIR", help="Also store this static site, to serve it from there."
        ),
    ] = None,
    rollback: Annotated[
        bool,
        typer.Option("--rollback", help="Load nothing; make the previous build current again."),
    ] = False,
    rulings: Rulings = None,
) -> None:
    """Load the current build into a PostgreSQL database; readers switch to it at once.

    Example: kb publish --database postgresql+psycopg://kb@db.example.org/kb --site site

    Example: kb publish --database postgresql+psycopg://kb@db.example.org/kb --rollback
    """
    if rollback:
        from kb.postgres.load import roll_back

        print(f"build {roll_back(database)} is current again")
        return
    from kb.postgres import publish as publishing

    result = publishing.publish(paths_for(rulings), database, site)
    files = f", with {count_noun(result.files, 'file')} of the site" if site else ""
    print(f"build {result.build} is current{files}")
