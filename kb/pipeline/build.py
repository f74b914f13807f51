"""A build: records -> store, search index and site, built in staging and swapped in as a whole."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core import urls
from kb.core.files import remove_temporary_files
from kb.core.json import Json
from kb.core.parallel import relaxed_gc
from kb.core.problems import KbError, NotBuilt, Problem, posix_path
from kb.language import FORMS_FILE, FormTable
from kb.pipeline.data_folder import CURRENT, staging_build, switch_builds, verify_checksums
from kb.pipeline.inputs import INPUTS, build_date, input_hash
from kb.pipeline.output_folder import (
    finish_site,
    recover,
    refuse_foreign_folder,
    remove_old_site,
    site_counts,
    staging_directory,
    swap_in_site,
)
from kb.pipeline.paths import Paths, find_templates
from kb.records.changed import lost_ids
from kb.records.history import changed, changes, recent_diffs
from kb.records.roots import static_folder
from kb.search.engines.base import build_index, default_engine, require_engine
from kb.site.output import Written, write_site_files
from kb.site.settings import History, SiteOptions, SiteSettings

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.search.document import Document

# Called with a stage of the build, the number of its finished parts, and of all its parts.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class BuildResult:
    """The outcome of a build.

    `left_out`: keys of the rulings that `keep_going` left out because of problems; `lost`: former
    keys whose addresses lead nowhere, with the keys of today.
    """

    rulings: int
    cards: int
    pages: int
    games: int
    problems: tuple[Problem, ...] = ()
    left_out: tuple[str, ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    unchanged: bool = False


def build(
    places: Paths,
    output: Path,
    *,
    keep_going: bool = False,
    site: SiteOptions | None = None,
    force: bool = False,
    engine: str = "",
    progress: Progress | None = None,
) -> BuildResult:
    """Build everything: store and index in `places.data`, the site in `output`.

    Keep the last build, with its date, if nothing has changed since and `force` is not set.
    `engine`: the search engine, by default chosen by the number of rulings. Raises KbError, with
    the problems, when there are any and `keep_going` is off, or when a folder cannot be written;
    the last build is unchanged then.
    """
    options, report = site or SiteOptions(), progress or _ignore
    if engine:
        require_engine(engine)
    report("records", 0, 1)
    remove_temporary_files(places.rulings)
    recover(output)
    inputs = input_hash(places, (options, engine))
    if not (force or keep_going) and (counts := _built_counts(places, output, inputs)):
        # Without this, a touched record would look newer than the build.
        os.utime(places.data / CURRENT)
        return BuildResult(**counts, unchanged=True)
    # Loading these takes longer than finding out that nothing has changed.
    from kb.records.library import load
    from kb.records.site_config import read_site_files

    with relaxed_gc(), _system_errors_as_kb_error(output):
        library = load(places.rulings)
        own = read_site_files(places.rulings, library.games)
        problems = (*library.problems, *own.problems)
        if problems and not keep_going:
            raise KbError("nothing was published; the last build is unchanged", problems)
        refuse_foreign_folder(output, places)
        with staging_build(places.data) as data, staging_directory(output) as folder:
            templates, history = find_templates(places.rulings), read_history(places.rulings)
            settings = SiteSettings(templates, options, own, history, build_date())
            files = _build_into(data, folder, library, settings, engine, report)
            files |= _copy_static_files(static_folder(places.rulings), folder, files)
            counts = _counts(library, files)
            stamp = {"generator": "kb", "build": library.build_id, "date": settings.build_date}
            # Without a hash the next build starts anew: problems are reported again, and files that
            # have changed during this one are read again.
            if problems or input_hash(places, (options, engine)) != inputs:
                inputs = ""
            finish_site(folder, files, {**stamp, **counts, "inputs": inputs})
            (data / INPUTS).write_text(inputs, encoding="utf-8")
            with switch_builds(data, places.data):
                swap_in_site(folder, output)
            remove_old_site(output)
    return BuildResult(
        **counts,
        problems=problems,
        left_out=tuple(sorted(library.left_out)),
        lost=tuple(lost_ids(library, history.changes).items()),
    )


def _build_into(
    data: Path,
    folder: Path,
    library: Library,
    settings: SiteSettings,
    engine: str,
    report: Progress,
) -> dict[str, Written]:
    """Write forms, store and index into `data`, and into `folder` the site; return its files."""
    from kb.search.analyzer import documents
    from kb.site.site_build import build_site
    from kb.site.site_pages import SitePages

    with _linked_records(library, data, report) as (linked, table):
        pages = SitePages(linked, table, settings)
        analysed = documents(linked, table)
        search = partial(_write_search, linked, analysed, data, engine)
        return build_site(pages, table, analysed, folder, [search], partial(report, "pages"))


@contextmanager
def _linked_records(
    library: Library, data: Path, report: Progress
) -> Iterator[tuple[Library, FormTable]]:
    """Write the table of forms into the folder `data`; yield the linked library and the table."""
    from kb.linking.autolink import autolink
    from kb.pipeline.word_forms import build_forms

    report("word forms", 0, 1)
    build_forms(library, data / FORMS_FILE)
    with FormTable(data / FORMS_FILE) as table:
        report("links", 0, 1)
        yield autolink(library, table), table


def read_history(rulings: Path) -> History:
    """Read the git history of the records; for 201 rulings it takes 0.5 s."""
    history = changes(rulings) or []
    return History(history, changed(history), recent_diffs(rulings, history))


def _write_search(
    library: Library, documents: Sequence[Document], data: Path, engine: str
) -> Mapping[str, Written]:
    """Write the store and the search index; without `engine`, with the default one."""
    # SQLModel takes 0.4 s to load: here it does so while other processes render pages.
    from kb.store.load import build_store
    from kb.store.model import STORE_FILE

    build_store(library, data / STORE_FILE)
    games = library.games.values()
    build_index(data, documents, games, engine or default_engine(len(library.rulings)))
    return {}


def derive(places: Paths) -> Library:
    """Build only store and index, from the records without problems.

    A search calls this when they are missing or damaged.
    """
    from kb.records.library import load
    from kb.search.analyzer import documents

    library = load(places.rulings)
    with staging_build(places.data) as data:
        with _linked_records(library, data, _ignore) as (linked, table):
            _write_search(linked, documents(linked, table), data, "")
        with switch_builds(data, places.data):
            pass
    return library


def _copy_static_files(
    source: Path, folder: Path, written: Mapping[str, Written]
) -> dict[str, Written]:
    """Copy the webmaster's own files into the site; return their entries in the list of files.

    Their robots.txt replaces the generated one. Raises KbError for any other file that the build
    has written.
    """
    paths = {
        path.relative_to(source).as_posix(): path
        for path in sorted(source.rglob("*"))
        if path.is_file()
    }
    for address, path in paths.items():
        if address in written and address != urls.ROBOTS:
            raise KbError(f"{posix_path(path)}: the build writes this file itself; rename yours")
    return write_site_files(folder, ((name, path.read_bytes()) for name, path in paths.items()))


def _counts(library: Library, files: Iterable[str]) -> Json:
    return {
        "rulings": len(library.rulings),
        "pages": sum(address.endswith(".html") for address in files),
        "games": len(library.games),
        "cards": sum(len(game.cards) for game in library.games.values()),
    }


def _built_counts(places: Paths, output: Path, inputs: str) -> Json | None:
    """The counts of the last build if its inputs were the same and it is whole, else None."""
    try:
        if (places.current / INPUTS).read_text(encoding="utf-8") != inputs:
            return None
        verify_checksums(places.current)
    except (NotBuilt, OSError, ValueError):
        return None
    return site_counts(output, inputs)


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
