"""The whole line: records -> store, table of forms, index, static site. Built beside, then swapped in."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from kb.commands.apart import apart
from kb.commands.places import Places, find_templates
from kb.commands.swap import keep_unchanged, locked, swap, write_whole
from kb.commands.unchanged import INPUTS, STAMP, inputs, unchanged
from kb.problems import KbError, NotBuilt, Problem
from kb.records.library import Library, load

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class SiteOptions:
    """What a webmaster chooses: where the site will be served, where a link for reporting problems leads ({id} stands for the
    ruling), and the languages of the site's own words (all when empty)."""

    base_url: str = ""
    report: str = ""
    interfaces: tuple[str, ...] = ()


@dataclass(frozen=True)
class Built:
    """What a build made. `left_out` are keys of rulings with problems, published without them because of `keep_going`."""

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


def build(
    places: Places,
    output: Path,
    *,
    keep_going: bool = False,
    site: SiteOptions | None = None,
    anew: bool = False,
    engine: str | None = None,
    progress: Progress | None = None,
) -> Built:
    """Builds everything and publishes it: the store and the index in `places.data`, the site in `output`.

    Where nothing has changed since the last build, that stays as it is, with its date; `anew` builds all the same.
    `engine` is the name of the search engine, by default that of the build before.
    Raises KbError, with the problems, when there are any and `keep_going` is off, or when a folder cannot be written;
    the previous build is untouched then.
    """
    start = time.perf_counter()
    tell = progress or (lambda stage, done, total: None)
    tell("records", 0, 1)
    options = site or SiteOptions()
    templates = find_templates(places.rulings)
    engine = _engine(places, engine)
    key = inputs(places.rulings, templates, (options, engine))
    if not anew and not keep_going:
        held = unchanged(key, places, output)
        if held is not None:
            return Built(
                rulings=held["rulings"], cards=held["cards"], pages=held["pages"], games=held["games"], site=output,
                data=places.data, seconds=time.perf_counter() - start, unchanged=True, engine=engine,
            )  # fmt: skip
    library = load(places.rulings)
    if library.problems and not keep_going:
        raise KbError("nothing was published; what was there before is untouched", tuple(library.problems))
    _ours_or_empty(output)
    try:
        with locked(places.data):
            # Problems are to be told again: such a build is never taken for unchanged.
            pages = _make(library, places, output, templates, options, "" if library.problems else key, engine, tell)
    except OSError as error:
        raise KbError(f"{error.filename or output}: {error.strerror or error}; what was there before is untouched") from error
    return Built(
        rulings=len(library.rulings), cards=sum(len(game.cards) for game in library.games.values()), pages=pages,
        games=len(library.games), site=output, data=places.data, seconds=time.perf_counter() - start,
        problems=tuple(library.problems), left_out=tuple(sorted(library.left_out)),
        engine=engine,
    )  # fmt: skip


def _make(
    library: Library,
    places: Places,
    output: Path,
    templates: Path,
    options: SiteOptions,
    key: str,
    engine: str,
    tell: Progress,
) -> int:
    """Everything beside, the index in a process of its own, and then into place; how many pages there are."""
    with _beside(places.data / "builds") as data, _beside(output.absolute().parent) as made:
        whole = _analysed(library, data, _before(places), tell)
        with apart(lambda: _stored(whole, data, engine)):
            pages = _render(whole, places, data, made, templates, options, key, tell)
        (data / INPUTS).write_text(key, encoding="utf-8")
        _publish_site(made, output)
        _publish_data(data, places.data)
    return pages


def derive(places: Places) -> Library:
    """Makes only the store and the index anew, from the good records: for a search that finds them missing or damaged."""
    library = load(places.rulings)
    engine = _engine(places, None)
    with locked(places.data), _beside(places.data / "builds") as data:
        _stored(_analysed(library, data, _before(places), lambda stage, done, total: None), data, engine)
        _publish_data(data, places.data)
    return library


