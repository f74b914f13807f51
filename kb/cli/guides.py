"""Commands about the program itself: help, licences."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kb.cli.options import app


@app.command(name="help")
def help_(
    topic: Annotated[
        str, typer.Argument(metavar="[TOPIC]", help="A guide, such as searching or writing.")
    ] = "",
) -> None:
    """Show a guide, or list the guides.

    Example: kb help searching
    """
    from kb.commands.guides import guide_purposes, read_guide

    if not topic:
        for name, purpose in guide_purposes().items():
            print(f"{name:<15}{purpose}")
        return
    text = read_guide(topic)
    if sys.stdout.isatty():
        from kb.commands.terminal import page_markdown

        page_markdown(text)
    else:
        print(text, end="")


@app.command()
def licences() -> None:
    """List the installed packages that this program needs, and their licences.

    Example: kb licences
    """
    from kb.commands.licences import licences as installed

    for package in installed():
        needed = f"  ({package.extra})" if package.extra else ""
        print(f"{package.package:<24}{package.version:<19} {package.licence}{needed}")
