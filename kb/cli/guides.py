"""Commands about the program itself: help texts, guides, the manual page, licences."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from kb.cli.options import command


@command(name="help")
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
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="DIR", help="Write the guides as HTML pages to a folder."),
    ] = None,
) -> None:
    """Show how to use kb: all commands, one command, or a guide.

    Example: kb help search

    Example: kb help searching

    Example: kb help --html docs

    Example: kb help --man > ~/.local/share/man/man1/kb.1
    """
    from kb.commands.guides import read_guide, write_guides

    program: Any = ctx.find_root()
    if man:
        from kb.cli.man_page import man_page

        print(man_page(program.command, program), end="")
    elif html:
        print(f"{write_guides(html)} guides: {html / 'index.html'}")
    elif not topic:
        _print_overview(program)
    elif topic in program.command.commands:
        wanted = program.command.commands[topic]
        print(wanted.get_help(type(program)(wanted, info_name=topic, parent=program)))
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


@command()
def licences() -> None:
    """List the installed packages that this program needs, and their licences.

    Example: kb licences
    """
    from kb.commands.licences import licences as installed

    for package in installed():
        needed = f"  ({package.extra})" if package.extra else ""
        print(f"{package.package:<24}{package.version:<19} {package.licence}{needed}")
