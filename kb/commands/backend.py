"""Opens the build that a command reads: in a folder, or published to a database."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kb.commands.options import notify, paths_for
from kb.core.problems import NotBuilt, posix_path
from kb.pipeline.data_folder import open_build
from kb.pipeline.paths import Paths

if TYPE_CHECKING:
    from kb.search.searcher import Searcher

T = TypeVar("T")
# The records' build, or the address of a database, which a plug-in opens.
Target = Paths | str


def target_for(database: str | None, rulings: Path | None) -> Target:
    """Return the target to read from: the named database, else the build of the records."""
    return database or paths_for(rulings)


def with_searcher(target: Target, work: Callable[[Searcher], T]) -> T:
    """Run `work` on a searcher of the current build and return its result.

    If the build in a folder is missing or damaged, it is built again, with a message. Warns if
    it is older than the records. Raises KbError when a database holds no usable build.
    """
    if isinstance(target, str):
        from kb.pipeline.builds import open_current

        with open_current(target) as searcher:
            return work(searcher)
    try:
        # A new build leaves this one to its readers.
        with open_build(target.current) as searcher:
            _warn_if_older(target)
            return work(searcher)
    except NotBuilt as error:
        notify(f"kb: {error}; building the index from the records now")
    from kb.pipeline.build import derive

    library = derive(target)
    if library.problems:
        notify(
            f"kb: problems in the records: {len(library.problems)};"
            f" rulings left out: {len(library.left_out)}; kb check lists them"
        )
    with open_build(target.current) as searcher:
        return work(searcher)


def _warn_if_older(target: Paths) -> None:
    if changed := target.changed_since_build():
        path = posix_path(changed)
        notify(f"kb: {path} has changed since the last build; kb build includes it")
