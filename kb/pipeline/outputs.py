"""What a build writes: store and search index, and the site; changed in part where that is less."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kb.core.files import link_or_copy
from kb.core.json import json_bytes
from kb.core.problems import NotBuilt
from kb.language import FormTable
from kb.language.forms import same_forms
from kb.pipeline.cache import FILE, Row, Stage
from kb.pipeline.integrity import CHECKSUMS
from kb.pipeline.linked import LinkedLibrary
from kb.pipeline.previous import PreviousBuild
from kb.records.library import Library
from kb.site.site_build import PreviousSite, Site, SiteSettings, build_site

if TYPE_CHECKING:
    from kb.search.browser.rows import Contribution

# Where more of the base than this has changed, store and index are built from nothing.
MOST_UPDATED = 0.2
# What a build writes for itself, whatever the last one had.
_NOT_COPIED = {"forms.sqlite", FILE, CHECKSUMS}


@dataclass(frozen=True)
class Difference:
    """How a library differs from the last build.

    `stored`, `indexed`: keys of rulings that are new or whose rows or documents differ; `gone`: of
    those that are no more. `games`: ids of games whose own files differ. `whole`: so much is new
    that store and index are built from nothing.
    """

    stored: frozenset[str]
    indexed: frozenset[str]
    gone: frozenset[str]
    games: frozenset[str]
    whole: bool


def difference(linked: LinkedLibrary, previous: PreviousBuild) -> Difference:
    """Compare a library with the last build."""

    def differing(stage: str) -> frozenset[str]:
        old, new = previous.stage(stage), linked.stages[stage]
        return frozenset(key for key, row in new.items() if key not in old or old[key] != row)

    old_games, new_games = previous.stage("game"), linked.stages["game"]
    indexed = differing("index")
    return Difference(
        stored=differing("store"),
        indexed=indexed,
        gone=frozenset(previous.stage("index").keys() - linked.stages["index"].keys()),
        games=differing("game") | frozenset(old_games.keys() - new_games.keys()),
        whole=previous.folder is None or len(indexed) > MOST_UPDATED * len(linked.library.rulings),
    )


def write_search(
    library: Library,
    change: Difference,
    previous: PreviousBuild,
    data: Path,
    requested: str,
) -> None:
    """Write the store and the search index into `data`.

    `requested`: the engine that somebody asked for, else the number of rulings decides.
    """
    from kb.search.analyzer import documents
    from kb.search.engines.base import build_index
    from kb.search.engines.choice import suitable, write_choice

    engine = requested or suitable(len(library.rulings))
    if change.whole or not _update_search(library, change, previous, data, engine):
        from kb.store.load import build_store

        build_store(library, data / "kb.sqlite")
        with FormTable.open(data / "forms.sqlite") as table:
            build_index(data, documents(library, table), engine)
    write_choice(data, engine, requested=bool(requested))


def _update_search(
    library: Library, change: Difference, previous: PreviousBuild, data: Path, engine: str
) -> bool:
    """Update copies of the last store and index. Where that fails nothing is left of them."""
    from kb.search.analyzer import documents
    from kb.search.engines.base import update_index
    from kb.search.engines.choice import chosen
    from kb.store.rows import update_store

    assert previous.folder is not None
    copies: list[Path] = []
    try:
        if chosen(previous.folder) != engine:
            return False
        for path in sorted(previous.folder.iterdir()):
            if path.name not in _NOT_COPIED:
                copies.append(data / path.name)
                _copy(path, copies[-1])
        update_store(data / "kb.sqlite", library, change.games, change.stored | change.gone)
        with FormTable.open(data / "forms.sqlite") as table:
            update_index(data, documents(library, table, sorted(change.indexed)), change.gone)
    except (NotBuilt, sqlite3.Error):
        for path in copies:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(
                missing_ok=True
            )
        return False
    return True


def _copy(path: Path, target: Path) -> None:
    """Copy what a build has. An index's own files are written once, and may be the same ones."""
    if path.is_dir():
        target.mkdir()
        for child in path.iterdir():
            link_or_copy(child, target / child.name)
    else:
        shutil.copyfile(path, target)


def write_site(
    linked: LinkedLibrary,
    change: Difference,
    previous: PreviousBuild,
    folder: Path,
    settings: SiteSettings,
    report: Callable[[int, int], None],
) -> Site:
    """Write the site into `folder`, which has a copy of the last one where there is one."""
    if previous.folder is None:
        return build_site(linked.library, folder, settings, report)
    forms = previous.folder / "forms.sqlite"
    with FormTable.open(forms) as table:
        # Where pages are shown early, they do not wait for it.
        contributions = partial(_contributions, linked.library, change, previous, table)
        memory = previous.in_memory
        same = (
            memory.linked.forms_for == linked.forms_for
            if memory
            else same_forms(forms, settings.forms)
        )
        old = PreviousSite(previous.site, None if same else table, contributions)
        return build_site(linked.library, folder, settings, report, old)


def _contributions(
    library: Library, change: Difference, previous: PreviousBuild, table: FormTable
) -> dict[str, Contribution]:
    """What rulings that differ or are gone added to the last browser's index."""
    from kb.search.analyzer import Analyzers
    from kb.search.browser.rows import contribution

    games = previous.games(library)
    analyzers = Analyzers(games, table)
    return {
        key: contribution(ruling, games[ruling.game], analyzers[ruling.game])
        for key, ruling in previous.rulings(change.indexed | change.gone).items()
    }


def site_rows(site: Site) -> dict[str, Stage]:
    """The stages `page` and `site` of the build cache."""
    index = site.index
    shards = {kind: [*map(list, several)] for kind, several in index.shards.items()}
    return {
        "page": {
            address: Row(page.key, json_bytes([page.files, page.reads]))
            for address, page in site.pages.items()
        },
        "site": {
            "files": Row("", json_bytes(site.others)),
            "inputs": Row("", json_bytes(site.inputs)),
            "index": Row("", json_bytes([index.keys, index.lemmas, index.layouts, shards])),
        },
    }
