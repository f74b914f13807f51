"""Requests a second and their times: `kb serve` beside Datasette over the same store.

`kb serve` runs in one process and in two, Datasette uses FTS5. The requests are made here, on the
same machine, by four threads that keep their connections, in bounded loops on loopback.
"""

from __future__ import annotations

import http.client
import os
import shutil
import socket
import sqlite3
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from tests.benchmarks.bench import Base, Bench, tried, with_peer
from tests.benchmarks.measure import PROJECT, Failed, kb
from tests.benchmarks.peers import Found
from tests.benchmarks.search import drawn
from tests.benchmarks.table import Figure, spread

FAMILY = "load"
SEARCH, PAGES = "search over HTTP", "pages over HTTP"
CONNECTIONS, EACH = 4, 150
_LONGEST = 60


def measure(bench: Bench, size: int) -> Iterator[Figure]:
    """The figures of one size."""
    base = bench.built(size, "database")
    asked = [f"/api/v1/search?limit=10&q={quote(query)}" for query in drawn(bench, size)]
    shown = [f"/{page.as_posix()}" for page in base.pages if "/rulings/" in page.as_posix()]
    for workers in (1, 2):
        name = f"kb serve, {workers} process{'es' if workers > 1 else ''}"
        yield from tried(
            FAMILY, SEARCH, size, name, lambda w=workers, n=name: _kb(base, w, n, asked, shown)
        )  # type: ignore[misc]
    peer = bench.tools.python("Datasette", ["datasette"], "datasette")
    yield from with_peer(
        FAMILY, SEARCH, size, peer, lambda found: _datasette(bench, base, found, drawn(bench, size))
    )


def _kb(
    base: Base, workers: int, name: str, asked: Sequence[str], shown: Sequence[str]
) -> Iterator[Figure]:
    port = free_port()
    options = (
        "--output",
        base.site,
        "--rulings",
        base.rulings,
        "--log",
        "none",
        "--workers",
        str(workers),
        "--port",
        str(port),
    )
    with _running([str(one) for one in kb("serve", *options)], port, base.env):
        yield _asked(SEARCH, base.size, name, port, asked, workers == 1)
        yield _asked(PAGES, base.size, name, port, shown, workers == 1)


def _datasette(bench: Bench, base: Base, found: Found, queries: Sequence[str]) -> Iterator[Figure]:
    build = base.data / "builds" / (base.data / "current").read_text(encoding="utf-8").strip()
    path = bench.folder(f"{base.size}-datasette") / "kb.db"
    shutil.copyfile(build / "kb.sqlite", path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE VIRTUAL TABLE text_fts USING fts5(title, body, content='text')")
        db.execute("INSERT INTO text_fts(rowid, title, body) SELECT rowid, title, body FROM text")
        keys = [row[0] for row in db.execute("SELECT key FROM ruling ORDER BY key LIMIT 2000")]
    port = free_port()
    command = [
        *found.command,
        "serve",
        str(path),
        "--port",
        str(port),
        "--host",
        "127.0.0.1",
        "--setting",
        "facet_time_limit_ms",
        "50",
    ]
    asked = [
        f"/kb/text.json?_size=10&_nofacet=1&_nosuggest=1&_search={quote(query)}"
        for query in queries
    ]
    shown = [f"/kb/ruling/{key.replace('/', '~2F').replace('.', '~2E')}" for key in keys]
    with _running(command, port, {}):
        yield _asked(SEARCH, base.size, found.name, port, asked)
        yield _asked(PAGES, base.size, found.name, port, shown)


def _asked(
    what: str, size: int, who: str, port: int, paths: Sequence[str], ours: bool = False
) -> Figure:
    """Asks over several connections at once; what is answered with an error counts and is told."""
    times: list[float] = []
    wrong: list[str] = []

    def ask(number: int) -> None:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=_LONGEST)) as connection:
            for turn in range(EACH):
                path = paths[(number * EACH + turn) % len(paths)]
                start = time.perf_counter()
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                times.append((time.perf_counter() - start) * 1000)
                if answer.status != http.client.OK:
                    wrong.append(f"{answer.status} {path}")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(CONNECTIONS)]
    start = time.perf_counter()
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    taken = time.perf_counter() - start
    if len(times) < CONNECTIONS * EACH:
        raise Failed(f"only {len(times)} of {CONNECTIONS * EACH} requests were answered")
    note = f"{len(times) / taken:,.0f} requests a second" + (
        f", {len(wrong)} not answered: {wrong[0]}" if wrong else ""
    )
    return spread(FAMILY, what, size, who, times, "ms", 1, ours, note)


def free_port() -> int:
    with socket.socket() as made:
        made.bind(("127.0.0.1", 0))
        return int(made.getsockname()[1])


@contextmanager
def _running(command: Sequence[str], port: int, env: dict[str, str]) -> Iterator[None]:
    """A server, from its first answer on until the end of the `with`.

    Raises Failed when it does not answer.
    """
    log = Path(os.devnull).open("w")  # noqa: SIM115
    process = subprocess.Popen(
        command, env={**os.environ, **env}, cwd=PROJECT, stdout=log, stderr=log
    )
    try:
        for _ in range(_LONGEST * 10):
            time.sleep(0.1)
            if process.poll() is not None:
                raise Failed(f"{command[0]} ended with {process.returncode}")
            with socket.socket() as tried_:
                if tried_.connect_ex(("127.0.0.1", port)) == 0:
                    break
        else:
            raise Failed(f"{command[0]} did not answer")
        time.sleep(1)
        yield
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        log.close()
