"""The whole line: records -> store, table of forms, index, static site. Built beside, then swapped in."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kb.build.build_key import INPUTS, STAMP, inputs, last, program, unchanged
from kb.build.changes import MUCH, Changes, changes_since
from kb.build.integrity import SUMS, verify_checksums, write_checksums
from kb.build.paths import Paths, find_templates
from kb.build.staging import (
    build_lock,
    reuse_unchanged_files,
    staging_directory,
    swap,
    write_atomically,
)
from kb.build.stat_cache import FILE as SEEN
from kb.build.stat_cache import StatCache
from kb.core.parallel import relaxed_gc, run_in_child
from kb.core.problems import KbError, NotBuilt, Problem
from kb.records.library import Library, load

if TYPE_CHECKING:
    from kb.build.manifest import BuildManifest
    from kb.site.site_build import Site

Progress = Callable[[str, int, int], None]
_PROGRAM = "program"
# What a build makes for itself, whatever the last one had.
_OWN = {"forms.sqlite", "made", INPUTS, _PROGRAM, SUMS}


@dataclass(frozen=True)
class SiteOptions:
    """What a webmaster chooses: where the site will be served, where a link for reporting problems leads ({id} stands for the
    ruling), and the languages of the site's own words (all when empty)."""

    base_url: str = ""
    report: str = ""
    interfaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class BuildResult:
    """What a build made. `left_out` are keys of rulings with problems, published without them because of `keep_going`; `damaged`
    tells what was wrong with the files of the build before, of which nothing was taken over then."""

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
    damaged: str = ""


def build(
    places: Paths,
    output: Path,
    *,
    keep_going: bool = False,
    site: SiteOptions | None = None,
    anew: bool = False,
    engine: str | None = None,
    progress: Progress | None = None,
) -> BuildResult:
    """Builds everything and publishes it: the store and the index in `places.data`, the site in `output`.

    Only what differs from the last build is made again; where nothing does, that stays as it is, with its date. `anew` makes
    everything again. `engine` is the name of the search engine, by default that of the build before.
    Raises KbError, with the problems, when there are any and `keep_going` is off, or when a folder cannot be written;
    the previous build is untouched then.
    """
    start = time.perf_counter()
    tell = progress or (lambda stage, done, total: None)
    tell("records", 0, 1)
    options = site or SiteOptions()
    templates = find_templates(places.rulings)
    engine = _engine(places, engine)
    damaged = _damaged(places)
    anew = anew or bool(damaged)
    program_key = program(templates, (options, engine))
    seen = StatCache(places.rulings, places.data / SEEN, trust=not anew)
    key = inputs(places.rulings, seen.sums, program_key)
    if not anew and not keep_going:
        held = unchanged(key, places, output)
        if held is not None:
            seen.save()
            return BuildResult(
                rulings=held["rulings"],
                cards=held["cards"],
                pages=held["pages"],
                games=held["games"],
                site=output,
                data=places.data,
                seconds=time.perf_counter() - start,
                unchanged=True,
                engine=engine,
            )
    with relaxed_gc():
        before = None if anew else _last(places, output, program_key)
        library = load(places.rulings, before.held if before else None, seen.sums)
        if library.problems and not keep_going:
            raise KbError(
                "nothing was published; what was there before is untouched", tuple(library.problems)
            )
        _ours_or_empty(output)
        # Problems are to be told again: such a build is never taken for unchanged.
        job = Job(
            places,
            output,
            templates,
            options,
            engine,
            "" if library.problems else key,
            program_key,
            tell,
        )
        try:
            with build_lock(places.data):
                pages = _make(library, job, before)
                seen.save()
        except OSError as error:
            where = error.filename or output
            raise KbError(
                f"{where}: {error.strerror or error}; what was there before is untouched"
            ) from error
        except sqlite3.Error as error:
            raise KbError(f"{places.data}: {error}; what was there before is untouched") from error
    return BuildResult(
        rulings=len(library.rulings),
        cards=sum(len(game.cards) for game in library.games.values()),
        pages=pages,
        games=len(library.games),
        site=output,
        data=places.data,
        seconds=time.perf_counter() - start,
        problems=tuple(library.problems),
        left_out=tuple(sorted(library.left_out)),
        engine=engine,
        damaged=damaged,
    )


def _damaged(places: Paths) -> str:
    """What is wrong with the files of the last build; empty when nothing is, or nothing is built."""
    try:
        verify_checksums(places.current)
    except NotBuilt as error:
        return str(error) if (places.data / "current").exists() else ""
    return ""


