"""Storages of builds: the folders that `kb build` writes, and others that have the same methods."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from kb.pipeline.paths import Paths
from kb.records.history import Change, changes
from kb.search.searcher import Searcher


class Builds(Protocol):
    """A storage of builds: folders on this machine, or a database."""

    def current(self) -> str:
        """Return the id of the current build. Raises NotBuilt when there is none."""

    def open(self, build_id: str) -> Searcher:
        """Open a build. Raises NotBuilt when it is damaged or gone."""

    def history(self) -> list[Change] | None:
        """Return every change of a record, newest first; None without a history."""


@dataclass(frozen=True)
class FolderBuilds:
    """Builds in the folders that `kb build` writes."""

    paths: Paths

    def current(self) -> str:
        """Return the name of the current build's folder."""
        return self.paths.current.name

    def open(self, build_id: str) -> Searcher:
        """Open the build in the folder of that name."""
        return Searcher(self.paths.data / "builds" / build_id)

    def history(self) -> list[Change] | None:
        """Read the records' git history."""
        return changes(self.paths.rulings)
