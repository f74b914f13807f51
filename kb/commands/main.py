"""The program `kb`: its commands by group, and its exit codes.

Exit codes: 0 done, 1 problems found or nothing found, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_command

from kb.commands.options import count_noun, notify
from kb.core.plugins import additions, load_addition
from kb.core.problems import KbError, WrongUsage, escape_control

# New objects between two searches for cyclic garbage.
_COLLECTED = 100_000
# The groups of `kb --help`: readers come first, then webmasters, then curators.
GROUPS = {
    "Find rulings": ("search", "show", "card", "deck", "link"),
    "Publish": ("build", "pack"),
    "Serve": ("serve",),
    "Curate": ("check", "new", "changes", "translated", "import", "export"),
    "Learn more": ("help",),
}
_CONTEXT_SETTINGS = {"help_option_names": ["-h", "--help"]}
_PANELS = {name: group for group, names in GROUPS.items() for name in names}
# The module and function of commands that cannot be named as in `kb.commands.search.search`.
_FUNCTIONS = {"import": "importing.import_", "help": "help.help_"}


@cache
def _command(name: str) -> Any:
    """Return a command of this package or of a plug-in. Raises KeyError for an unknown name."""
    command_class = None
    if name in _PANELS:
        module_name, function_name = _FUNCTIONS.get(name, f"{name}.{name}").split(".")
        module = import_module(f"kb.commands.{module_name}")
        function = getattr(module, function_name)
        command_class = getattr(module, "SearchCommand", None)
    else:
        function = _plugin_command(name)
    single = typer.Typer(
        add_completion=False, rich_markup_mode="rich", context_settings=_CONTEXT_SETTINGS
    )
    panel = _PANELS.get(name, "Plug-ins")
    single.command(name, cls=command_class, rich_help_panel=panel)(function)
    return get_command(single)


def _plugin_command(name: str) -> Any:
    """Return the function of a command. Raises KeyError, with a message if it cannot be loaded."""
    if name not in additions("commands"):
        raise KeyError(name)
    try:
        return load_addition("commands", name)
    except KbError as error:
        notify(f"kb: {error}")
        raise KeyError(name) from error


class _Commands(Mapping[str, Any]):
    """The commands by name, the plug-ins' last; each is imported when it is first asked for.

    Saves 0.05 s of the 0.5 s of `kb search` on the three games.
    """

    def __getitem__(self, name: str) -> Any:
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*_PANELS, *additions("commands"))))

    def __len__(self) -> int:
        return len(list(iter(self)))


class _LazyGroup(TyperGroup):
    """The program with its commands."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Commands()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, even if a plug-in's cannot be loaded."""
        return list(self.commands)


app = typer.Typer(
    name="kb",
    cls=_LazyGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings=_CONTEXT_SETTINGS,
)


def main() -> None:
    """Run the command line; an error that a user can fix is a message, never a traceback."""
    # Most of what commands load stays until they end: looking for garbage less often saves a tenth
    # of the processor time of a search, and its own cyclic garbage is small.
    gc.set_threshold(_COLLECTED)
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
        from importlib.metadata import version

        print(f"kb {version('kb-rulings')}")
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
