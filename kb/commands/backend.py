"""Opens the build that a command reads: in a folder, or published to a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kb.core.problems import KbError, NotBuilt, WrongUsage
from kb.pipeline.data_folder import verify_small_files
from kb.pipeline.paths import Paths

if TYPE_CHECKING:
    from kb.language import FormTable
    from kb.search.searcher import Searcher
    from kb.store.model import Reader
    from kb.store.queries import Store

T = TypeVar("T")
Notify = Callable[[str], None]
# New builds that may be swapped in while one command reads.
_MAX_SWAPS = 20


@dataclass(frozen=True)
class Database:
    """A PostgreSQL database, by URL, that `kb publish` loads builds into."""

    url: str = field(repr=False)


Target = Paths | Database


@dataclass(frozen=True)
class FolderBackend:
    """A build in a folder. Callers close what they open.

    Every method raises NotBuilt when its part of the build is missing or damaged.
    """

    folder: Path

    def reader(self) -> Reader:
        from kb.search.engines.base import open_index

        return open_index(self.folder).reader

    def store(self) -> Store:
        from kb.store.queries import Store

        return Store(self.folder / "kb.sqlite")

    def table(self) -> FormTable:
        from kb.language import FormTable

        return FormTable.open(self.folder / "forms.sqlite")

    def searcher(self, engine: str | None) -> Searcher:
        """Open a searcher. Raises KbError when the build has no index of the named engine."""
        from kb.search.engines.base import chosen, known
        from kb.search.searcher import Searcher

        built_with = chosen(self.folder)
        if engine and known(engine) != built_with:
            raise KbError(
                f"the base was built with the engine {built_with};"
                f" kb build --engine {engine} builds the index of {engine}"
            )
        return Searcher(self.folder, engine)


@dataclass(frozen=True)
class DatabaseBackend:
    """The current build in a database; see FolderBackend."""

    url: str = field(repr=False)

    def reader(self) -> Reader:
        return self.store()

    def store(self) -> Store:
        from kb.postgres.index import open_build
        from kb.store.queries import Store

        return Store(open_build(self.url))

    def table(self) -> FormTable:
        from kb.postgres.index import open_build, open_forms

        engine = open_build(self.url)
        try:
            return open_forms(engine)
        finally:
            engine.dispose()

    def searcher(self, engine: str | None) -> Searcher:
        from kb.postgres.index import open_published

        if engine:
            raise KbError("a database has its own engine; --engine is for builds in a folder")
        return open_published(self.url)


Backend = FolderBackend | DatabaseBackend


def with_backend(target: Target, work: Callable[[Backend], T], say: Notify) -> T:
    """Run `work` on the current build and return its result.

    If the build in a folder is missing or damaged, it is built again, with a message to `say`.
    Raises KbError when a database holds no usable build.
    """
    if isinstance(target, Database):
        try:
            return work(DatabaseBackend(target.url))
        except NotBuilt as error:
            raise KbError(str(error)) from None
    for _ in range(_MAX_SWAPS):
        current = _current_or_none(target)
        try:
            verify_small_files(target.current)
            return work(FolderBackend(target.current))
        except NotBuilt as error:
            reason = error
        # Try again only if a new build was swapped in meanwhile.
        if current == _current_or_none(target):
            break
    say(f"kb: {reason}; building the index from the records now")
    from kb.pipeline.build import derive

    library = derive(target)
    if library.problems:
        say(
            f"kb: problems in the records: {len(library.problems)};"
            f" rulings left out: {len(library.left_out)}; kb check lists them"
        )
    return work(FolderBackend(target.current))


def _current_or_none(paths: Paths) -> Path | None:
    try:
        return paths.current
    except NotBuilt:
        return None


def require_known(reader: Reader, game: str | None, lang: str | None = None) -> None:
    """Raise WrongUsage for an unknown game or language."""
    languages = reader.languages()
    if game is not None and game not in languages:
        raise WrongUsage(f"no game {game!r}; choose one of {', '.join(languages)}")
    known = {code for codes in languages.values() for code in codes}
    if lang is not None and lang not in known:
        from kb.language import language_hint

        hint = language_hint(lang) or f"; choose one of {', '.join(sorted(known))}"
        raise WrongUsage(f"no rulings in {lang!r}{hint}")
