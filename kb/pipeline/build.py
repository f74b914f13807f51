"""A build: records -> store, search index and site, built in staging and swapped in as a whole."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.core import urls
from kb.core.files import remove_temporary_files
from kb.core.parallel import relaxed_gc
from kb.core.problems import KbError, NotBuilt, Problem
from kb.pipeline.data_folder import verify_checksums
from kb.pipeline.inputs import INPUTS, STAMP, Inputs, read_inputs, site_counts, write_stamp
from kb.pipeline.own_files import LIST, write_list
from kb.pipeline.paths import Paths
from kb.pipeline.publish import (
    leave_robots_out,
    publish_data,
    publish_site,
    refuse_foreign_folder,
    retain_index,
)
from kb.pipeline.staging import build_lock, remove_abandoned, staging_directory
from kb.search.engines.base import AUTOMATIC, chosen, known, requested

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.site.site_build import Site
    from kb.site.site_pages import SiteSettings

# A stage of the build, how many of its parts are done, and how many there are.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class SiteOptions:
    """What a webmaster chooses.

    `base_url`: where the site will be served. `report`: where a link for reporting problems leads;
    {id} stands for the ruling. `interfaces`: languages of the site's own words, those of
    each game when empty.
    """

    base_url: str = ""
    report: str = ""
    interfaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class BuildResult:
    """The outcome of a build.

    `left_out`: keys of rulings with problems, published without them because of `keep_going`.
    `damaged`: what was wrong with the files of the last build. `robots_left_out`: the webmaster's
    robots.txt stands in the site instead of the build's.
    """

    rulings: int
    cards: int
    pages: int
    games: int
    site: Path
    data: Path
    seconds: float
    problems: tuple[Problem, ...] = ()
    left_out: tuple[str, ...] = ()
    unchanged: bool = False
    engine: str = ""
    engine_requested: bool = False
    damaged: str = ""
    robots_left_out: bool = False


def build(
    places: Paths,
    output: Path,
    *,
    keep_going: bool = False,
    site: SiteOptions | None = None,
    force: bool = False,
    engine: str | None = None,
    progress: Progress | None = None,
) -> BuildResult:
    """Build and publish everything: store and index in `places.data`, the site in `output`.

    The last build stays, with its date, where nothing has changed since, unless `force` is set.
    `engine`: the search engine, by default the one asked for the last time, else the one that suits
    the number of rulings (also with `auto`). Raises KbError, with the problems, when there are any
    and `keep_going` is off, or when a folder cannot be written; the last build is unchanged then.
    """
    start, options, report = time.perf_counter(), site or SiteOptions(), progress or _ignore
    engine = _requested_engine(places, engine)
    finish = partial(_result, places, output, engine, start)
    report("records", 0, 1)
    remove_temporary_files(places.rulings, below=True)
    damaged = _damage(places)
    inputs = read_inputs(places, (options, engine))
    if not (force or keep_going or damaged) and (counts := _built_counts(places, output, inputs)):
        _leave_as_it_is(places, output)
        return finish(counts, unchanged=True)
    # Loading these takes longer than finding out that nothing has changed.
    from kb.language import FormTable
    from kb.linking.autolink import autolink
    from kb.pipeline.steps import FORMS, build_forms, read_history, site_settings, write_search
    from kb.records.library import load
    from kb.records.site_config import read_site_files
    from kb.search.analyzer import documents
    from kb.site.site_build import build_site
    from kb.site.site_pages import SitePages

    with relaxed_gc(), _told_as_kb_error(output):
        library = load(places.rulings)
        own = read_site_files(places.rulings, library.games)
        problems = (*library.problems, *own.problems)
        if problems and not keep_going:
            raise KbError("nothing was published; the last build is unchanged", problems)
        # A build that has problems is never left out, so that they are reported again.
        is_repeatable = not problems and inputs.are_read_into(library)
        refuse_foreign_folder(output, places)
        with (
            build_lock(places.data),
            staging_directory(places.data / "builds") as data,
            staging_directory(output.absolute().parent, output.name) as folder,
        ):
            report("word forms", 0, 1)
            build_forms(library, data / FORMS)
            with FormTable.open(data / FORMS) as table:
                report("links", 0, 1)
                linked = autolink(library, table)
                history = read_history(places.rulings)
                settings = site_settings(places, linked, own, history, **asdict(options))
                pages = SitePages(linked, table, settings)
                analysed = documents(linked, table)
                search = partial(write_search, linked, analysed, data, engine)
                built = build_site(
                    pages, table, analysed, folder, [search], partial(report, "pages")
                )
            counts = _counts(library, built)
            files = {*built.files, LIST, STAMP}
            if robots_left_out := leave_robots_out(folder, output):
                files.discard(urls.ROBOTS)
            _finish_site(folder, settings, counts, files, inputs.hash * is_repeatable)
            (data / INPUTS).write_text(inputs.hash * is_repeatable, encoding="utf-8")
            retain_index(output, places.data)
            publish_site(folder, output)
            publish_data(data, places.data)
    left_out = tuple(sorted(library.left_out))
    return finish(
        counts,
        problems=problems,
        left_out=left_out,
        damaged=damaged,
        robots_left_out=robots_left_out,
    )


def derive(places: Paths) -> Library:
    """Build only store and index, from the records without problems.

    For a search that finds them missing or damaged.
    """
    from kb.language import FormTable
    from kb.linking.autolink import autolink
    from kb.pipeline.steps import FORMS, build_forms, write_search
    from kb.records.library import load
    from kb.search.analyzer import documents

    engine = _requested_engine(places, None)
    library = load(places.rulings)
    with build_lock(places.data), staging_directory(places.data / "builds") as data:
        build_forms(library, data / FORMS)
        with FormTable.open(data / FORMS) as table:
            linked = autolink(library, table)
            write_search(linked, documents(linked, table), data, engine)
        publish_data(data, places.data)
    return library


def _finish_site(
    folder: Path, settings: SiteSettings, counts: dict[str, int], files: set[str], inputs: str
) -> None:
    """Write the list of the site's files, and last what the site says of itself."""
    write_list(folder, files)
    stamp = {"generator": "kb", "build": settings.build_id, "date": settings.build_date}
    write_stamp(folder, {**stamp, **counts, "inputs": inputs, "files": len(files)})


