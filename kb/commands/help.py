"""`kb help`: the commands, and the guides: Markdown files in `kb/help/` and of plug-ins."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kb.commands.main import app
from kb.core.plugins import plugins
from kb.core.problems import WrongUsage

GUIDES = Path(__file__).resolve().parent.parent / "help"
# The guides for developers of the program, listed last.
FOR_CONTRIBUTORS = frozenset("extending glossary how-it-works testing".split())


@click.command("help")
@click.argument("topic", default="", help="A command, or a guide such as searching or writing.")
@click.pass_context
def help_(context: click.Context, topic: str) -> None:
    """Show how to use kb: all commands, one command, or a guide.

    \b
    Examples:
    kb help search
    kb help searching
    """
    root = context.find_root()
    if topic:
        _print_topic(topic, root)
    else:
        _print_overview(root)


def _print_overview(root: click.Context) -> None:
    formatter = root.make_formatter()
    app.format_help(root, formatter)
    # The sentence below the title of each guide.
    about = {
        name: next(filter(None, text.split("\n")[1:]), "") for name, text in read_guides().items()
    }
    own = [item for item in about.items() if item[0] not in FOR_CONTRIBUTORS]
    with formatter.section("Guides (kb help NAME)"):
        formatter.write_dl(own)
    with formatter.section("To change kb itself"):
        formatter.write_dl([item for item in about.items() if item not in own])
    print(formatter.getvalue(), end="")


def _print_topic(topic: str, root: click.Context) -> None:
    """Print a command or a guide, or both of one name: many plug-ins have them."""
    command, guides = app.get_command(root, topic), read_guides()
    if command:
        print(command.get_help(click.Context(command, info_name=topic, parent=root)))
    elif topic not in guides:
        raise WrongUsage(f"there is no guide {topic!r}; choose one of {', '.join(guides)}")
    if topic in guides:
        _print_guide(guides[topic])


def _print_guide(text: str) -> None:
    if not sys.stdout.isatty():
        print(text, end="")
        return
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console()
    with console.pager(styles=True):
        console.print(Markdown(text))


def read_guides() -> dict[str, str]:
    """Return the Markdown of each guide by its name: kb's own, of plug-ins, for contributors."""
    paths = {path.stem: path for path in sorted(GUIDES.glob("*.md"))}
    for plugin in plugins():
        if plugin.guide and plugin.guide.is_file():
            paths.setdefault(plugin.name, plugin.guide)
    names = sorted(paths, key=lambda name: name in FOR_CONTRIBUTORS)
    return {name: paths[name].read_text("utf-8") for name in names}
