"""The program `kb`: its commands by group, and its exit codes.

Exit codes: 0 done, 1 problems found or nothing found, 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import gc
import sys
import warnings
from importlib import import_module
from typing import NoReturn

import click

from kb.commands.options import count_noun, notify
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
_NAMES = [name for names in GROUPS.values() for name in names]
# The module and function of commands that cannot be named as in `kb.commands.search.search`.
_FUNCTIONS = {"import": "importing.import_", "help": "help.help_"}


class _LazyGroup(click.Group):
    """The program with its commands; each is imported when it is first asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, the plug-ins' last."""
        from kb.core.plugins import additions

        return list(dict.fromkeys((*_NAMES, *additions("commands"))))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command; None, with a message, if a plug-in's cannot be loaded."""
        if cmd_name in _NAMES:
            module, function = _FUNCTIONS.get(cmd_name, f"{cmd_name}.{cmd_name}").split(".")
            command: click.Command = getattr(import_module(f"kb.commands.{module}"), function)
            return command
        from kb.core.plugins import additions, load_addition

        try:
            known = cmd_name in additions("commands")
            return load_addition("commands", cmd_name, click.Command) if known else None
        except KbError as error:
            notify(f"kb: {error}")
            return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to call; the error of an unknown one suggests others."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(
                error.command_name, possibilities=self.list_commands(ctx), ctx=ctx
            ) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        width = max(map(len, names))
        for group, members in {**GROUPS, "Plug-ins": names[len(_NAMES) :]}.items():
            commands = {name: self.get_command(ctx, name) for name in members}
            rows = [
                (f"{name:<{width}}", command.get_short_help_str(limit=200))
                for name, command in commands.items()
                if command
            ]
            if rows:
                with formatter.section(group):
                    formatter.write_dl(rows)


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(
    package_name="kb-rulings", message="%(prog)s %(version)s", help="Print the version."
)
def app() -> None:
    """Find, check and publish rulings of trading card games, in any word form.

    Run a command with --help for its options, and kb help for the guides.

    \b
    Examples:
    kb search pilotów w strefie budowy
    kb build --output public
    kb serve --edit
    """


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
        sys.exit(app.main(prog_name="kb", standalone_mode=False))
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except KbError as error:
        _fail(error)
    except OSError as error:
        # Such as a full disk, which no command handles by itself.
        _fail(KbError(f"{error.filename or 'operating system'}: {error.strerror or error}"))
    except click.Abort:
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
