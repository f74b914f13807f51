"""The work of a build: store, table of forms, index and site in staging, published together."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.parallel import run_in_child
from kb.core.problems import KbError
from kb.language.forms import FormSession
from kb.pipeline.cache import Stage, write_cache
from kb.pipeline.inputs import STAMP, build_date, build_id, write_stamp
from kb.pipeline.linked import LinkedLibrary, Progress, link_library
from kb.pipeline.outputs import Difference, difference, site_rows, write_search, write_site
from kb.pipeline.own_files import LIST, write_list
from kb.pipeline.paths import Paths
from kb.pipeline.previous import PreviousBuild, reusable_forms
from kb.pipeline.publish import (
    forget_shards,
    publish_data,
    publish_site,
    refuse_foreign_folder,
    retain_shards,
)
from kb.pipeline.reading import read_files
from kb.pipeline.session import BuildSession
from kb.pipeline.staging import build_lock, staging_directory
from kb.pipeline.stat_cache import StatCache
from kb.records.history import RevisionDiff, changed, changes, recent_diffs
from kb.records.library import Library, load
from kb.records.site_config import SiteFiles, read_site_files
from kb.site.early import EarlyPages
from kb.site.site_build import Site, SiteChanged, SiteSettings
from kb.site.templates import Templates

if TYPE_CHECKING:
    from kb.pipeline.build import SiteOptions


@dataclass(frozen=True)
class BuildJob:
    """One build, as it was asked for; `engine` is empty where the number of rulings decides.

    `looked`: what the files of the records were like before they were read. `site_program`: a hash
    of all but the records that pages are rendered from. `revision`: the last commit of the records'
    history. `rehearsal`: publish nothing, only keep in memory what builds use again. `early`: pages
    that are wanted before the build is published. `verify`: called when these are shown, raises
    SiteChanged where the site in the output is not as its build left it.
    """

    paths: Paths
    output: Path
    templates: Templates
    own: SiteFiles
    options: SiteOptions
    engine: str
    report: Progress
    session: BuildSession
    looked: StatCache
    site_program: str = ""
    revision: str = ""
    rehearsal: bool = False
    early: EarlyPages | None = None
    verify: Callable[[], object] | None = None


def with_files_read(
    previous: PreviousBuild, checksums: Mapping[str, str], session: BuildSession
) -> PreviousBuild:
    """A build from nothing, with the files that it can read in several processes."""
    from_nothing = not previous.stages and not session.keep
    files = read_files(previous.root, checksums) if from_nothing else None
    return previous.with_files(files) if files else previous


def read_records(
    rulings: Path, looked: StatCache, previous: PreviousBuild, session: BuildSession
) -> tuple[Library, SiteFiles]:
    """Read the records, of which the last build has read some, and what lies beside them."""
    memory, library = previous.in_memory, None
    if memory and memory.reading.library.root == rulings:
        library = memory.reading.again(looked.checksums, looked.folders)
    if library is None:
        known = previous.files.parse_cache(session.memo)
        library = load(rulings, known, looked.checksums)
    return library, read_site_files(rulings, library.games)


def assemble(
    job: BuildJob, library: Library, previous: PreviousBuild, cache: dict[str, Stage]
) -> dict[str, int]:
    """Build everything and publish it; return how many rulings, cards, games and pages.

    Where the site is not as the last build left it, all of it is written again. `cache`: rows for
    the build cache that are there already. Raises KbError where a folder cannot be written; the
    last build is unchanged then.
    """
    refuse_foreign_folder(job.output, job.paths)
    try:
        with build_lock(job.paths.data):
            try:
                return _build(job, library, previous, cache)
            except SiteChanged:
                again = replace(job, verify=None)
                return _build(again, library, previous.without_outputs(), cache)
            finally:
                # One that is interrupted, too. It publishes nothing: the last build is the same.
                if job.rehearsal:
                    job.session.look_again(job.paths)
    except OSError as error:
        where = error.filename or job.output
        raise KbError(f"{where}: {error.strerror or error}; the last build is unchanged") from error
    except sqlite3.Error as error:
        raise KbError(f"{job.paths.data}: {error}; the last build is unchanged") from error


def assemble_data(places: Paths, engine: str) -> Library:
    """Build only store and index, from the records without problems, and publish them."""
    library = load(places.rulings)
    with build_lock(places.data), staging_directory(places.data / "builds") as data:
        nothing = PreviousBuild(places.rulings)
        links = BuildSession(keep=False).links
        forms = _known_forms(places, library, nothing)
        linked = link_library(library, nothing, data, forms, _ignore, links)
        write_search(linked.library, difference(linked, nothing), nothing, data, engine)
        publish_data(data, places.data)
    return library


def _ignore(stage: str, done: int, total: int) -> None:
    """Report no progress."""


def _build(
    job: BuildJob, library: Library, previous: PreviousBuild, cache: dict[str, Stage]
) -> dict[str, int]:
    # The new site begins as a copy of the last one.
    spare, last_site = job.session.spare, previous.site.files if previous.folder else None
    with (
        staging_directory(job.paths.data / "builds") as data,
        spare.staging(job.output, last_site, job.paths.data) as (folder, finish_copy),
    ):
        forms = _known_forms(job.paths, library, previous)
        job.session.links.forms.prepares = (
            partial(job.report, "word forms", 0, 1) if job.rehearsal else None
        )
        linked = link_library(library, previous, data, forms, job.report, job.session.links)
        forms_kept = job.session.links.forms
        changes = forms_kept if job.session.keep else forms_kept.only_changes()
        job.session.forget_links()
        change = difference(linked, previous)
        if job.rehearsal:
            change, previous = _as_if_changed(change, previous)
        # Never take a build that has problems for unchanged, so that they are reported again.
        faultless = not library.problems and not job.own.problems
        saved = faultless and not job.session.keep
        copied: Mapping[str, Stage] = {}
        if saved:
            # Nobody needs these rows again, and they are as large as the rulings.
            copied = previous.copy_cache(data)
            write_cache(data, linked.stages, copied)
            linked = replace(linked, stages={}, parsed={}, by_path={})
            if not previous.stages:
                previous.files.forget_rulings()
        search = partial(write_search, linked.library, change, previous, data, job.engine)
        prepare = _preparing(job, previous, finish_copy)
        # In a process that builds again and again little is left to do after a change.
        with run_in_child(search, apart=not prepare) as finish_search:
            settings = replace(_site_settings(job, linked, data, changes), prepare=prepare)
            report = partial(job.report, "pages")
            site = write_site(linked, change, previous, folder, settings, report)
            finish_search()
        counts = _counts(library, site)
        stages = {**cache, **linked.stages}
        remember = partial(job.session.remember, job.paths, job.output, linked, site, job.looked)
        if job.rehearsal:
            job.session.remember(
                job.paths, job.output, linked, site, job.looked, stages, saved=True
            )
            return counts
        inputs = cache["build"]["inputs"].hash if faultless else ""
        files = {*site.files, LIST, STAMP}
        write_list(folder, files)
        _stamp(folder, settings, counts, inputs, len(files))
        if saved:
            write_cache(data, {**stages, **site_rows(site)}, copied)
        if not job.session.keep:
            forget_shards(job.paths.data)
        with retain_shards(folder, job.output, job.paths.data):
            others = spare.others_in(job.output) if last_site is not None else None
            publish_site(folder, job.output, copied=last_site is not None, others=others)
        with spare.saving(job.output, last_site, site.files, job.paths.data):
            publish_data(data, job.paths.data)
    remember(stages if faultless else None)
    return counts


def _preparing(
    job: BuildJob, previous: PreviousBuild, copy: Callable[[], object]
) -> Callable[[], object] | None:
    """What is left to do before the first file of the site is written, after early pages are shown.

    None where there are no such pages and all has been done.
    """
    if not (job.session.keep and previous.folder):
        copy()
        return None

    def prepare() -> None:
        if job.verify:
            job.verify()
        copy()

    return prepare


def _as_if_changed(change: Difference, previous: PreviousBuild) -> tuple[Difference, PreviousBuild]:
    """Let a ruling of each game, and a page of each kind, be written again as they are."""
    rulings = {key.partition("/")[0]: key for key in previous.stage("index")}
    pages = previous.site.pages
    kinds = {tuple(address.split("/")[1:2]): address for address in pages}
    others = {address: replace(pages[address], key="", reads="") for address in kinds.values()}
    written = frozenset(rulings.values())
    return (
        replace(change, stored=change.stored | written, indexed=change.indexed | written),
        previous.with_site(replace(previous.site, pages={**pages, **others})),
    )


def _known_forms(places: Paths, library: Library, previous: PreviousBuild) -> Path | None:
    """A table whose rows can be taken over; without one every word will be looked up."""
    return previous.forms or reusable_forms(places)


def _site_settings(
    job: BuildJob, linked: LinkedLibrary, data: Path, form_changes: FormSession
) -> SiteSettings:
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
        contents=linked.contents,
        memo=job.session.memo,
        early=job.early,
        form_changes=form_changes,
        derived=job.session.derived,
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
