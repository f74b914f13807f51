"""Options, checks of values and messages that commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kb.core.json import dumps
from kb.core.problems import KbError, print_message

if TYPE_CHECKING:
    from kb.pipeline.paths import Paths

F = TypeVar("F", bound=Callable[..., object])


def _date(value: str) -> str:
    from kb.records.validity import valid_date

    return valid_date(value) if value else ""


def _interface_language(value: str) -> str:
    """Return the language of --interface or KB_LANG, else the locale's, else English.

    Both `pl` and `pl_PL.UTF-8` mean Polish. Raises ValueError for another value of the option.
    """
    names = (value, *map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG")))
    name = next(filter(None, names), "")
    code = re.split("[_.@-]", name)[0].lower()
    if not value:
        return code if re.fullmatch("[a-z]{2,3}", code) else "en"
    from kb.language import valid_language

    return valid_language(code)


def _web_address(value: str) -> str:
    """Return a URL. Raises ValueError for another scheme than http and https."""
    if value and not value.startswith(("http://", "https://")):
        raise ValueError(f"{value!r} does not start with http:// or https://")
    return value


def choice(*names: str, words: Sequence[str], **attributes: Any) -> Callable[[F], F]:
    """Return an option whose value is one of some words, which are its help if it has no other."""
    attributes = {"help": f"{', '.join(words[:-1])} or {words[-1]}.", **attributes}
    return click.option(*names, type=click.Choice(words), show_default=True, **attributes)


PATH = click.Path(path_type=Path)

# A short option means the same in every command; where its help differs, the command gives it.
rulings = partial(
    click.option,
    "--rulings",
    "-r",
    type=PATH,
    metavar="DIR",
    help="The folder of records (default: ./rulings, else the records shipped with kb).",
)
as_json = partial(
    click.option, "--json", "as_json", is_flag=True, help="Print only JSON on standard output."
)
output_format = partial(choice, "--format", "-f", "output_format", metavar="FORMAT")
output = partial(click.option, "--output", "-o", type=PATH)
site = partial(
    output,
    default=Path("site"),
    metavar="DIR",
    show_default=True,
    help="The folder of the static site.",
)
game = partial(
    click.option, "--game", "-g", metavar="GAME", help="Only this game, by id, such as swtcg."
)
lang = partial(
    click.option, "--lang", "-l", metavar="LANG", help="Only texts in this language, such as pl."
)
as_of = partial(
    click.option,
    "--as-of",
    type=_date,
    default="",
    metavar="DATE",
    help="What was in force on that day: 2003-06-01, or the last day of 2003-06 or 2003.",
)
interface = partial(
    click.option,
    "--interface",
    type=_interface_language,
    default="",
    metavar="LANG",
    envvar="KB_LANG",
    show_envvar=True,
    help="The language to show where several match alike, such as pl"
    " (default: the locale's; then English).",
)
database = partial(
    click.option,
    "--database",
    "-d",
    metavar="URL",
    envvar="KB_DATABASE",
    show_envvar=True,
    help="The address of a database with a published build; a plug-in opens it (kb help).",
)
overwrite = partial(
    click.option, "--force", is_flag=True, help="Overwrite a file that kb did not write."
)
base_url = partial(
    click.option,
    "--base-url",
    type=_web_address,
    default="",
    metavar="URL",
    help="Where the site is served, for the addresses in answers.",
)


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


def count_noun(count: int, noun: str) -> str:
    """Format a count with its noun, such as `1 ruling` or `1,200 rulings`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


# Prints a message on standard error.
notify = print_message


def print_json(value: object) -> None:
    """Print JSON on standard output."""
    print(dumps(value))
