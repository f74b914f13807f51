"""The commands by name, each loaded when it is asked for: a search loads no other command."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer

from kb.cli.help_text import Command, Group
from kb.cli.options import declared

# The groups of `kb --help`, each with its module and commands in order: readers come first, then
# webmasters, then curators.
GROUPS = (
    ("Find rulings", "reading", "search show card deck link"),
    ("Publish", "publishing", "build pack publish"),
    ("Serve", "serving", "serve discord mcp"),
    ("Curate", "curating", "check new changes translated import apply export"),
    ("Learn more", "guides", "help licences"),
)


class Commands(Mapping[str, Any]):
    """The commands by name. Looking one up imports its module."""

    def __init__(self) -> None:
        self._places = {
            name: (group, module) for group, module, names in GROUPS for name in names.split()
        }
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = _load(name, *self._places[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Program(Group):
    """The program, which loads its commands when they are asked for."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": Commands()})


def _load(name: str, group: str, module: str) -> Any:
    import_module(f"kb.cli.{module}")
    command = next(
        command
        for command in declared.registered_commands
        if name == (command.name or getattr(command.callback, "__name__", ""))
    )
    command.cls, command.rich_help_panel = Command, group
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.registered_commands.append(command)
    return typer.main.get_command(alone)
