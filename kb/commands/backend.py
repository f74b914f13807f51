"""What answers are read from: the build in a folder, or the one that is published in a database."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kb.build.paths import Paths
from kb.core.problems import KbError
from kb.store.queries import Store

if TYPE_CHECKING:
    from kb.language import FormTable
    from kb.search.searcher import Searcher


@dataclass(frozen=True)
class Database:
    """A PostgreSQL database by its address, with builds that `kb publish` loaded."""

    url: str


# Where a command reads: from a folder's build, made anew when it is missing, or from a database.
Target = Paths | Database


class Backend(Protocol):
    """A build. What it opens is closed by who asks. Raises NotBuilt where a part of it cannot be used."""

    def store(self) -> Store:
        """The store."""

    def table(self) -> FormTable:
        """The table of forms."""

    def searcher(self, engine: str | None) -> Searcher:
        """A searcher, with the engine of a name or that of the build. Raises KbError where the build has no such index."""


@dataclass(frozen=True)
class FolderBackend:
    """A build in a folder."""

    folder: Path

    def store(self) -> Store:
        return Store(self.folder / "kb.sqlite")

    def table(self) -> FormTable:
        from kb.language import FormTable

        return FormTable.open(self.folder / "forms.sqlite")

    def searcher(self, engine: str | None) -> Searcher:
        from kb.search.engines.base import chosen, known
        from kb.search.searcher import Searcher

        made = chosen(self.folder)
        if engine and known(engine) != made:
            raise KbError(
                f"the base was built with the engine {made}; kb build --engine {engine} makes the index of {engine}"
            )
        return Searcher(self.folder, engine)


@dataclass(frozen=True)
class DatabaseBackend:
    """The current build in a database."""

    url: str

    def store(self) -> Store:
        from kb.postgres.connection import PostgresConnection

        return Store(PostgresConnection(self.url))

    def table(self) -> FormTable:
        from kb.language import FormTable
        from kb.postgres.connection import PostgresConnection
        from kb.postgres.index import forms

        connection = PostgresConnection(self.url)
        try:
            return FormTable.open(forms(connection))
        finally:
            connection.close()

    def searcher(self, engine: str | None) -> Searcher:
        from kb.postgres.index import open_published

        if engine:
            raise KbError("a database has one engine, its own; --engine is for builds in a folder")
        return open_published(self.url)
