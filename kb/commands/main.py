"""The program `kb`: its commands by group, and its exit codes.

Exit codes: 0 done, 1 problems found or nothing found, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import warnings
from typing import Annotated, NoReturn

import typer

from kb.commands.apply import apply
from kb.commands.build import build
from kb.commands.card import card
from kb.commands.changes import changes
from kb.commands.check import check
from kb.commands.deck import deck
from kb.commands.discord import discord
from kb.commands.export import export
from kb.commands.help import help_
from kb.commands.importing import import_
from kb.commands.licences import licences, program_version
from kb.commands.link import link
from kb.commands.mcp import mcp
from kb.commands.new import new
from kb.commands.options import count_noun, notify
from kb.commands.pack import pack
from kb.commands.publish import publish
from kb.commands.search import SearchCommand, search
from kb.commands.serve import serve
from kb.commands.show import show
from kb.commands.translated import translated
from kb.core.problems import KbError, WrongUsage, escape_control

# The groups of `kb --help`: readers come first, then webmasters, then curators.
GROUPS = {
    "Find rulings": (search, show, card, deck, link),
    "Publish": (build, pack, publish),
    "Serve": (serve, discord, mcp),
    "Curate": (check, new, changes, translated, import_, apply, export),
    "Learn more": (help_, licences),
}
app = typer.Typer(
    name="kb",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group, commands in GROUPS.items():
    for command in commands:
        app.command(
            command.__name__.rstrip("_"),
            cls=SearchCommand if command is search else None,
            rich_help_panel=group,
        )(command)


def main() -> None:
    """Run the command line; an error that a user can fix is a message, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    if not sys.warnoptions:
        # Warnings of libraries are for developers, who ask for them with python -W.
        warnings.simplefilter("ignore")
    try:
        app(prog_name="kb")
    except KbError as error:
        _fail(error)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        # Such as a full disk, which no command handles by itself.
        _fail(KbError(f"{error.filename or 'operating system'}: {error.strerror or error}"))
    except KeyboardInterrupt:
        notify("kb: interrupted")
        sys.exit(130)


def _fail(error: KbError) -> NoReturn:
    for problem in error.problems:
        notify(str(problem))
    message = escape_control(str(error))
    if error.problems:
        notify(f"{count_noun(len(error.problems), 'problem')}: {message}")
    else:
        notify(f"kb: {message}")
    sys.exit(2 if isinstance(error, WrongUsage) else 1)


def _print_version(value: bool) -> None:
    if value:
        print(f"kb {program_version()}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    """Find, check and publish rulings of trading card games, in any word form.

    Run a command with --help for its options, and kb help for the guides.

    Examples:
    kb search pilotów w strefie budowy
    kb build --output public
    kb serve --edit
    """
