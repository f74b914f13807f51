"""The last build, as far as the next one can go on from it.

What reads records and pages is loaded when it is needed: nothing may have changed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from kb.core.problems import NotBuilt
from kb.pipeline.cache import EMPTY, Stage, copy_cache, read_cache, replace_stats
from kb.pipeline.cache import FILE as CACHE
from kb.pipeline.data_folder import CURRENT
from kb.pipeline.integrity import verify_checksums
from kb.pipeline.paths import Paths
from kb.pipeline.stat_cache import StatCache

if TYPE_CHECKING:
    from kb.pipeline.linked import LinkedLibrary
    from kb.pipeline.parsed import CachedFiles
    from kb.records.library import Library
    from kb.records.model import Game, Ruling
    from kb.records.reread import Reading
    from kb.site.site_build import Site

_FROM_RECORDS = ("stat", "file", "game", "link", "words", "forms", "build")
# What tells whether anything has changed.
_FIRST = ("stat", "build")


class FormsFor(NamedTuple):
    """What a table of forms is made for; see `build_form_table`."""

    vocabulary: Mapping[str, Collection[str]]
    names: Mapping[str, Collection[str]]
    groups: Sequence[tuple[str, Sequence[str]]]


class BuiltInMemory(NamedTuple):
    """What a build has read and written, where the same process has built it."""

    files: CachedFiles
    linked: LinkedLibrary
    reading: Reading
    site: Site


@dataclass(frozen=True)
class PreviousBuild:
    """The rows of its cache; `folder` is where its store and index are, None without a build.

    `root`: where the records lie now. `in_memory`: what need not be read from the rows. `is_whole`:
    whether all rows are read; see `with_all_rows`.
    """

    root: Path
    folder: Path | None = None
    stages: Mapping[str, Stage] = field(default_factory=dict)
    in_memory: BuiltInMemory | None = None
    is_whole: bool = True

    def with_all_rows(self) -> tuple[PreviousBuild, str]:
        """The same with all rows, and what is wrong with them, as `read_previous` returns it."""
        if self.is_whole or self.folder is None:
            return self, ""
        try:
            return replace(self, stages=read_cache(self.folder), is_whole=True), ""
        except NotBuilt as error:
            return PreviousBuild(self.root), str(error)

    def stage(self, name: str) -> Stage:
        """The rows of one stage."""
        return self.stages.get(name, EMPTY)

    @property
    def inputs(self) -> str:
        """A hash of all that went into it; empty without a build."""
        return self.stage("build")["inputs"].hash if self.stages else ""

    @property
    def program(self) -> str:
        """A hash of the program that built it; empty without a build."""
        return self.stage("build")["program"].hash if self.stages else ""

    def stat_rows(self) -> Stage:
        """What the records' files were like, when they were where they are now."""
        here = self.stages and self.stage("build")["root"].hash == str(self.root.resolve())
        return self.stage("stat") if here else EMPTY

    def save_stats(self, stats: StatCache) -> None:
        """Keep what the records' files are like now, where nothing else has changed."""
        if self.folder and stats.rows != self.stage("stat"):
            replace_stats(self.folder, stats.rows)

    def copy_cache(self, folder: Path) -> Mapping[str, Stage]:
        """Copy its cache into the folder of the next build; return the stages that are copied."""
        return copy_cache(self.folder, self.stages, folder) if self.folder else {}

    def with_site(self, site: Site) -> PreviousBuild:
        """The same with another site."""
        other = replace(self)
        other.__dict__["site"] = site
        return other

    def with_files(self, files: CachedFiles) -> PreviousBuild:
        """The same with files that were read just now, for a build that has no earlier one."""
        other = replace(self)
        other.__dict__["files"] = files
        return other

    def without_outputs(self) -> PreviousBuild:
        """Only what it took from the records: for when its site is no longer whole."""
        stages = {name: self.stage(name) for name in _FROM_RECORDS}
        return PreviousBuild(self.root, None, stages, self.in_memory)

    @cached_property
    def files(self) -> CachedFiles:
        """The files that it read."""
        from kb.pipeline.parsed import CachedFiles

        if self.in_memory:
            return self.in_memory.files
        return CachedFiles.read(self.stages, self.root)

    @property
    def forms(self) -> Path | None:
        """Its table of forms, which need not be verified again."""
        return self.folder / "forms.sqlite" if self.folder else None

    def rulings(self, keys: Collection[str]) -> dict[str, Ruling]:
        """Those of its rulings that have one of some keys, with their links."""
        from kb.pipeline.parsed import with_links

        links, known = self.stage("link"), self.files.by_key
        return {
            key: with_links(known[key].ruling, links[key].blob)
            for key in sorted(keys)
            if key in known
        }

    def games(self, library: Library) -> dict[str, Game]:
        """Its games; those with the same files as in `library` are the same objects."""
        from kb.records.parse import read_game

        games = {}
        for key, files in self.files.games.items():
            game: Game | None
            if files == library.game_files.get(key):
                game = library.games[key]
            else:
                game, _ = read_game(files, dict.fromkeys(files, ""))
            if game is None:
                raise NotBuilt(f"the game {key} in the build cache cannot be read")
            games[key] = game
        return games

    @cached_property
    def site(self) -> Site:
        """Its site."""
        from kb.search.browser import Offline
        from kb.search.browser.shards import Shard
        from kb.site.page_writer import WrittenPage
        from kb.site.site_build import Site

        if self.in_memory:
            return self.in_memory.site
        pages = {}
        for address, row in self.stage("page").items():
            files, reads = orjson.loads(row.blob)
            pages[address] = WrittenPage(row.hash, _files(files), reads)
        site = self.stage("site")
        keys, lemmas, layouts, shards = orjson.loads(site["index"].blob)
        cut = {kind: [Shard(*one) for one in several] for kind, several in shards.items()}
        others, inputs = (orjson.loads(site[name].blob) for name in ("files", "inputs"))
        return Site(pages, _files(others), Offline(keys, lemmas, layouts, cut), inputs)


def read_previous(paths: Paths) -> tuple[PreviousBuild, str]:
    """The last build, and what is wrong with its files; of a damaged one nothing is used.

    Only its first rows are read where nobody has written to the cache since a build read all.
    """
    try:
        folder = paths.current
        verify_checksums(folder)
        untouched = _is_older(folder / CACHE, paths.data / CURRENT)
        stages = read_cache(folder, _FIRST if untouched else ())
        return PreviousBuild(paths.rulings, folder, stages, is_whole=not untouched), ""
    except NotBuilt as error:
        damage = str(error) if (paths.data / "current").exists() else ""
        return PreviousBuild(paths.rulings), damage


def _is_older(path: Path, pointer: Path) -> bool:
    """Whether a file is as it was when a build last found it, or wrote it, as `pointer` tells."""
    try:
        look = path.stat()
        return max(look.st_mtime_ns, look.st_ctime_ns) < pointer.stat().st_mtime_ns
    except OSError:
        return False


def reusable_forms(paths: Paths) -> Path | None:
    """The table of forms of the last build, unless it is damaged."""
    try:
        verify_checksums(paths.current, ("forms.sqlite",))
        return paths.current / "forms.sqlite"
    except NotBuilt:
        return None


def _files(listed: Mapping[str, Sequence[Any]]) -> dict[str, tuple[str, int]]:
    return {address: (hash_, size) for address, (hash_, size) in listed.items()}