@dataclass(frozen=True)
class Job:
    """One build on its way: what it was asked for, and hashes of all that goes into it and of all but the records."""

    places: Paths
    output: Path
    templates: Path
    options: SiteOptions
    engine: str
    inputs: str
    program: str
    tell: Progress


def _last(places: Paths, output: Path, program_key: str) -> BuildManifest | None:
    """The last build, when this one can go on from it."""
    from kb.build.manifest import BuildManifest

    if last(places, output) is None:
        return None
    try:
        if (places.current / _PROGRAM).read_text(encoding="utf-8") != program_key:
            return None
        return BuildManifest.read(places.current, places.rulings)
    except (OSError, ValueError, NotBuilt):
        return None


def _make(library: Library, job: Job, before: BuildManifest | None) -> int:
    """Everything beside, the index in a process of its own, and then into place; how many pages there are."""
    from kb.build.manifest import BuildManifest
    from kb.site.output import copied

    with (
        staging_directory(job.places.data / "builds") as data,
        staging_directory(job.output.absolute().parent) as folder,
    ):
        # The new site grows out of a copy of the last one.
        with run_in_child(partial(copied, job.output, folder)) if before else nullcontext():
            changes = changes_since(
                library, before, data, before.folder if before else _before(job.places), job.tell
            )
        with run_in_child(partial(_stored, changes, data, job.engine)) as stored:
            site = _render(changes, job, data, folder)
            stored()
        kept = BuildManifest(library.sums, library.game_files, changes.kept, changes.words, site)
        if not library.problems:
            kept.save(data)
        (data / INPUTS).write_text(job.inputs, encoding="utf-8")
        (data / _PROGRAM).write_text(job.program, encoding="utf-8")
        _publish_site(folder, job.output, site if before else None)
        _publish_data(data, job.places.data)
    return site.pages


def _whole(changes: Changes) -> bool:
    """Whether the indexes are to be made from nothing."""
    return changes.before is None or len(changes.indexed) > MUCH * len(changes.library.rulings)


def derive(places: Paths) -> Library:
    """Makes only the store and the index anew, from the good records: for a search that finds them missing or damaged."""
    library = load(places.rulings)
    engine = _engine(places, None)
    with build_lock(places.data), staging_directory(places.data / "builds") as data:
        changes = changes_since(
            library, None, data, _before(places), lambda stage, done, total: None
        )
        _stored(changes, data, engine)
        _publish_data(data, places.data)
    return library


def _engine(places: Paths, name: str | None) -> str:
    """The engine with a name, that of the current build, or the usual one. Raises KbError when there is none of the name."""
    from kb.search.engines.base import DEFAULT, chosen, known

    if name:
        return known(name)
    try:
        return chosen(places.current)
    except NotBuilt:
        return DEFAULT


def _before(places: Paths) -> Path | None:
    """The table of forms of the current build, whose languages need no new analysis where their words are the same."""
    try:
        verify_checksums(places.current, ("forms.sqlite",))
        return places.current / "forms.sqlite"
    except NotBuilt:
        return None


def _stored(changes: Changes, data: Path, engine: str) -> None:
    """Makes the store and the index: anew, or copies of the last ones brought up to date."""
    from kb.language import FormTable
    from kb.search.engines.base import build_index
    from kb.search.indexing import documents

    if _whole(changes) or not _updated(changes, data, engine):
        from kb.store.load import build_store

        build_store(changes.library, data / "kb.sqlite")
        with FormTable.open(data / "forms.sqlite") as table:
            build_index(data, documents(changes.library, table), engine)


def _updated(changes: Changes, data: Path, engine: str) -> bool:
    """Whether store and index could be brought up to date; where they could not, nothing is left of them."""
    from kb.language import FormTable
    from kb.search.engines.base import chosen, update_index
    from kb.search.indexing import documents
    from kb.store.rows import update_store

    before = changes.before
    assert before is not None
    made: list[Path] = []
    try:
        if chosen(before.folder) != engine:
            return False
        for path in sorted(before.folder.iterdir()):
            if path.name not in _OWN:
                made.append(data / path.name)
                _copy(path, made[-1])
        update_store(data / "kb.sqlite", changes.library, changes.games, changes.stored)
        with FormTable.open(data / "forms.sqlite") as table:
            update_index(
                data, documents(changes.library, table, sorted(changes.indexed)), changes.gone
            )
    except (NotBuilt, sqlite3.Error):
        for path in made:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(
                missing_ok=True
            )
        return False
    return True


