"""All that the benchmarks know of kb's Python: the making of an index, searches in one process.

Run as `python -m tests.benchmarks.ours PART ARGUMENT...`; prints JSON. Where kb's modules move,
this file has to follow.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

UNKNOWN = "qqqqzzzz"


def engines() -> list[str]:
    """The engines of `kb search`, the one first that `kb build` takes by itself."""
    from kb.search.engines.base import DEFAULT, ENGINES

    return sorted(ENGINES, key=lambda name: name != DEFAULT)


def index(rulings: str, folder: str, engine: str, repeats: str) -> list[float]:
    """Seconds of each making of the index alone, with its postings.

    Records, table of forms and store are there.
    """
    from kb.language import FormTable
    from kb.linking.autolink import autolink
    from kb.pipeline.steps import build_forms
    from kb.records.library import load
    from kb.search.analyzer import documents
    from kb.search.engines.base import DEFAULT, build_index
    from kb.store.load import build_store
    from kb.store.model import stored_game

    library, here = load(Path(rulings)), Path(folder)
    here.mkdir(parents=True)
    build_forms(library, here / "forms.sqlite")
    found = []
    with FormTable(here / "forms.sqlite") as table:
        library = autolink(library, table)
        games = [stored_game(game) for game in library.games.values()]
        for number in range(int(repeats)):
            build = here / str(number)
            build.mkdir()
            build_store(library, build / "kb.sqlite")
            start = time.perf_counter()
            build_index(build, documents(library, table), games, engine or DEFAULT)
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
    parts: dict[str, Callable[..., Any]] = {"index": index, "queries": queries}
    print(json.dumps(parts[sys.argv[1]](*sys.argv[2:])))
