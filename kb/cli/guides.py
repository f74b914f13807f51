"""The command that shows the guides: help."""

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
