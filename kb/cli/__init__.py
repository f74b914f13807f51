"""The command line: options, one call per command, exit codes.

Exit codes: 0 done, 1 problems found or nothing found, 2 wrong usage.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from kb.cli import curating, guides, publishing, reading, serving
from kb.cli.options import app, count_noun, notify
from kb.core.problems import KbError, escape_control

# Readers come first in `kb --help`, then webmasters, then curators.
_MODULES = (reading, publishing, serving, curating, guides)
app.registered_commands.sort(
    key=lambda command: [module.__name__ for module in _MODULES].index(
        getattr(command.callback, "__module__", "")
    )
)

__all__ = ["app", "curating", "guides", "main", "publishing", "reading", "serving"]


def main() -> None:
    """Run the command line; an error that a user can fix is a message, never a traceback."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
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
    sys.exit(1)


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
    pass
