"""Records -> store, table of forms, search index, static site; built in staging, then swapped."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from kb.build.cache import Row, Stage, write_cache
from kb.build.inputs import (
    STAMP,
    build_date,
    build_id,
    code_hash,
    head_revision,
    inputs_hash,
    program_hash,
    site_counts,
    write_stamp,
)
from kb.build.linked import LinkedLibrary, link_library
from kb.build.outputs import difference, site_rows, write_search, write_site
from kb.build.own_files import LIST, write_list
from kb.build.paths import Paths, find_templates
from kb.build.previous import PreviousBuild, reusable_forms
from kb.build.publish import publish_data, publish_site, refuse_foreign_folder, retain_shards
from kb.build.session import BuildSession
from kb.build.staging import build_lock, remove_abandoned, staging_directory
from kb.core.files import remove_abandoned_files
from kb.core.parallel import relaxed_gc, run_in_child
from kb.core.problems import KbError, NotBuilt, Problem
from kb.records.history import RevisionDiff, changed, changes, recent_diffs
from kb.records.library import Library, load
from kb.records.site_config import SiteFiles, read_site_files
from kb.site.site_build import Site, SiteSettings
from kb.site.templates import Templates

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class SiteOptions:
    """What a webmaster chooses.

    `base_url`: where the site will be served. `report`: where a link for reporting problems leads;
    {id} stands for the ruling. `interfaces`: languages of the site's own words, all when empty.
    """

    base_url: str = ""
    report: str = ""
    interfaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class BuildResult:
    """The outcome of a build.

    `left_out`: keys of rulings with problems, published without them because of `keep_going`.
    `damaged`: what was wrong with the last build's files, none of which was reused then.
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


@dataclass(frozen=True)
class BuildJob:
    """One build, as it was asked for; `engine` is empty where the number of rulings decides.

    `site_program`: a hash of all but the records that pages are rendered from. `revision`: the last
    commit of the records' history.
    """

    paths: Paths
    output: Path
    templates: Templates
    own: SiteFiles
    options: SiteOptions
    engine: str
    report: Progress
    session: BuildSession
    site_program: str = ""
    revision: str = ""


def build(
    places: Paths,
    output: Path,
    *,
    keep_going: bool = False,
    site: SiteOptions | None = None,
    force: bool = False,
    engine: str | None = None,
    progress: Progress | None = None,
    session: BuildSession | None = None,
) -> BuildResult:
    """Build and publish everything: store and index in `places.data`, the site in `output`.

    Only what differs from the last build is built again, everything with `force`. Where nothing
    differs the last build stays, with its date. `engine`: the search engine, by default the one
    asked for the last time, else the one that suits the number of rulings (also with `auto`).
    `session`: what this process keeps from build to build, where it builds more than once.
    Raises KbError, with the problems, when there are any and `keep_going` is off, or when a folder
    cannot be written; the last build is unchanged then.
    """
    start = time.perf_counter()
    job = BuildJob(
        paths=places,
        output=output,
        templates=find_templates(places.rulings),
        own=read_site_files(places.rulings),
        options=site or SiteOptions(),
        engine=_requested_engine(places, engine),
        report=progress or _ignore,
        session=session or BuildSession(keep=False),
    )
    session = job.session
    job.report("records", 0, 1)
    previous, damaged = session.read_previous(places)
    if force:
        previous = PreviousBuild(places.rulings)
    stats = session.stats(places.rulings, previous.stat_rows)
    remove_abandoned_files(stats.temporary)
    folders = [session.stats(folder).checksums for folder in job.templates.folders]
    site_program = program_hash(folders, (job.options, job.own.checksums))
    revision = head_revision(places.rulings)
    inputs = inputs_hash(stats.checksums, f"{site_program} {job.engine} {revision}")
    counts = site_counts(output, previous.inputs)
    if counts and previous.inputs == inputs and not keep_going:
        if not session.keep:
            previous.save_stats(stats)
        # Touching a file must not make readers say that records have changed since the build.
        os.utime(places.data / "current")
        with suppress(OSError):
            # A build that was killed as its last step left its locks.
            remove_abandoned(places.data / "builds")
            remove_abandoned(output.absolute().parent)
        return _result(job, counts, start, unchanged=True)
    # Pages have a key of their own that tells of other templates and options.
    if previous.program != code_hash():
        previous = PreviousBuild(places.rulings)
    elif counts is None:
        previous = previous.without_outputs()
    with relaxed_gc():
        known = previous.files.parse_cache(session.memo)
        library = load(places.rulings, known, stats.checksums)
        own = read_site_files(places.rulings, library.games)
        job = replace(job, own=own, site_program=site_program, revision=revision)
        problems = (*library.problems, *own.problems)
        if problems and not keep_going:
            raise KbError("nothing was published; the last build is unchanged", problems)
        refuse_foreign_folder(output, places)
        made_from = {
            "inputs": Row(inputs),
            "program": Row(code_hash()),
            "root": Row(str(places.rulings.resolve())),
        }
        try:
            with build_lock(places.data):
                cache: dict[str, Stage] = {"build": made_from, "stat": stats.rows}
                counts = _build(job, library, previous, cache)
        except OSError as error:
            where = error.filename or output
            raise KbError(
                f"{where}: {error.strerror or error}; the last build is unchanged"
            ) from error
        except sqlite3.Error as error:
            raise KbError(f"{places.data}: {error}; the last build is unchanged") from error
    return _result(
        job,
        counts,
        start,
        problems=problems,
        left_out=tuple(sorted(library.left_out)),
        damaged=damaged,
    )


