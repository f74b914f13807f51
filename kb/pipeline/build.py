"""A build: records -> store, search index and site, built in staging and swapped in as a whole."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core import urls
from kb.core.files import remove_temporary_files
from kb.core.json import Json
from kb.core.parallel import relaxed_gc
from kb.core.problems import KbError, NotBuilt, Problem
from kb.pipeline.data_folder import (
    BUILDS,
    CURRENT,
    build_lock,
    retain_index,
    swap_in_data,
    verify_checksums,
)
from kb.pipeline.inputs import INPUTS, Inputs, build_date, read_inputs
from kb.pipeline.output_folder import (
    finish_site,
    leave_robots_out,
    refuse_foreign_folder,
    site_counts,
    swap_in_site,
)
from kb.pipeline.paths import Paths, find_templates
from kb.pipeline.staging import remove_abandoned, staging_directory
from kb.search.engines.base import AUTOMATIC, known, requested
from kb.site.settings import SiteOptions, SiteSettings

if TYPE_CHECKING:
    from kb.records.library import Library

# Called with a stage of the build, the number of its finished parts, and of all its parts.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class BuildResult:
    """The outcome of a build.

    `left_out`: keys of the rulings that `keep_going` left out because of problems.
    `damaged`: the damage found in the files of the last build. `robots_left_out`: the webmaster's
    robots.txt stands in the site instead of the build's.
    """

    rulings: int
    cards: int
    pages: int
    games: int
    problems: tuple[Problem, ...] = ()
    left_out: tuple[str, ...] = ()
    unchanged: bool = False
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
    """Build everything: store and index in `places.data`, the site in `output`.

    Keep the last build, with its date, if nothing has changed since and `force` is not set.
    `engine`: the search engine, by default the one requested last, else the one that suits the
    number of rulings (also with `auto`). Raises KbError, with the problems, when there are any and
    `keep_going` is off, or when a folder cannot be written; the last build is unchanged then.
    """
    options, report = site or SiteOptions(), progress or _ignore
    engine = _requested_engine(places, engine)
    report("records", 0, 1)
    remove_temporary_files(places.rulings, below=True)
    damaged = _damage(places)
    inputs = read_inputs(places, (options, engine))
    if not (force or keep_going or damaged) and (counts := _built_counts(places, output, inputs)):
        _keep_last_build(places, output)
        return BuildResult(**counts, unchanged=True)
    # Loading these takes longer than finding out that nothing has changed.
    from kb.pipeline.steps import read_history
    from kb.records.library import load
    from kb.records.site_config import read_site_files

    with relaxed_gc(), _system_errors_as_kb_error(output):
        library = load(places.rulings)
        own = read_site_files(places.rulings, library.games)
        problems = (*library.problems, *own.problems)
        if problems and not keep_going:
            raise KbError("nothing was published; the last build is unchanged", problems)
        # Without a hash the next build starts anew, so that problems are reported again.
        is_repeatable = not problems and inputs.are_read_into(library)
        input_hash = inputs.hash if is_repeatable else ""
        refuse_foreign_folder(output, places)
        with (
            build_lock(places.data),
            staging_directory(places.data / BUILDS) as data,
            staging_directory(output.absolute().parent, output.name) as folder,
        ):
            templates, history = find_templates(places.rulings), read_history(places.rulings)
            settings = SiteSettings(templates, options, own, history, build_date())
            files = _build_into(data, folder, library, settings, engine, report)
            counts = _counts(library, files)
            stamp = {"generator": "kb", "build": library.build_id, "date": settings.build_date}
            if robots_left_out := leave_robots_out(folder, output):
                files.discard(urls.ROBOTS)
            finish_site(folder, files, {**stamp, **counts, "inputs": input_hash})
            (data / INPUTS).write_text(input_hash, encoding="utf-8")
            retain_index(output / urls.SEARCH_INDEX, places.data)
            swap_in_site(folder, output)
            swap_in_data(data, places.data)
    return BuildResult(
        **counts,
        problems=problems,
        left_out=tuple(sorted(library.left_out)),
        damaged=damaged,
        robots_left_out=robots_left_out,
    )


def _build_into(
    data: Path,
    folder: Path,
    library: Library,
    settings: SiteSettings,
    engine: str,
    report: Progress,
) -> set[str]:
    """Write forms, store and index into `data`, and into `folder` the site; return its files."""
    from kb.pipeline.steps import linked_records, write_search
    from kb.search.analyzer import documents
    from kb.site.site_build import build_site
    from kb.site.site_pages import SitePages

    with linked_records(library, data, report) as (linked, table):
        pages = SitePages(linked, table, settings)
        analysed = documents(linked, table)
        search = partial(write_search, linked, analysed, data, engine)
        return {*build_site(pages, table, analysed, folder, [search], partial(report, "pages"))}


def derive(places: Paths) -> Library:
    """Build only store and index, from the records without problems.

    A search calls this when they are missing or damaged.
    """
    from kb.pipeline.steps import linked_records, write_search
    from kb.records.library import load
    from kb.search.analyzer import documents

    engine = _requested_engine(places, None)
    library = load(places.rulings)
    with build_lock(places.data), staging_directory(places.data / BUILDS) as data:
        with linked_records(library, data, _ignore) as (linked, table):
            write_search(linked, documents(linked, table), data, engine)
        swap_in_data(data, places.data)
    return library


def _counts(library: Library, files: Iterable[str]) -> Json:
    return {
        "rulings": len(library.rulings),
        "pages": sum(address.endswith(".html") for address in files),
        "games": len(library.games),
        "cards": sum(len(game.cards) for game in library.games.values()),
    }


def _damage(places: Paths) -> str:
    """The damage of the last build's files, as a message; empty for none."""
    try:
        verify_checksums(places.current)
    except NotBuilt as error:
        return str(error) if (places.data / CURRENT).exists() else ""
    return ""


def _built_counts(places: Paths, output: Path, inputs: Inputs) -> Json | None:
    """The counts of the last build if its inputs were the same and it is whole, else None."""
    try:
        is_same = (places.current / INPUTS).read_text(encoding="utf-8") == inputs.hash
    except (NotBuilt, OSError, ValueError):
        return None
    return site_counts(output, inputs.hash) if is_same else None


def _keep_last_build(places: Paths, output: Path) -> None:
    # Without this, a touched record would look newer than the build.
    os.utime(places.data / CURRENT)
    with suppress(OSError):
        # A build that was killed in its last step left its locks.
        remove_abandoned(places.data / BUILDS)
        remove_abandoned(output.absolute().parent)


@contextmanager
def _system_errors_as_kb_error(output: Path) -> Iterator[None]:
    """Turn errors of the system, such as a full disk, into a KbError with the path."""
    try:
        yield
    except OSError as error:
        where = error.filename or output
        raise KbError(f"{where}: {error.strerror or error}; the last build is unchanged") from error
    except sqlite3.Error as error:
        raise KbError(f"{output}: {error}; the last build is unchanged") from error


def _ignore(stage: str, done: int, total: int) -> None:
    """Report no progress."""


def _requested_engine(places: Paths, name: str | None) -> str:
    """The engine requested now or for the last build; empty if nobody has requested one.

    Raises KbError for an unknown name.
    """
    if name:
        return "" if name == AUTOMATIC else known(name)
    try:
        return requested(places.current)
    except NotBuilt:
        return ""
