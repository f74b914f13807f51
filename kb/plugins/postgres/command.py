"""`kb publish`: load the current build into a PostgreSQL database."""

from __future__ import annotations

from pathlib import Path

import click

from kb.commands import options
from kb.commands.options import paths_for


@click.command()
@options.database(required=True, help="Such as postgresql+psycopg://user@host/name.")
@click.option(
    "--rollback", is_flag=True, help="Load nothing; make the previous build current again."
)
@options.rulings()
def publish(database: str, rollback: bool, rulings: Path | None) -> None:
    """Load the current build into a PostgreSQL database; readers switch to it at once.

    \b
    Examples:
    kb publish --database postgresql+psycopg://kb@db.example.org/kb
    kb publish --database postgresql+psycopg://kb@db.example.org/kb --rollback
    """
    from kb.plugins.postgres import publish as publishing

    if rollback:
        print(f"build {publishing.roll_back(database)} is current again")
        return
    print(f"build {publishing.publish(paths_for(rulings), database)} is current")