def _result(job: BuildJob, counts: dict[str, int], start: float, **more: Any) -> BuildResult:
    from kb.search.engines.base import chosen

    return BuildResult(
        rulings=counts["rulings"],
        cards=counts["cards"],
        pages=counts["pages"],
        games=counts["games"],
        **more,
        site=job.output,
        data=job.paths.data,
        seconds=time.perf_counter() - start,
        engine=chosen(job.paths.current),
        engine_requested=bool(job.engine),
    )


def _build(
    job: BuildJob, library: Library, previous: PreviousBuild, cache: dict[str, Stage]
) -> dict[str, int]:
    """Build everything in staging and publish it; how many rulings, cards, games and pages.

    `cache`: rows for the build cache that are there already.
    """
    # The new site begins as a copy of the last one.
    last_site = previous.site.files if previous.folder else None
    with (
        staging_directory(job.paths.data / "builds") as data,
        job.session.spare.staging(job.output, last_site) as (folder, finish_copy),
    ):
        forms = previous.forms or reusable_forms(job.paths)
        linked = link_library(library, previous, data, forms, job.report, job.session.links)
        change = difference(linked, previous)
        search = partial(write_search, linked.library, change, previous, data, job.engine)
        finish_copy()
        # In a process that builds again and again little is left to do after a change.
        apart = not (job.session.keep and previous.folder)
        with run_in_child(search, apart=apart) as finish_search:
            settings = _site_settings(job, linked, data)
            report = partial(job.report, "pages")
            site = write_site(linked, change, previous, folder, settings, report)
            finish_search()
        counts = _counts(library, site)
        # Never take a build that has problems for unchanged, so that they are reported again.
        faultless = not library.problems and not job.own.problems
        inputs = cache["build"]["inputs"].hash if faultless else ""
        files = {*site.files, LIST, STAMP}
        write_list(folder, files)
        _stamp(folder, settings, counts, inputs, len(files))
        stages = {**cache, **linked.stages, **site_rows(site)}
        if faultless and not job.session.keep:
            write_cache(data, stages)
        retain_shards(folder, job.output, job.paths.data)
        publish_site(folder, job.output, copied=previous.folder is not None)
        publish_data(data, job.paths.data)
    job.session.remember(job.paths, job.output, linked, site, stages if faultless else None)
    return counts


def _site_settings(job: BuildJob, linked: LinkedLibrary, data: Path) -> SiteSettings:
    # Nothing but the last commit tells what the history is.
    changed_at, past = job.session.memo.call("", _history, job.paths.rulings, job.revision)
    return SiteSettings(
        templates=job.templates,
        forms=data / "forms.sqlite",
        build_id=build_id(linked.library),
        build_date=build_date(),
        base_url=job.options.base_url,
        report=job.options.report,
        interfaces=job.options.interfaces,
        changed=changed_at,
        own=job.own,
        past=past,
        program=job.site_program,
        meanings=linked.meanings,
        memo=job.session.memo,
    )


def _history(
    rulings: Path, revision: str
) -> tuple[dict[str, str], dict[str, tuple[RevisionDiff, ...]]]:
    """When each record was last changed, and its last changes, up to a commit."""
    history = changes(rulings) or []
    return changed(history), recent_diffs(rulings, history)


def _counts(library: Library, site: Site) -> dict[str, int]:
    return {
        "rulings": len(library.rulings),
        "pages": site.html_pages,
        "games": len(library.games),
        "cards": sum(len(game.cards) for game in library.games.values()),
    }


def _stamp(
    folder: Path, settings: SiteSettings, counts: dict[str, int], inputs: str, files: int
) -> None:
    about = {"generator": "kb", "build": settings.build_id, "date": settings.build_date}
    write_stamp(folder, {**about, **counts, "inputs": inputs, "files": files})


def derive(places: Paths) -> Library:
    """Build only store and index, from the records without problems.

    For a search that finds them missing or damaged.
    """
    library, engine = load(places.rulings), _requested_engine(places, None)
    with build_lock(places.data), staging_directory(places.data / "builds") as data:
        nothing = PreviousBuild(places.rulings)
        links = BuildSession(keep=False).links
        linked = link_library(library, nothing, data, reusable_forms(places), _ignore, links)
        write_search(linked.library, difference(linked, nothing), nothing, data, engine)
        publish_data(data, places.data)
    return library


def _ignore(stage: str, done: int, total: int) -> None:
    """Report no progress."""


def _requested_engine(places: Paths, name: str | None) -> str:
    """The engine that is asked for, now or by an earlier build; empty where nobody asks.

    Raises KbError for a name without an engine.
    """
    from kb.search.engines.base import AUTOMATIC, known, requested

    if name:
        return "" if name == AUTOMATIC else known(name)
    try:
        return requested(places.current)
    except NotBuilt:
        return ""
