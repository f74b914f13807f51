"""Options, checks of values and messages that commands share."""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.core.json import dumps
from kb.core.problems import KbError, WrongUsage, posix_path, print_message

if TYPE_CHECKING:
    from kb.pipeline.paths import Paths

# A group of options in help texts.
input_output = partial(typer.Option, rich_help_panel="Input and output")
# Options whose help differs between commands. A short option means the same in every command.
format_option = partial(input_output, "--format", "-f", metavar="FORMAT")
output_option = partial(input_output, "--output", "-o")
game_option = partial(typer.Option, "--game", "-g", metavar="GAME")
lang_option = partial(typer.Option, "--lang", "-l")
database_option = partial(input_output, "--database", "-d", metavar="URL", envvar="KB_DATABASE")


def _checked_date(value: str) -> str:
    from kb.records.validity import valid_date

    try:
        return valid_date(value) if value else ""
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _interface_language(value: str) -> str:
    """Return the language of --interface or KB_LANG, else the locale's, else English.

    Both `pl` and `pl_PL.UTF-8` mean Polish.
    """
    names = (value, *map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG")))
    name = next(filter(None, names), "")
    code = re.split("[_.@-]", name)[0].lower()
    if not value:
        return code if re.fullmatch("[a-z]{2,3}", code) else "en"
    from kb.language import valid_language

    try:
        return valid_language(code)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def web_address(value: str) -> str:
    """Return a URL. Raises typer.BadParameter for another scheme than http and https."""
    if value and not value.startswith(("http://", "https://")):
        raise typer.BadParameter(f"{value!r} does not start with http:// or https://")
    return value


Rulings = Annotated[
    Path | None,
    input_output(
        "--rulings",
        "-r",
        metavar="DIR",
        help="The folder of records (default: ./rulings, else the records shipped with kb).",
    ),
]
Json = Annotated[bool, input_output("--json", help="Print only JSON on standard output.")]
Game = Annotated[str | None, game_option(help="Only this game, by id, such as swtcg.")]
Lang = Annotated[
    str | None, lang_option(metavar="LANG", help="Only texts in this language, such as pl.")
]
AsOf = Annotated[
    str,
    typer.Option(
        callback=_checked_date,
        metavar="DATE",
        help="What was in force on that day: 2003-06-01, or the last day of 2003-06 or 2003.",
    ),
]
Interface = Annotated[
    str,
    typer.Option(
        callback=_interface_language,
        metavar="LANG",
        envvar="KB_LANG",
        help="The language to show where several match alike, such as pl"
        " (default: the locale's; then English).",
    ),
]
Database = Annotated[
    str,
    database_option(
        help="The address of a database with a published build; a plug-in opens it (kb help).",
    ),
]
Site = Annotated[Path, output_option(metavar="DIR", help="The folder of the static site.")]
Overwrite = Annotated[bool, typer.Option("--force", help="Overwrite a file that kb did not write.")]
BaseUrl = Annotated[
    str,
    typer.Option(
        callback=web_address,
        metavar="URL",
        help="Where the site is served, for the addresses in answers.",
    ),
]


def paths_for(rulings: Path | None, *, own: bool = False) -> Paths:
    """Return the paths of the records that a command works on.

    Without a folder of records they are the games shipped with kb, and a message says so. `own`:
    raise KbError instead, because the command checks or writes records. Raises KbError without
    records.
    """
    from kb.pipeline.paths import find_paths, where_records_are

    paths = find_paths(rulings)
    if paths.is_packaged:
        if own:
            raise KbError(
                f"there are no rulings/ here; {where_records_are()};"
                f" for the games shipped with kb: --rulings {paths.rulings}"
            )
        notify(f"kb: reading the games shipped with kb; {where_records_are()}")
    return paths


def split_list(value: str) -> list[str]:
    """Split a comma-separated option, without blanks and empty items."""
    return [item.strip() for item in value.split(",") if item.strip()]


def read_input(path: Path, limit: int, kind: str) -> bytes:
    """Return the bytes of a file; `-` is standard input.

    `kind`: what the file should be. Raises KbError for more than `limit` bytes, WrongUsage for a
    file that cannot be read.
    """
    if str(path) == "-":
        data = sys.stdin.buffer.read(limit + 1)
    else:
        try:
            with path.open("rb") as file:
                data = file.read(limit + 1)
        except OSError as error:
            raise WrongUsage(f"{posix_path(path)}: {error.strerror}") from None
    if len(data) > limit:
        raise KbError(f"{path}: larger than {limit:,} bytes; is it {kind}?")
    return data


def count_noun(count: int, noun: str) -> str:
    """Format a count with its noun, such as `1 ruling` or `1,200 rulings`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


# Prints a message on standard error.
notify = print_message


def print_json(value: object) -> None:
    """Print JSON on standard output."""
    print(dumps(value))
