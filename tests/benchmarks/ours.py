"""All that the benchmarks know of kb's Python: parts of a build, searches in one process.

Run as `python -m tests.benchmarks.ours PART ARGUMENT...`; prints JSON. Where kb's modules move,
this file has to follow.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from kb.search.browser import ALWAYS, BASE, Offline

UNKNOWN = "qqqqzzzz"


def engines() -> list[str]:
    """The engines of `kb search`, the one first that `kb build` takes by itself."""
    from kb.search.engines.choice import DEFAULT, ENGINES

    return sorted(ENGINES, key=lambda name: name != DEFAULT)


@dataclass
class Clock:
    """Adds up the seconds of parts."""

    parts: dict[str, float]

    def timed(self, part: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **named: Any) -> Any:
            start = time.perf_counter()
            try:
                return work(*args, **named)
            finally:
                self.parts[part] = self.parts.get(part, 0.0) + time.perf_counter() - start

        return run


def _no_index(library: object, table: object, folder: Path, *more: object) -> Offline:
    """Stand in for the browser's index, which is written while pages are rendered."""
    folder.mkdir(parents=True)
    for name in (BASE, f"{ALWAYS}-none.js"):
        (folder / name).touch()
    return Offline([], {}, [], {})


def site(rulings: str, output: str, alone: str) -> dict[str, float]:
    """Seconds of making the site alone, by part: read, forms, links, browser index, pages.

    Pages are gathered, rendered and written. `alone`: "True" for one process, else links and pages
    are made on all cores.
    """
    from kb.core import parallel as processes
    from kb.language import FormTable
    from kb.language.forms import build_form_table
    from kb.linking.autolink import autolink
    from kb.pipeline.build import SiteOptions
    from kb.pipeline.paths import find_templates
    from kb.records.history import changed, changes, recent_diffs
    from kb.records.library import load
    from kb.search.analyzer import vocabulary
    from kb.search.browser import write_index
    from kb.site import site_build

    if alone == "True":
        processes.cpu_count = lambda: 1
    clock = Clock({})
    folder, made = Path(rulings), Path(output)
    made.mkdir(parents=True)
    library = clock.timed("read", load)(folder)

    def forms() -> None:
        words, names, groups = vocabulary(library)
        build_form_table(made.with_suffix(".forms"), words, names, groups)

    clock.timed("forms", forms)()
    with FormTable.open(made.with_suffix(".forms")) as table:
        library = clock.timed("links", autolink)(library, table)
    history = changes(folder) or []
    settings = site_build.SiteSettings(
        templates=find_templates(folder),
        forms=made.with_suffix(".forms"),
        build_id="benchmark",
        build_date="2026-01-01",
        interfaces=SiteOptions(interfaces=("en",)).interfaces,
        changed=changed(history),
        past=recent_diffs(folder, history),
    )
    with mock.patch.object(site_build, "write_index", _no_index):
        clock.timed("pages", site_build.build_site)(library, made, settings)
    with FormTable.open(made.with_suffix(".forms")) as table:
        clock.timed("browser index", write_index)(library, table, made / "index")
    made.with_suffix(".forms").unlink()
    return clock.parts


def index(rulings: str, folder: str, engine: str, repeats: str) -> list[float]:
    """Seconds of each making of the index alone, with its postings.

    Records, table of forms and store are there.
    """
    from kb.language import FormTable
    from kb.language.forms import build_form_table
    from kb.linking.autolink import autolink
    from kb.records.library import load
    from kb.search.analyzer import documents, vocabulary
    from kb.search.engines.base import build_index
    from kb.search.engines.choice import DEFAULT
    from kb.store.load import build_store

    library, here = load(Path(rulings)), Path(folder)
    here.mkdir(parents=True)
    words, names, groups = vocabulary(library)
    build_form_table(here / "forms.sqlite", words, names, groups)
    found = []
    with FormTable.open(here / "forms.sqlite") as table:
        library = autolink(library, table)
        for number in range(int(repeats)):
            build = here / str(number)
            build.mkdir()
            build_store(library, build / "kb.sqlite")
            start = time.perf_counter()
            build_index(build, documents(library, table), engine or DEFAULT)
            found.append(time.perf_counter() - start)
    return found


def queries(data: str, asked: str) -> dict[str, list[float]]:
    """Milliseconds of each query, asked once, in a process that has answered one.

    And how many rulings each found.
    """
    from kb.pipeline.paths import Paths
    from kb.search.searcher import Searcher

    texts = json.loads(Path(asked).read_text(encoding="utf-8"))
    took, counts = [], []
    with Searcher(Paths(Path(), Path(data)).current) as searcher:
        searcher.search(UNKNOWN)
        for text in texts:
            start = time.perf_counter()
            answer = searcher.search(text)
            took.append((time.perf_counter() - start) * 1000)
            counts.append(answer.total)
    return {"ms": took, "found": counts}


if __name__ == "__main__":
    parts: dict[str, Callable[..., Any]] = {"site": site, "index": index, "queries": queries}
    print(json.dumps(parts[sys.argv[1]](*sys.argv[2:])))
