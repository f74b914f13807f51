"""`kb publish`: load the current build into a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb.commands.options import Rulings, count_noun, database_option, paths_for


def publish(
    database: Annotated[
        str,
        database_option(help="Such as postgresql+psycopg://user@host/name."),
    ],
    site: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Also store this static site, to serve it from there."),
    ] = None,
    rollback: Annotated[
        bool,
        typer.Option("--rollback", help="Load nothing; make the previous build current again."),
    ] = False,
    rulings: Rulings = None,
) -> None:
    """Load the current build into a PostgreSQL database; readers switch to it at once.

    Examples:
    kb publish --database postgresql+psycopg://kb@db.example.org/kb --site site
    kb publish --database postgresql+psycopg://kb@db.example.org/kb --rollback
    """
    if rollback:
        from kb.postgres.publish import roll_back

        print(f"build {roll_back(database)} is current again")
        return
    from kb.postgres import publish as publishing

    result = publishing.publish(paths_for(rulings), database, site)
    files = f", with {count_noun(result.files, 'file')} of the site" if site else ""
    print(f"build {result.build} is current{files}")
