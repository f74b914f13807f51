"""Storages of builds: the folders that `kb build` writes, and databases that plug-ins open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol

from kb.core.plugins import additions, load_addition
from kb.core.problems import WrongUsage
from kb.pipeline.data_folder import BUILDS, open_build
from kb.pipeline.paths import Paths
from kb.records.history import Change, changes
from kb.search.searcher import Searcher

_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://")


class Builds(Protocol):
    """A storage of builds: folders on this machine, or a database."""

    def current(self) -> str:
        """Return the id of the current build. Raises NotBuilt without a build."""

    def open(self, build_id: str) -> Searcher:
        """Open a build. Raises NotBuilt when it is damaged or gone."""

    def history(self) -> list[Change] | None:
        """Return every change of a record, newest first; None without a history."""


@dataclass(frozen=True)
class FolderBuilds:
    """Builds in the folders that `kb build` writes."""

    paths: Paths

    def current(self) -> str:
        return self.paths.current.name

    def open(self, build_id: str) -> Searcher:
        return open_build(self.paths.data / BUILDS / build_id)

    def history(self) -> list[Change] | None:
        return changes(self.paths.rulings)


def open_builds(address: str) -> Builds:
    """Return the storage at an address, which the plug-in of its scheme opens.

    Raises WrongUsage for a scheme without a plug-in. The message has no other part of the address,
    because any of them may be a password.
    """
    backends = additions("backends")
    match = _SCHEME.match(address)
    scheme = match[1] if match else ""
    if scheme not in backends:
        installed = ", ".join(f"{each}://" for each in sorted(backends)) or "none"
        problem = f"no plug-in opens {scheme}://" if scheme else "not the address of a database"
        raise WrongUsage(f"{problem}; installed: {installed}")
    builds: Builds = load_addition("backends", scheme)(address)
    return builds


def open_current(address: str) -> Searcher:
    """Open the current build of the storage at an address.

    Raises NotBuilt without a build, KbError if the storage cannot be reached.
    """
    builds = open_builds(address)
    return builds.open(builds.current())