def _counts(library: Library, site: Site) -> dict[str, int]:
    return {
        "rulings": len(library.rulings),
        "pages": site.html_pages,
        "games": len(library.games),
        "cards": sum(len(game.cards) for game in library.games.values()),
    }


def _damage(places: Paths) -> str:
    """What is wrong with the files of the last build; empty for nothing."""
    try:
        verify_checksums(places.current)
    except NotBuilt as error:
        return str(error) if (places.data / "current").exists() else ""
    return ""


def _built_counts(places: Paths, output: Path, inputs: Inputs) -> dict[str, int] | None:
    """The counts of the last build, when it was made from the same inputs and is whole."""
    try:
        is_same = (places.current / INPUTS).read_text(encoding="utf-8") == inputs.hash
    except (NotBuilt, OSError, ValueError):
        return None
    return site_counts(output, inputs.hash) if is_same else None


def _leave_as_it_is(places: Paths, output: Path) -> None:
    # Touching a file must not make readers say that records have changed since the build.
    os.utime(places.data / "current")
    with suppress(OSError):
        # A build that was killed as its last step left its locks.
        remove_abandoned(places.data / "builds")
        remove_abandoned(output.absolute().parent)


@contextmanager
def _told_as_kb_error(output: Path) -> Iterator[None]:
    """Turn errors of the system, such as a full disk, into a KbError that says where."""
    try:
        yield
    except OSError as error:
        where = error.filename or output
        raise KbError(f"{where}: {error.strerror or error}; the last build is unchanged") from error
    except sqlite3.Error as error:
        raise KbError(f"{output}: {error}; the last build is unchanged") from error


def _result(
    places: Paths, output: Path, engine: str, start: float, counts: Mapping[str, Any], **more: Any
) -> BuildResult:
    return BuildResult(
        **counts,
        **more,
        site=output,
        data=places.data,
        seconds=time.perf_counter() - start,
        engine=chosen(places.current),
        engine_requested=bool(engine),
    )


def _ignore(stage: str, done: int, total: int) -> None:
    """Report no progress."""


def _requested_engine(places: Paths, name: str | None) -> str:
    """The engine that is asked for, now or by an earlier build; empty where nobody asks.

    Raises KbError for a name without an engine.
    """
    if name:
        return "" if name == AUTOMATIC else known(name)
    try:
        return requested(places.current)
    except NotBuilt:
        return ""
