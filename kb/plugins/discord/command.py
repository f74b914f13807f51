"""`kb discord`: the commands to register with Discord."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import typer

from kb.commands.options import Rulings, paths_for


def discord(
    what: Annotated[Literal["commands"], typer.Argument(metavar="commands", help="What to print.")],
    rulings: Rulings = None,
) -> None:
    """Print the commands that have to be registered with Discord, as JSON.

    Example:
    kb discord commands > commands.json
    """
    from kb.pipeline.paths import find_templates
    from kb.plugins.chats.replies import Recipients
    from kb.plugins.discord.interactions import commands

    templates = find_templates(paths_for(rulings).rulings)
    print(json.dumps(commands(Recipients(templates)), ensure_ascii=False, indent=2))
