"""`kb search` and the making of its index, beside other engines over the same rulings."""

from __future__ import annotations

import csv
import json
import random
import re
import shlex
import shutil
import statistics
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from tests.benchmarks import engines, ours
from tests.benchmarks.bench import Base, Bench, tried, with_peer
from tests.benchmarks.measure import PROJECT, Runs, kb, run
from tests.benchmarks.peers import HERE, Absent, Found, Peer
from tests.benchmarks.table import Figure, figure, spread

FAMILY = "search"
INDEX, WARM, COLD = "making the index", "a query in one process", "a query as a whole command"
# So many queries of one, two and three words each are drawn from the rulings; so many of all are
# asked as whole commands.
DRAWN, WHOLE = 20, 12


def measure(bench: Bench, size: int) -> Iterator[Figure]:
    """The figures of one size."""
    folder = bench.folder(f"{size}-search")
    asked = drawn(bench, size)
    (folder / "queries.json").write_text(json.dumps(asked, ensure_ascii=False), encoding="utf-8")
    with (folder / "documents.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(
            json.dumps(one._asdict(), ensure_ascii=False) + "\n" for one in bench.plain(size)
        )
    for engine in ours.engines():
        yield from _ours(bench, size, engine, folder, asked)
    peers = {
        "whoosh": _own("Whoosh as shipped", "whoosh"),
        "fts5": _fts5("SQLite FTS5"),
        "fts5-answers": _fts5("SQLite FTS5, with snippets and total"),
        "tantivy": bench.tools.python("tantivy", ("tantivy",)),
    }
    for engine, peer in peers.items():
        yield from _theirs(bench, size, engine, peer, folder, asked)
    yield from _ripgrep(bench, size, asked)


