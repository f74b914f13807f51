"""The command line: options, one call each, exit codes. 0 done, 1 problems found or nothing found, 2 wrong usage."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from kb.cli import curating, publishing, reading, serving
from kb.cli.common import app, counted
from kb.core.problems import KbError, escape_control

__all__ = ["app", "curating", "main", "publishing", "reading", "serving"]


def main() -> None:
    """Runs the command line; failures that a user can act upon are a message, not a traceback."""
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
        # A path that is too long, a folder that may not be entered, a full disk: where no command has more to say.
        _fail(KbError(f"{error.filename or 'the system'}: {error.strerror or error}"))
    except KeyboardInterrupt:
        print("kb: interrupted", file=sys.stderr)
        sys.exit(130)


def _fail(error: KbError) -> NoReturn:
    for problem in error.problems:
        print(problem, file=sys.stderr)
    if error.problems:
        print(
            f"{counted(len(error.problems), 'problem')}: {escape_control(str(error))}",
            file=sys.stderr,
        )
    else:
        print(f"kb: {escape_control(str(error))}", file=sys.stderr)
    sys.exit(1)


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        print(f"kb {version('kb-rulings')}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass
