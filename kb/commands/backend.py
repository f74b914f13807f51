"""Opens the build that a command reads: in a folder, or published to a database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kb.commands.options import notify, paths_for
from kb.core.problems import KbError, NotBuilt
from kb.pipeline.data_folder import verify_small_files
from kb.pipeline.paths import Paths

if TYPE_CHECKING:
    from kb.search.searcher import Searcher

T = TypeVar("T")


@dataclass(frozen=True)
class Database:
    """A storage of builds that a plug-in opens, by its address."""

    address: str = field(repr=False)


Target = Paths | Database


def target_for(database: str | None, rulings: Path | None) -> Target:
    """Return the target to read from: the named database, else the build of the records."""
    return Database(database) if database else paths_for(rulings)


def with_searcher(target: Target, work: Callable[[Searcher], T], engine: str | None = None) -> T:
    """Run `work` on a searcher of the current build and return its result.

    If the build in a folder is missing or damaged, it is built again, with a message.
    Raises KbError when a database holds no usable build, or a folder no index of the named engine.
    """
    if isinstance(target, Database):
        from kb.pipeline.builds import open_current

        if engine:
            raise KbError("a database has its own engine; --engine is for builds in a folder")
        with open_current(target.address) as searcher:
            return work(searcher)
    try:
        # A new build leaves this one to its readers.
        current = target.current
        verify_small_files(current)
        return _with_folder(current, work, engine)
    except NotBuilt as error:
        notify(f"kb: {error}; building the index from the records now")
    from kb.pipeline.build import derive

    library = derive(target)
    if library.problems:
        notify(
            f"kb: problems in the records: {len(library.problems)};"
            f" rulings left out: {len(library.left_out)}; kb check lists them"
        )
    return _with_folder(target.current, work, engine)


def _with_folder(folder: Path, work: Callable[[Searcher], T], engine: str | None) -> T:
    from kb.search.engines.base import chosen, known
    from kb.search.searcher import Searcher

    built_with = chosen(folder)
    if engine and known(engine) != built_with:
        raise KbError(
            f"the base was built with the engine {built_with};"
            f" kb build --engine {engine} builds the index of {engine}"
        )
    with Searcher(folder, engine) as searcher:
        return work(searcher)