def _copy(path: Path, target: Path) -> None:
    """Copies what a build holds; an index's own files are written once, and may be the same ones."""
    if path.is_dir():
        shutil.copytree(path, target, copy_function=_link)
    else:
        shutil.copyfile(path, target)


def _link(path: str, target: str) -> None:
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)


def _render(changes: Changes, job: Job, data: Path, folder: Path) -> Site:
    """Makes the site in `folder`, which holds a copy of the last one where there is one."""
    from kb.records.history import changed, past
    from kb.records.history import changes as changes_of
    from kb.site.collect import Known
    from kb.site.site_build import PreviousSite, SiteSettings, build_site

    library, options = changes.library, job.options
    history = changes_of(job.places.rulings) or []
    settings = SiteSettings(
        templates=job.templates,
        forms=data / "forms.sqlite",
        base_url=options.base_url,
        build_id=build_id(library),
        build_date=build_date(),
        report=options.report,
        interfaces=options.interfaces,
        changed=changed(history),
        past=past(job.places.rulings, history),
        inputs=job.program,
        known=Known(
            {key: one.stamp for key, one in changes.kept.items()},
            {key: one.cards for key, one in changes.kept.items()},
        ),
    )

    def told(done: int, total: int) -> None:
        job.tell("pages", done, total)

    if changes.before:
        with changes.table_before() as table:
            contributions = changes.contributions(table)
            published = changes.before.published
            was = {key: published[key] for key in changes.stored if key in published}
            other = table if changes.reworded else None
            held = PreviousSite(
                changes.before.site, changes.stored, was, changes.games, other, contributions
            )
            site = build_site(library, folder, settings, told, held)
    else:
        site = build_site(library, folder, settings, told)
    stamp = {
        "generator": "kb",
        "build": settings.build_id,
        "date": settings.build_date,
        "rulings": len(library.rulings),
        "pages": site.pages,
        "games": len(library.games),
        "cards": sum(len(game.cards) for game in library.games.values()),
        "inputs": job.inputs,
        "files": len(site.files) + 1,
    }
    (folder / STAMP).unlink(missing_ok=True)
    (folder / STAMP).write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")
    return site


def build_date() -> str:
    """Today in UTC, or the day of SOURCE_DATE_EPOCH where that is set, as 2003-06-01."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        moment = datetime.fromtimestamp(int(epoch), UTC) if epoch else datetime.now(UTC)
    except (ValueError, OverflowError, OSError):
        raise KbError(
            f"SOURCE_DATE_EPOCH: {epoch[:40]!r} is no number of seconds since 1970"
        ) from None
    return moment.date().isoformat()


def build_id(library: Library) -> str:
    """The build's id: the same records give the same id."""
    return hashlib.sha256(
        repr(sorted(library.sums.items())).encode("utf-8", "backslashreplace")
    ).hexdigest()[:12]


def _ours_or_empty(output: Path) -> None:
    """The site replaces what an earlier build wrote, never anything else."""
    if output.is_symlink() or (output.exists() and not output.is_dir()):
        raise KbError(f"{output}: not a folder; --output names a folder for the site")
    if not output.exists() or not any(output.iterdir()):
        return
    try:
        ours = json.loads((output / STAMP).read_text(encoding="utf-8")).get("generator") == "kb"
    except (OSError, ValueError, AttributeError):
        ours = False
    if not ours:
        raise KbError(
            f"{output}: holds files that no build of the site made; name an empty or a new folder with --output"
        )


def _publish_site(site: Path, output: Path, grown: Site | None) -> None:
    """Puts the site in its place. Files that stay the same keep their times; a site that grew out of the last one has them."""
    if output.exists():
        if not grown:
            reuse_unchanged_files(site, output)
        if not any(output.iterdir()):
            output.rmdir()
    swap(site, output)


def _publish_data(data: Path, home: Path) -> None:
    """Moves a build in, points `current` at it and deletes all but the one before, which a reader may still hold."""
    write_checksums(data)
    kept: set[str] = set()
    builds = home / "builds"
    with suppress(OSError):
        kept.add((home / "current").read_text(encoding="utf-8").strip())
    number = max((int(one.name) for one in builds.iterdir() if one.name.isdigit()), default=0) + 1
    data.rename(builds / str(number))
    write_atomically(home / "current", f"{number}\n")
    for left in home.glob(".current.*"):
        # A build was killed while it wrote that.
        left.unlink(missing_ok=True)
    for one in builds.iterdir():
        if one.name not in {str(number), *kept} and one != data:
            shutil.rmtree(one, ignore_errors=True)
