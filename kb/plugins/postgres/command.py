"""`kb publish`: load the current build into a PostgreSQL database."""

from __future__ import annotations

from typing import Annotated

import typer

from kb.commands.options import Rulings, database_option, paths_for


def publish(
    database: Annotated[
        str,
        database_option(help="Such as postgresql+psycopg://user@host/name."),
    ],
    rollback: Annotated[
        bool,
        typer.Option("--rollback", help="Load nothing; make the previous build current again."),
    ] = False,
    rulings: Rulings = None,
) -> None:
    """Load the current build into a PostgreSQL database; readers switch to it at once.

    Examples:
    kb publish --database postgresql+psycopg://kb@db.example.org/kb
    kb publish --database postgresql+psycopg://kb@db.example.org/kb --rollback
    """
    from kb.plugins.postgres import publish as publishing

    if rollback:
        print(f"build {publishing.roll_back(database)} is current again")
        return
    print(f"build {publishing.publish(paths_for(rulings), database)} is current")
