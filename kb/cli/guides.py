"""The command that shows help texts, the guides and the manual page: help."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from kb.cli.options import app


@app.command(name="help")
def help_(
    ctx: typer.Context,
    topic: Annotated[
        str,
        typer.Argument(
            metavar="[TOPIC]", help="A command, or a guide such as searching or writing."
        ),
    ] = "",
    man: Annotated[
        bool, typer.Option("--man", help="Print the manual page kb(1), as troff source.")
    ] = False,
) -> None:
    """Show how to use kb: all commands, one command, or a guide.

    Example: kb help search

    Example: kb help searching

    Example: kb help --man > ~/.local/share/man/man1/kb.1
    """
    from kb.commands.guides import read_guide

    program: Any = ctx.find_root()
    if man:
        from kb.cli.man_page import man_page

        print(man_page(program.command, program), end="")
    elif not topic:
        _print_overview(program)
    elif topic in program.command.commands:
        command = program.command.commands[topic]
        print(command.get_help(type(program)(command, info_name=topic, parent=program)))
    else:
        _print_guide(read_guide(topic))


def _print_overview(program: Any) -> None:
    from kb.cli.help_text import terminal_width, two_columns
    from kb.commands.guides import guide_purposes

    print(program.command.get_help(program))
    print("\nGuides (kb help NAME):")
    print("\n".join(two_columns(tuple(guide_purposes().items()), terminal_width())))


def _print_guide(text: str) -> None:
    if sys.stdout.isatty():
        from kb.commands.terminal import page_markdown

        page_markdown(text)
    else:
        print(text, end="")