def _engine(places: Places, name: str | None) -> str:
    """The engine with a name, that of the current build, or the usual one. Raises KbError when there is none of the name."""
    from kb.index.engine import DEFAULT, chosen, known

    if name:
        return known(name)
    try:
        return chosen(places.current)
    except NotBuilt:
        return DEFAULT


def _before(places: Places) -> Path | None:
    """The table of forms of the current build, whose languages need no new analysis where their words are the same."""
    try:
        return places.current / "forms.sqlite"
    except NotBuilt:
        return None


def _analysed(library: Library, data: Path, before: Path | None, tell: Progress) -> Library:
    """Makes the table of forms; returns the library with the card links that the table allows."""
    from kb.index.build import vocabulary
    from kb.language import Table, build_table
    from kb.records.linking import linked

    tell("word forms", 0, 1)
    words, names, groups = vocabulary(library)
    build_table(data / "forms.sqlite", words, names, groups, before)
    with Table.open(data / "forms.sqlite") as table:
        tell("links", 0, 1)
        return linked(library, table)


def _stored(library: Library, data: Path, engine: str) -> None:
    """Makes the store and the index."""
    from kb.index.build import documents
    from kb.index.engine import build_index
    from kb.language import Table
    from kb.store.build import build_store

    build_store(library, data / "kb.sqlite")
    with Table.open(data / "forms.sqlite") as table:
        build_index(data, documents(library, table), engine)


def _render(
    library: Library, places: Places, data: Path, site: Path, templates: Path, options: SiteOptions, key: str, tell: Progress
) -> int:
    from kb.records.history import changed, changes, past
    from kb.site.build import SiteSettings, build_site

    history = changes(places.rulings) or []
    settings = SiteSettings(
        templates=templates, forms=data / "forms.sqlite", base_url=options.base_url,
        build_id=identity(library), build_date=build_date(), report=options.report, interfaces=options.interfaces,
        changed=changed(history), past=past(places.rulings, history),
    )  # fmt: skip
    counts = build_site(library, site, settings, lambda done, total: tell("pages", done, total))
    stamp = {
        "generator": "kb",
        "build": settings.build_id,
        "date": settings.build_date,
        "rulings": len(library.rulings),
        "pages": counts.pages,
        "games": len(library.games),
        "cards": sum(len(game.cards) for game in library.games.values()),
        "inputs": key,
    }
    stamp["files"] = sum(len(names) for _, _, names in os.walk(site)) + 1
    (site / STAMP).write_text(json.dumps(stamp, indent=1) + "\n", encoding="utf-8")
    return counts.pages


def build_date() -> str:
    """Today in UTC, or the day of SOURCE_DATE_EPOCH where that is set, as 2003-06-01."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now(UTC)
    return moment.date().isoformat()


def identity(library: Library) -> str:
    """The build's id: the same records give the same id."""
    digest = hashlib.sha256()
    for game in library.games.values():
        digest.update(game.model_dump_json(exclude={"folder"}).encode())
    for ruling in library.rulings.values():
        digest.update(ruling.model_dump_json(exclude={"path", "lines", "span"}).encode())
    return digest.hexdigest()[:12]


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
        raise KbError(f"{output}: holds files that no build of the site made; name an empty or a new folder with --output")


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A new folder in `folder`, gone afterwards unless it was moved into its place."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=".kb-new-", dir=folder))
    made.chmod(0o755)
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _publish_site(site: Path, output: Path) -> None:
    if output.exists():
        keep_unchanged(site, output)
        if not any(output.iterdir()):
            output.rmdir()
    swap(site, output)


def _publish_data(data: Path, home: Path) -> None:
    """Moves a build in, points `current` at it and deletes all but the one before, which a reader may still hold."""
    builds = home / "builds"
    number = max((int(one.name) for one in builds.iterdir() if one.name.isdigit()), default=0) + 1
    data.rename(builds / str(number))
    write_whole(home / "current", f"{number}\n")
    for one in builds.iterdir():
        if one.name not in {str(number), str(number - 1)} and one != data:
            shutil.rmtree(one, ignore_errors=True)
