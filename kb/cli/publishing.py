"""Commands for webmasters: build, pack."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb.cli.common import Rulings, app, counted, places_of, say, web_address


@app.command()
def build(
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder for the static site.")
    ] = Path("site"),
    rulings: Rulings = None,
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going",
            help="Publish the good records although others have problems, and say which.",
        ),
    ] = False,
    base_url: Annotated[
        str,
        typer.Option(
            "--base-url",
            metavar="URL",
            help="Where the site will be served: canonical addresses, QR codes, site map.",
        ),
    ] = "",
    report: Annotated[
        str,
        typer.Option(
            "--report",
            metavar="URL",
            help="Where 'report a problem' leads; {id} stands for the ruling's game/id.",
        ),
    ] = "",
    interface: Annotated[
        str,
        typer.Option(
            "--interface",
            metavar="LANGS",
            help="Languages of the site's own words, such as en,pl (default: all).",
        ),
    ] = "",
    anew: Annotated[
        bool, typer.Option("--anew", help="Build although nothing has changed.")
    ] = False,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="The engine of kb search: whoosh, or database for large bases (default: that of the build before, else whoosh).",
        ),
    ] = None,
) -> None:
    """Make the store, the index and the static site from the records.

    Nothing is published while a record has problems. Example: kb build --output public
    """
    from kb.build.pipeline import SiteOptions
    from kb.build.pipeline import build as make
    from kb.commands.terminal import progress
    from kb.search.engines.base import outgrown

    web_address(base_url, "--base-url", ("http://", "https://"))
    web_address(report, "--report", ("http://", "https://", "mailto:"))
    languages = tuple(lang.strip() for lang in interface.split(",") if lang.strip())
    options = SiteOptions(base_url, report, languages)
    with progress() as tell:
        built = make(
            places_of(rulings),
            output,
            keep_going=keep_going,
            site=options,
            anew=anew,
            engine=engine,
            progress=tell,
        )
    for problem in built.problems:
        say(str(problem))
    for key in built.left_out:
        say(f"left out: {key}")
    if built.damaged:
        say(f"kb: {built.damaged}; everything was made anew")
    print(
        f"{counted(built.rulings, 'ruling')} of {counted(built.games, 'game')}, {counted(built.cards, 'card')},"
        f" {counted(built.pages, 'page')} in {built.seconds:.1f} s"
    )
    if built.unchanged:
        print("nothing has changed since the last build")
    if outgrown(built.engine, built.rulings):
        say(
            f"kb: {built.rulings:,} rulings are many for {built.engine}; kb build --engine database searches them faster"
        )
    print(f"site:  {built.site / 'index.html'}")
    print(f"index: {built.data} (kb search, kb show, kb card)")


@app.command()
def pack(
    output: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", help="An .html file, or a .pdf where a browser is there."
        ),
    ],
    game: Annotated[
        list[str] | None,
        typer.Option(
            "--game", "-g", metavar="GAME", help="A game's id; may be repeated (default: all)."
        ),
    ] = None,
    lang: Annotated[
        str,
        typer.Option(
            "--lang", "-l", metavar="LANGS", help="Languages, such as pl,en (default: all)."
        ),
    ] = "",
    interface: Annotated[
        str,
        typer.Option("--interface", metavar="LANG", help="The language of the pack's own words."),
    ] = "en",
    rulings: Rulings = None,
) -> None:
    """Write the rulings of some games into one file for an event: with search, contents and an index of cards, ready to print.

    Example: kb pack --game swtcg --lang pl,en --out pack.html
    """
    from kb.commands.pack import pack as run

    languages = [one.strip() for one in lang.split(",") if one.strip()]
    made = run(places_of(rulings), output, game or [], languages, interface)
    print(f"{counted(made.rulings, 'ruling')}, {made.size / 1e6:.1f} MB: {made.path}")


@app.command()
def publish(
    database: Annotated[
        str,
        typer.Option(
            "--database",
            metavar="URL",
            envvar="KB_DATABASE",
            help="Such as postgresql+psycopg://user@host/name.",
        ),
    ],
    site: Annotated[
        Path | None,
        typer.Option(
            "--site",
            metavar="DIR",
            help="The folder of the static site, to be served from the database.",
        ),
    ] = None,
    rollback: Annotated[
        bool,
        typer.Option(
            "--rollback", help="Load nothing; make the build before the current one current again."
        ),
    ] = False,
    rulings: Rulings = None,
) -> None:
    """Load the current build into a PostgreSQL database, where readers on any machine see it at once and whole.

    Example: kb publish --database postgresql+psycopg://kb@db.example.org/kb --site site
    """
    if rollback:
        from kb.postgres.load import roll_back

        print(f"build {roll_back(database)} is current again")
        return
    from kb.postgres.publish import publish as run

    made = run(places_of(rulings), database, site)
    print(
        f"build {made.build} is current"
        + (f", with {counted(made.files, 'file')} of the site" if site else "")
    )
