"""The command line: options, one call per command, exit codes.

Exit codes: 0 done, 1 problems found or nothing found, 2 wrong usage.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
import warnings
from typing import Annotated, NoReturn

import typer

from kb.cli.commands import Program
from kb.cli.options import count_noun, notify
from kb.core.problems import KbError, WrongUsage, escape_control

app = typer.Typer(
    name="kb",
    cls=Program,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; an error that a user can fix is a message, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    if not sys.warnoptions:
        # Warnings are for developers (python -W); a library's mean nothing to a user.
        warnings.simplefilter("ignore")
    # Most commands end before there is much garbage: looking for it is a tenth of their time, and
    # Python would go through all objects once more at the end.
    gc.set_threshold(50_000, 20, 50)
    atexit.register(gc.freeze)
    # Pydantic would look for plugins in all installed packages: a twentieth of `kb check`.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        app(prog_name="kb")
    except KbError as error:
        _fail(error)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        # No command handles a path that is too long, a full disk and the like more precisely.
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
        from kb.commands.licences import program_version

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

    Example: kb search pilotów w strefie budowy

    Example: kb build --output public

    Example: kb serve --edit
    """
