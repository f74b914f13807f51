"""What the commands share: the application, common options, how failures are said."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from kb.build.paths import Paths
    from kb.commands.backend import Target

app = typer.Typer(
    name="kb",
    help="Rulings of trading card games: checked, searched in any form of a word, rendered to a static site.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Rulings = Annotated[
    Path | None,
    typer.Option(
        "--rulings",
        metavar="DIR",
        help="The folder of records (default: ./rulings, else those that come with kb).",
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON on standard output and nothing else.")
]
GameOption = Annotated[
    str | None,
    typer.Option("--game", "-g", metavar="GAME", help="Only this game, by its id, such as swtcg."),
]


AsOf = Annotated[
    str,
    typer.Option(
        "--as-of",
        metavar="DATE",
        help="What stood on that day: 2003-06-01, or at the end of 2003-06 or 2003.",
    ),
]


DatabaseOption = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="URL",
        envvar="KB_DATABASE",
        help="Read what kb publish put into a PostgreSQL database, such as postgresql+psycopg://user@host/name.",
    ),
]


def target_of(database: str, rulings: Path | None) -> Target:
    """What a command reads from: a database that was named, else the records' own build."""
    if not database:
        return places_of(rulings)
    from kb.commands.backend import Database

    return Database(database)


def counted(count: int, noun: str) -> str:
    """A number with its noun."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def date_of(value: str) -> str:
    """A date as an option was given, checked; a wrong one is wrong usage."""
    if not value:
        return ""
    from kb.records.model import dated_text

    try:
        return dated_text(value)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--as-of") from None


def web_address(value: str, option: str, schemes: tuple[str, ...]) -> None:
    """Lets an address pass that begins with one of the schemes; another is wrong usage."""
    if value and not value.startswith(schemes):
        raise typer.BadParameter(
            f"{value!r} does not begin with {' or '.join(schemes)}", param_hint=option
        )


def places_of(rulings: Path | None) -> Paths:
    """Where the records are that a command means."""
    from kb.build.paths import find_paths

    return find_paths(rulings)


def say(text: str) -> None:
    """Tells people something, on standard error."""
    print(text, file=sys.stderr)