def drawn(bench: Bench, size: int) -> list[str]:
    """The queries: one to three words of a sentence, and examples of ../shared or gold queries."""
    random_ = random.Random(7)
    found = []
    for many in (1, 2, 3):
        while len(found) < DRAWN * many:
            one = random_.choice(bench.plain(size))
            known = list(
                dict.fromkeys(
                    re.findall(r"[^\W\d_]{4,}", random_.choice(re.split(r"[.?!]\s", one.text)))
                )
            )
            if len(known) >= many:
                chosen = sorted(random_.sample(range(len(known)), many))
                found.append(" ".join(known[place] for place in chosen).lower())
    examples = bench.shared / "queries.tsv"
    with (examples if examples.is_file() else PROJECT / "tests" / "gold" / "queries.tsv").open(
        encoding="utf-8"
    ) as file:
        rows = [row[0] for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)][1:]
    return found + rows[:: max(1, len(rows) // 24)][:24]


def _some(asked: list[str]) -> list[str]:
    return asked[:: len(asked) // WHOLE][:WHOLE]


def _ours(bench: Bench, size: int, engine: str, folder: Path, asked: list[str]) -> Iterator[Figure]:
    name = f"kb, {engine}"
    part = [sys.executable, "-m", "tests.benchmarks.ours"]

    def index(base: Base) -> Figure:
        made = bench.folder(f"{size}-index")
        repeats = bench.plan.repeats if size <= 20_000 else 1
        done = run(
            [*part, "index", base.rulings, made / "index", engine, str(repeats)], env=base.env
        )
        shutil.rmtree(made)
        return figure(
            FAMILY,
            INDEX,
            size,
            name,
            Runs(json.loads(done.output)),
            True,
            "with its postings; table of forms and store are there",
        )

    def warm(base: Base) -> Figure:
        command = [*part, "queries", base.data, folder / "queries.json"]
        return _warm(bench, size, name, lambda: run(command, env=base.env).output, True)

    def cold(base: Base) -> Figure:
        words = kb("search", "--rulings", base.rulings, "--json")
        # Code 1: nothing found.
        ask = lambda query: run([*words, "--", query], env=base.env, good=(0, 1)).seconds  # noqa: E731
        return _cold(bench, size, name, asked, ask, True)

    works: list[tuple[str, Callable[[Base], Figure]]] = [(INDEX, index), (WARM, warm), (COLD, cold)]
    for what, work in works:
        yield from tried(FAMILY, what, size, name, partial(_built, bench, size, engine, work))


def _built(bench: Bench, size: int, engine: str, work: Callable[[Base], Figure]) -> Figure:
    # The engine without which kb is built is the first.
    return work(bench.built(size, "" if engine == ours.engines()[0] else engine))


def _theirs(
    bench: Bench, size: int, engine: str, peer: Peer, folder: Path, asked: list[str]
) -> Iterator[Figure]:
    made = folder / engine
    script = HERE / "engines.py"

    def index(found: Found) -> Figure:
        seconds: list[float] = []
        for _ in range(bench.plan.repeats):
            shutil.rmtree(made, ignore_errors=True)
            done = run([*found.command, script, "build", engine, folder / "documents.jsonl", made])
            seconds.append(float(done.output))
            if done.seconds > bench.plan.patience:
                break
        return figure(FAMILY, INDEX, size, found.name, Runs(seconds))

    def warm(found: Found) -> Figure:
        command = [*found.command, script, "queries", engine, made, folder / "queries.json"]
        return _warm(bench, size, found.name, lambda: run(command).output)

    def cold(found: Found) -> Figure:
        ask = lambda query: run([*found.command, script, "one", engine, made, query]).seconds  # noqa: E731
        return _cold(bench, size, found.name, asked, ask)

    for what, work in ((INDEX, index), (WARM, warm), (COLD, cold)):
        yield from with_peer(FAMILY, what, size, peer, work)


def _warm(
    bench: Bench, size: int, name: str, ask: Callable[[], str], is_ours: bool = False
) -> Figure:
    """Over the queries: the median of each over several processes.

    Several, so that no answer comes from a cache of the same question.
    """
    answers = [json.loads(ask()) for _ in range(bench.plan.repeats)]
    each = [statistics.median(times) for times in zip(*(one["ms"] for one in answers), strict=True)]
    nothing = sum(not count for count in answers[0]["found"])
    note = f"{len(each)} queries, {nothing} find nothing"
    return spread(FAMILY, WARM, size, name, each, "ms", bench.plan.repeats, is_ours, note)


def _cold(
    bench: Bench,
    size: int,
    name: str,
    asked: list[str],
    ask: Callable[[str], float],
    is_ours: bool = False,
    note: str = "",
) -> Figure:
    """Over some of the queries: the median of each over several runs of the command."""
    some = _some(asked)
    ask(some[0])
    each = [
        statistics.median(ask(query) * 1000 for _ in range(bench.plan.repeats)) for query in some
    ]
    return spread(
        FAMILY,
        COLD,
        size,
        name,
        each,
        "ms",
        bench.plan.repeats,
        is_ours,
        note or f"{len(some)} queries",
    )


def _ripgrep(bench: Bench, size: int, asked: list[str]) -> Iterator[Figure]:
    rulings = bench.built(size).rulings

    def cold(found: Found) -> Figure:
        def ask(query: str) -> float:
            first, *rest = (shlex.quote(word) for word in engines.words(query))
            line = f"rg -l0iF -g '*.md' -e {first} {shlex.quote(str(rulings))}"
            line += "".join(f" | xargs -0r rg -l0iF -e {word} --" for word in rest)
            return run(["sh", "-c", f"{line} | tr '\\0' '\\n' | sort | head -10"]).seconds

        return _cold(bench, size, found.name, asked, ask, note="words as written, without ranking")

    yield from with_peer(FAMILY, COLD, size, bench.tools.debian("ripgrep", "ripgrep", "rg"), cold)


def _own(name: str, package: str) -> Peer:
    """A package that kb itself needs, in this Python."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return Found(f"{name} {version(package)}", (sys.executable,))
    except PackageNotFoundError as error:
        return Absent(name, str(error))


def _fts5(name: str) -> Peer:
    import sqlite3

    try:
        sqlite3.connect(":memory:").execute("CREATE VIRTUAL TABLE one USING fts5(text)")
    except sqlite3.Error as error:
        return Absent(name, str(error))
    return Found(f"{name} {sqlite3.sqlite_version}", (sys.executable,))
