"""What a process keeps in memory between its builds of one base."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.memo import Memo
from kb.core.problems import KbError, NotBuilt
from kb.pipeline.cache import FILE, Stage, write_cache
from kb.pipeline.paths import Paths
from kb.pipeline.previous import BuiltInMemory, PreviousBuild, read_previous
from kb.pipeline.stat_cache import StatCache

if TYPE_CHECKING:
    from kb.core.derived_data import DerivedData
    from kb.pipeline.linked import LinkedLibrary, LinkSession
    from kb.pipeline.spare import SpareSite
    from kb.site.site_build import Site

# How often shards that were retired long ago are looked for, in seconds.
_SWEEP = 60.0
# Size, inode and times of each file of a build, by its path.
_Looks = dict[str, tuple[int, int, int, int]]


@dataclass(frozen=True)
class _LastBuild:
    """The last build of this process, where its site is, and what its other files were like."""

    build: PreviousBuild
    output: Path
    looks: _Looks


class BuildSession:
    """Keeps what the next build can use again; a build that is done once has one of its own.

    Nothing here is needed: what is kept is used only where it has the same content as what is
    there now, and what somebody else has built since is read from its files.
    """

    def __init__(self, *, keep: bool = True) -> None:
        self.keep = keep
        self.memo = Memo(keep=keep)
        self._last: _LastBuild | None = None
        self._unsaved = False
        # Whether builds find in memory all that they can use again.
        self.is_warm = False
        self._stats: dict[Path, Stage] = {}
        self._next_sweep = 0.0

    # What only a build that has something to do needs is loaded then.

    @cached_property
    def derived(self) -> DerivedData | None:
        """What builds from nothing take over from each other; None where a process goes on."""
        from kb.core.derived_data import DerivedData
        from kb.pipeline.inputs import code_hash

        return None if self.keep else DerivedData(code_hash())

    @cached_property
    def links(self) -> LinkSession:
        """What linking keeps for the next library."""
        from kb.pipeline.linked import LinkSession

        return LinkSession(self.memo, self.derived)

    @cached_property
    def spare(self) -> SpareSite:
        """The site before the last one."""
        from kb.pipeline.spare import SpareSite

        return SpareSite(keep=self.keep)

    def forget_links(self) -> None:
        """Free what linking kept, where no other library follows."""
        if not self.keep:
            del self.links

    def stats(self, folder: Path, known: Callable[[], Stage] = dict) -> StatCache:
        """Return the checksums of the files of a folder; `known` gives rows of an earlier look."""
        rows = self._stats.get(folder)
        stats = StatCache(folder, known() if rows is None else rows)
        if self.keep:
            self._stats[folder] = stats.rows
        return stats

    def read_previous(self, paths: Paths) -> tuple[PreviousBuild, str]:
        """The last build, from memory where it is this process's own, and what is wrong with it."""
        last = self._last
        if last and last.looks and last.looks == _looks(paths):
            return last.build, ""
        self._last = None
        return read_previous(paths)

    def remember(
        self,
        paths: Paths,
        output: Path,
        linked: LinkedLibrary,
        site: Site,
        looked: StatCache,
        stages: Mapping[str, Stage] | None,
        *,
        saved: bool = False,
    ) -> None:
        """Keep a build that was just published; without `stages` nothing may be built on it.

        `looked`: what the files of the records were like before they were read. `saved`: other
        processes have all of it already.
        """
        from kb.pipeline.parsed import CachedFiles
        from kb.records.reread import Reading

        self._last = None
        if self.keep and stages:
            files = CachedFiles(stages, linked.by_path, linked.parsed)
            # A file may have been written between the look and the reading of it.
            checksums = {**looked.checksums, **linked.read.checksums}
            reading = Reading(linked.read, files.rulings_of, checksums, looked.folders)
            memory = BuiltInMemory(files, linked, reading, site)
            last = PreviousBuild(paths.rulings, paths.current, stages, memory)
            self._last = _LastBuild(last, output, _looks(paths))
            self._unsaved = not saved

    def look_again(self, paths: Paths) -> None:
        """Take the files of the current build as they are for those of this process's last one.

        For a rehearsal, whose links to these files have changed their times, while it holds the
        lock of all builds.
        """
        if self._last:
            self._last = replace(self._last, looks=_looks(paths))

    def settle(self, paths: Paths, is_awaited: Callable[[], bool] = lambda: False) -> None:
        """Do what can wait until a build is seen: keep it for other processes, and tidy up.

        `is_awaited`: whether somebody waits for the next build, which does not need all of it.
        """
        from kb.pipeline.outputs import site_rows
        from kb.pipeline.publish import forget_shards
        from kb.pipeline.staging import build_lock

        self.memo.end_round()
        self.links.forget_unused()
        last = self._last
        if last:
            self.spare.tidy(last.output, last.build.site.files, is_awaited)
        if is_awaited():
            return
        if time.monotonic() > self._next_sweep:
            # There are hundreds for each build of the last hour.
            forget_shards(paths.data)
            self._next_sweep = time.monotonic() + _SWEEP
        unsaved, self._unsaved = self._unsaved, False
        if last and unsaved and last.looks == _looks(paths):
            with suppress(OSError, KbError, sqlite3.Error), build_lock(paths.data):
                _save_cache(paths.current, {**last.build.stages, **site_rows(last.build.site)})
                self._last = replace(last, looks=_looks(paths))

    def close(self) -> None:
        """Remove what lies beside the site until its next build."""
        self.spare.close()


def _save_cache(folder: Path, stages: Mapping[str, Stage]) -> None:
    """Write the cache into the folder of a build that is published already."""
    from kb.pipeline.staging import staging_directory

    with staging_directory(folder) as staged:
        write_cache(staged, stages)
        (staged / FILE).replace(folder / FILE)


def _looks(paths: Paths) -> _Looks:
    """What the files of the current build are like; empty where there is none."""
    try:
        folder = paths.current
        stats = {str(path): path.stat() for path in folder.rglob("*")}
    except (NotBuilt, OSError):
        return {}
    return {
        path: (stat.st_size, stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns)
        for path, stat in stats.items()
    }
