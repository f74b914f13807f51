"""`kb discord`: the commands to register with Discord."""

from __future__ import annotations

import json
from pathlib import Path

import click

from kb.commands import options
from kb.commands.options import paths_for


@click.command()
@click.argument("what", type=click.Choice(["commands"]), metavar="commands", help="What to print.")
@options.rulings()
def discord(what: str, rulings: Path | None) -> None:
    """Print the commands that have to be registered with Discord, as JSON.

    \b
    Example:
    kb discord commands > commands.json
    """
    from kb.pipeline.paths import find_templates
    from kb.plugins.chats.replies import Recipients
    from kb.plugins.discord.interactions import commands

    templates = find_templates(paths_for(rulings).rulings)
    print(json.dumps(commands(Recipients(templates)), ensure_ascii=False, indent=2))
