"""Plug-ins: packages that add importers, commands, services of the server, and storages of builds.

A plug-in is a `Plugin` under the entry-point group `kb.plugins` of an installed package. It names
what it adds; nothing of that is imported before it is used. Libraries that only some commands need
are an `Extra`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal

from kb.core.problems import KbError, WrongUsage, print_message

GROUP = "kb.plugins"
Kind = Literal["importers", "commands", "services", "backends"]


@dataclass(frozen=True)
class Plugin:
    """What a package adds, each under its name, as `module:object`.

    `importers`: an `Importer` of kb.ingest.base, by the name of its format.
    `commands`: a command of Click, by its name.
    `services`: a `Service` of kb.server.services, by its name in `kb serve --with`.
    `backends`: a function from an address to `Builds` of kb.pipeline.builds, by the scheme of the
    address.
    `guide`: the Markdown file that `kb help` shows under the plug-in's name.
    """

    name: str
    importers: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, str] = field(default_factory=dict)
    services: Mapping[str, str] = field(default_factory=dict)
    backends: Mapping[str, str] = field(default_factory=dict)
    guide: Path | None = None


@dataclass(frozen=True)
class Extra:
    """An extra of `pyproject.toml`, and modules that it installs."""

    name: str
    modules: tuple[str, ...]

    def require(self) -> None:
        """Raise KbError, with the command that installs the extra, if a module is missing."""
        for module in self.modules:
            try:
                import_module(module)
            except ImportError:
                raise KbError(
                    f"this needs {module}, which is not installed: run pip install '.[{self.name}]'"
                    " in the folder of kb's source, or with the path of kb's wheel in place of the"
                    " dot"
                ) from None


SERVER = Extra("server", ("fastapi", "uvicorn", "watchfiles"))


@cache
def plugins() -> tuple[Plugin, ...]:
    """Return the installed plug-ins by name; print which ones cannot be loaded."""
    return tuple(sorted(_loaded(), key=lambda plugin: plugin.name))


def _loaded() -> Iterator[Plugin]:
    for entry in entry_points(group=GROUP):
        try:
            plugin = entry.load()
        except Exception as error:
            if not _is_deleted(entry, error):
                print_message(f"kb: {_not_loaded(entry.name, error)}")
            continue
        if isinstance(plugin, Plugin):
            yield plugin
        else:
            print_message(f"kb: the plug-in {entry.name} is not a kb.core.plugins.Plugin")


def _is_deleted(entry: EntryPoint, error: Exception) -> bool:
    """Return whether the module of a plug-in is missing: its folder may be left out of a copy."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    return missing is not None and f"{entry.module}.".startswith(f"{missing}.")


def additions(kind: Kind) -> dict[str, str]:
    """Return what plug-ins add of a kind, as `module:object` by name; the first of a name wins."""
    places = [item for plugin in plugins() for item in getattr(plugin, kind).items()]
    return dict(reversed(places))


def load_addition(kind: Kind, name: str, expected: type = object) -> Any:
    """Import what a plug-in adds under a name.

    Raises WrongUsage for an unknown name, KbError for an object that cannot be imported or is not
    of the expected type.
    """
    known = additions(kind)
    if name not in known:
        installed = ", ".join(sorted(known)) or "none"
        raise WrongUsage(f"{name!r} is not one of the installed {kind}: {installed}")
    try:
        loaded = resolve_name(known[name])
    except Exception as error:
        raise KbError(_not_loaded(name, error)) from error
    if not isinstance(loaded, expected):
        raise KbError(f"{known[name]} is not a {expected.__module__}.{expected.__qualname__}")
    return loaded


def _not_loaded(name: str, error: Exception) -> str:
    return f"the plug-in {name} cannot be loaded: {type(error).__name__}: {error}"
