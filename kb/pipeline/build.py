"""A build: what is there is left where nothing has changed, else built in staging and published.

Whether anything has changed is told with few modules loaded; `kb.pipeline.assembly` does the work.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.core.files import remove_abandoned_files
from kb.core.parallel import relaxed_gc, run_in_child
from kb.core.problems import KbError, NotBuilt, Problem
from kb.pipeline.cache import Row, Stage
from kb.pipeline.inputs import code_hash, head_revision, inputs_hash, program_hash, site_counts
from kb.pipeline.paths import Paths, find_templates
from kb.pipeline.previous import PreviousBuild
from kb.pipeline.session import BuildSession
from kb.pipeline.staging import remove_abandoned
from kb.pipeline.stat_cache import StatCache
from kb.records.roots import has_site_files
from kb.search.engines.choice import AUTOMATIC, chosen, known, requested
from kb.site.templates import Templates

if TYPE_CHECKING:
    from kb.records.library import Library
    from kb.site.early import EarlyPages

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
class _Inputs:
    """All that goes into a build, as hashes.

    `engine`: the engine that is asked for. `site_program`: all but the records that pages are
    rendered from. `revision`: the last commit of the records' history. `whole`: all of it.
    """

    templates: Templates
    stats: StatCache
    engine: str
    site_program: str
    revision: str
    whole: str


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
    rehearsal: bool = False,
    early: EarlyPages | None = None,
) -> BuildResult:
    """Build and publish everything: store and index in `places.data`, the site in `output`.

    Only what differs from the last build is built again, everything with `force`. Where nothing
    differs the last build stays, with its date. `engine`: the search engine, by default the one
    asked for the last time, else the one that suits the number of rulings (also with `auto`).
    `session`: what this process keeps from build to build, where it builds more than once.
    `rehearsal`: do what the next build will do, of a base that has not changed, and publish
    nothing: so all is in memory that it can use again. `early`: pages of the site in `output`
    that are wanted before the build is published.
    Raises KbError, with the problems, when there are any and `keep_going` is off, or when a folder
    cannot be written; the last build is unchanged then.
    """
    start = time.perf_counter()
    options, session = site or SiteOptions(), session or BuildSession(keep=False)
    engine = _requested_engine(places, engine)
    report = progress or _ignore
    report("records", 0, 1)
    previous, damaged = session.read_previous(places)
    if force:
        previous = PreviousBuild(places.rulings)
    inputs = _read_inputs(places, options, engine, previous, session)
    unchanged = previous.inputs == inputs.whole and not keep_going
    look = partial(site_counts, output, previous.inputs)
    counts = look() if unchanged else None
    if rehearsal and not counts:
        raise KbError("the records have changed since the last build")
    if counts and not rehearsal:
        if not session.keep:
            previous.save_stats(inputs.stats)
        _leave_as_it_is(places, output)
        return _result(places, output, engine, counts, start, unchanged=True)
    apart = bool(previous.inputs) and not unchanged and not session.keep
    with relaxed_gc(), run_in_child(look, apart=apart) as finish_look:
        from kb.pipeline.assembly import BuildJob, assemble, read_records, with_files_read

        previous, found = previous.with_all_rows()
        damaged = damaged or found
        # Pages have a key of their own that tells of other templates and options.
        if previous.program != code_hash():
            previous = PreviousBuild(places.rulings)
        previous = with_files_read(previous, inputs.stats.checksums, session)
        library, own = read_records(places.rulings, inputs.stats, previous, session)
        problems = (*library.problems, *own.problems)
        if problems and not keep_going:
            raise KbError("nothing was published; the last build is unchanged", problems)
        verify = None
        if session.keep and previous.folder:
            # Looking at all files of the site takes longer than showing a page.
            verify = partial(_verify, finish_look)
        elif previous.folder and finish_look() is None:
            previous = previous.without_outputs()
        job = BuildJob(
            places,
            output,
            inputs.templates,
            own,
            options,
            engine,
            report,
            session,
            looked=inputs.stats,
            site_program=inputs.site_program,
            revision=inputs.revision,
            rehearsal=rehearsal,
            early=early,
            verify=verify,
        )
        made_from = {
            "inputs": Row(inputs.whole),
            "program": Row(code_hash()),
            "root": Row(str(places.rulings.resolve())),
        }
        cache: dict[str, Stage] = {"build": made_from, "stat": inputs.stats.rows}
        counts = assemble(job, library, previous, cache)
    found_now = {"problems": problems, "left_out": tuple(sorted(library.left_out))}
    return _result(places, output, engine, counts, start, **found_now, damaged=damaged)


def _verify(look: Callable[[], object]) -> None:
    from kb.site.site_build import SiteChanged

    if look() is None:
        raise SiteChanged


def _read_inputs(
    places: Paths,
    options: SiteOptions,
    engine: str,
    previous: PreviousBuild,
    session: BuildSession,
) -> _Inputs:
    stats = session.stats(places.rulings, previous.stat_rows)
    remove_abandoned_files(stats.temporary)
    templates = find_templates(places.rulings)
    folders = [session.stats(folder).checksums for folder in templates.folders]
    site_program = program_hash(folders, (options, _site_checksums(places.rulings)))
    revision = head_revision(places.rulings)
    whole = inputs_hash(stats.checksums, f"{site_program} {engine} {revision}")
    return _Inputs(templates, stats, engine, site_program, revision, whole)


def _site_checksums(rulings: Path) -> dict[str, str]:
    """Checksums of the files beside the records, which most bases do not have."""
    if not has_site_files(rulings):
        return {}
    from kb.records.site_config import read_site_files

    return read_site_files(rulings).checksums


def _leave_as_it_is(places: Paths, output: Path) -> None:
    # Touching a file must not make readers say that records have changed since the build.
    os.utime(places.data / "current")
    with suppress(OSError):
        # A build that was killed as its last step left its locks.
        remove_abandoned(places.data / "builds")
        remove_abandoned(output.absolute().parent)


def _result(
    places: Paths,
    output: Path,
    engine: str,
    counts: dict[str, int],
    start: float,
    **more: Any,
) -> BuildResult:
    return BuildResult(
        rulings=counts["rulings"],
        cards=counts["cards"],
        pages=counts["pages"],
        games=counts["games"],
        **more,
        site=output,
        data=places.data,
        seconds=time.perf_counter() - start,
        engine=chosen(places.current),
        engine_requested=bool(engine),
    )


def derive(places: Paths) -> Library:
    """Build only store and index, from the records without problems.

    For a search that finds them missing or damaged.
    """
    from kb.pipeline.assembly import assemble_data

    return assemble_data(places, _requested_engine(places, None))


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
