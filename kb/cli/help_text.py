"""Help texts: what `--help` prints, at any width, from the options that commands declare."""

from __future__ import annotations

import inspect
import shutil
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from kb.cli.conversion import QuickConversion

_EXAMPLE = "Example: "
_MAX_WIDTH = 100
_MIN_WIDTH = 20
# The widest first column; a longer term stands on a line of its own.
_MAX_TERM = 26
_DASH_HINT = "write -- before words that begin with a dash, as in: kb search pilot -- -space"

Rows = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CommandHelp:
    """The help of a command. `sections` are titled lists of (term, text)."""

    usage: str
    paragraphs: tuple[str, ...]
    sections: tuple[tuple[str, Rows], ...]
    examples: tuple[str, ...]


class Command(QuickConversion, TyperCommand):
    """A command whose help has whole lines, groups of options and examples."""

    def get_usage(self, ctx: Any) -> str:
        """Return the usage line, which errors show too."""
        return f"Usage: {_usage(self, ctx)}"

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help at the width of the terminal."""
        formatter.write(to_text(describe(self, ctx), terminal_width()))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; an unknown option of `search` may be meant as a word."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if self.name == "search" and type(error).__name__ == "NoSuchOption":
                error.message = f"{error.message.rstrip('.')}; {_DASH_HINT}"  # type: ignore[attr-defined]
            raise


class Group(QuickConversion, TyperGroup):
    """The program, whose help lists the commands in groups."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help at the width of the terminal."""
        formatter.write(to_text(describe_group(self, ctx), terminal_width()))


def terminal_width() -> int:
    """Return how many columns help texts use."""
    return max(_MIN_WIDTH, min(shutil.get_terminal_size().columns, _MAX_WIDTH))


def describe(command: Any, ctx: typer.Context) -> CommandHelp:
    """Describe a command; options are grouped by their `rich_help_panel`."""
    paragraphs, examples = _split_help(command.help)
    arguments: list[tuple[str, str]] = []
    groups: dict[str, list[tuple[str, str]]] = {"Options": []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is None:
            continue
        if parameter.param_type_name == "argument":
            arguments.append((parameter.metavar or parameter.name.upper(), parameter.help or ""))
        else:
            panel = getattr(parameter, "rich_help_panel", None) or "Options"
            groups.setdefault(panel, []).append(record)
    sections = [("Arguments", tuple(arguments))] if arguments else []
    sections += [(title, tuple(rows)) for title, rows in groups.items()]
    return CommandHelp(_usage(command, ctx), paragraphs, tuple(sections), examples)


def describe_group(group: Any, ctx: typer.Context) -> CommandHelp:
    """Describe the program: its commands by their `rich_help_panel`, then its own options."""
    own = describe(group, ctx)
    panels: dict[str, list[tuple[str, str]]] = {}
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        if not command.hidden:
            panel = command.rich_help_panel or "Commands"
            panels.setdefault(panel, []).append((name, summary(command)))
    sections = (*((title, tuple(rows)) for title, rows in panels.items()), *own.sections)
    return CommandHelp(own.usage, own.paragraphs, sections, own.examples)


def summary(command: Any) -> str:
    """Return the first paragraph of a command's help."""
    return next(iter(_split_help(command.help)[0]), "")


def _usage(command: Any, ctx: typer.Context) -> str:
    pieces = [
        parameter.metavar or parameter.name.upper()
        for parameter in command.params
        if parameter.param_type_name == "argument"
    ]
    tail = pieces or (["COMMAND [ARGUMENT]..."] if isinstance(command, TyperGroup) else [])
    return " ".join([ctx.command_path, "[OPTION]...", *tail])


def _split_help(text: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Split a docstring into its paragraphs, each on one line, and the commands of its examples."""
    paragraphs = [
        " ".join(paragraph.split()) for paragraph in inspect.cleandoc(text or "").split("\n\n")
    ]
    examples = [part.removeprefix(_EXAMPLE) for part in paragraphs if part.startswith(_EXAMPLE)]
    return (
        tuple(part for part in paragraphs if part and not part.startswith(_EXAMPLE)),
        tuple(examples),
    )


def to_text(described: CommandHelp, width: int) -> str:
    """Return a help text whose lines have at most `width` columns, where words allow it."""
    return "\n".join(_lines(described, width)) + "\n"


def _lines(described: CommandHelp, width: int) -> Iterator[str]:
    yield from _wrap(described.usage, width, "Usage: ", " " * 7)
    for paragraph in described.paragraphs:
        yield ""
        yield from _wrap(paragraph, width)
    for title, rows in described.sections:
        yield ""
        yield f"{title}:"
        yield from two_columns(rows, width)
    if described.examples:
        yield ""
        yield "Examples:"
        for example in described.examples:
            yield from _wrap(example, width, "  ", "      ")


def two_columns(rows: Sequence[tuple[str, str]], width: int) -> Iterator[str]:
    """Yield rows as a list of terms and texts; continued lines are indented below the text."""
    column = min(max((len(term) for term, _ in rows), default=0), _MAX_TERM, width // 2) + 4
    for term, text in rows:
        first = f"  {term}"
        if len(first) + 2 > column:
            yield first
            first = ""
        yield from _wrap(text, width, first.ljust(column), " " * column) if text else [first]


def _wrap(text: str, width: int, first: str = "", indent: str = "") -> Iterable[str]:
    return textwrap.wrap(
        text,
        max(width, len(indent) + 10),
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
