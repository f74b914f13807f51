"""Search in the browser beside other engines: bytes of a first answer, time of a keystroke.

The CPU is slowed down 4 times. A keystroke is timed from the input event to the results standing in
the page. The slow-down that a browser offers reaches the page's own thread only, so besides kb's
page as it is served (search in a worker) the search is timed in that thread, as it runs where a
page is opened from a file; MiniSearch and lunr run in it too, and have their index whole before the
first keystroke. Pagefind indexes kb's own pages, the others the rulings' titles and texts.
"""

from __future__ import annotations

import csv
import gzip
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

from tests.benchmarks.bench import Base, Bench, tried, with_peer
from tests.benchmarks.measure import PROJECT, Runs, run
from tests.benchmarks.peers import HERE, Found, Peer
from tests.benchmarks.table import Figure, absent, figure, spread
from tests.browsers import MISSING, find_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FAMILY = "browser"
BYTES = "first answer of a browser that has nothing, gzip"
KEYSTROKE = "a keystroke"
INDEX = "making the browser's index"
SLOWER = 4
DONE = "#search[data-state=done]"
# Types the texts, each at once; a person rests between keystrokes, and so does this, for the page
# to be painted.
TYPE = """async (texts) => {
  const form = document.getElementById("search"), box = document.getElementById("q"), times = [];
  const settled = () => new Promise((done) => {
    if (form.dataset.state !== "busy") return done();
    const observer = new MutationObserver(() => {
      if (form.dataset.state !== "busy") { observer.disconnect(); done(); }
    });
    observer.observe(form, { attributes: true });
  });
  for (const text of texts) {
    box.value = text;
    const start = performance.now();
    box.dispatchEvent(new Event("input", { bubbles: true }));
    await settled();
    if (text) times.push(performance.now() - start);
    await new Promise((done) => setTimeout(done, 20));
  }
  return times;
}"""
FLAGS = (
    "--headless --no-sandbox --disable-gpu --no-first-run"
    " --disable-background-networking --disable-component-update"
).split()


def measure(bench: Bench, size: int) -> Iterator[Figure]:
    """The figures of one size."""
    if size > bench.browser_most:
        yield absent(FAMILY, BYTES, size, "all", f"run up to {bench.browser_most:,} rulings only")
        return
    program = find_browser()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        yield absent(FAMILY, BYTES, size, "all", str(error))
        return
    if not program:
        yield absent(FAMILY, BYTES, size, "all", MISSING)
        return
    base = bench.built(size)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=program, args=FLAGS)
        yield from tried(FAMILY, BYTES, size, "kb", lambda: _ours(browser, base))
        documents = bench.folder(f"{size}-browser") / "documents.jsonl"
        with documents.open("w", encoding="utf-8") as file:
            file.writelines(
                json.dumps(one._asdict(), ensure_ascii=False) + "\n" for one in bench.plain(size)
            )
        for name, install in _peers(bench).items():
            yield from with_peer(
                FAMILY,
                BYTES,
                size,
                install(),
                partial(_theirs, bench, browser, base, name, documents),
            )
        browser.close()


def _peers(bench: Bench) -> dict[str, Callable[[], Peer]]:
    tools = bench.tools
    return {
        "pagefind": lambda: tools.npm("Pagefind", "pagefind", "lib/runner/bin.cjs"),
        "minisearch": lambda: tools.npm("MiniSearch", "minisearch"),
        "lunr": lambda: tools.npm("lunr", "lunr"),
    }


def _ours(browser: Browser, base: Base) -> Iterator[Figure]:
    from kb.core import urls

    with served(base.site) as address:
        yield _loaded(browser, f"{address}/{urls.SEARCH}", base.site, base.size, "kb", True)
        yield _typed(
            browser, (base.site / urls.SEARCH).as_uri(), base.size, "kb, in the page", True
        )
        yield _typed(
            browser, f"{address}/{urls.SEARCH}", base.size, "kb, in a worker (not slowed)", True
        )


def _theirs(
    bench: Bench, browser: Browser, base: Base, name: str, documents: Path, found: Found
) -> Iterator[Figure]:
    root = documents.parent / name
    root.mkdir()
    for source, target in (
        ("peer.html", "index.html"),
        ("peer.js", "peer.js"),
        (f"{name}.js", "engine.js"),
    ):
        shutil.copyfile(HERE / "assets" / source, root / target)
    modules = bench.tools.node / "node_modules"
    if name == "pagefind":
        done = run(
            [
                *found.command,
                "--site",
                base.site,
                "--output-path",
                root / "pagefind",
                "--root-selector",
                "main",
            ]
        )
    else:
        library = modules / (
            "minisearch/dist/es/index.js" if name == "minisearch" else "lunr/lunr.min.js"
        )
        shutil.copyfile(library, root / "library.js")
        make = [*found.command, HERE / "assets" / "index.cjs", name, documents, root]
        done = run(make, env={"NODE_PATH": str(modules)})
    yield figure(FAMILY, INDEX, base.size, found.name, Runs([done.seconds]), note="whole command")
    with served(root) as address:
        yield _loaded(browser, f"{address}/index.html", root, base.size, found.name)
        yield _typed(browser, f"{address}/index.html", base.size, found.name)


def queries() -> list[str]:
    """Some of the gold queries: plain words."""
    with (PROJECT / "tests" / "gold" / "queries.tsv").open(encoding="utf-8") as file:
        rows = [
            row["query"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]
    return [row for row in rows if ":" not in row and '"' not in row][::13]


def _loaded(
    browser: Browser, page: str, root: Path, size: int, who: str, ours: bool = False
) -> Figure:
    """Kilobytes that each query loads into an empty browser, compressed as a server would."""
    found = [_cold(browser, page, root, query) for query in queries()]
    files = sorted(count for _, count in found)[len(found) // 2]
    kilobytes = [total / 1024 for total, _ in found]
    return spread(
        FAMILY, BYTES, size, who, kilobytes, "KB", 1, ours, f"{len(found)} queries, {files} files"
    )


def _cold(browser: Browser, address: str, root: Path, query: str) -> tuple[int, int]:
    context = browser.new_context()
    asked: set[str] = set()
    # Also what a worker asks for.
    context.on(
        "request", lambda request: asked.add(unquote(urlsplit(request.url).path).lstrip("/"))
    )
    page = context.new_page()
    page.goto(f"{address}?q={quote(query)}")
    page.wait_for_selector(DONE, timeout=120_000)
    context.close()
    files = [root / one for one in asked if (root / one).is_file()]
    return sum(len(gzip.compress(one.read_bytes(), 6)) for one in files), len(files)


def _typed(browser: Browser, address: str, size: int, who: str, ours: bool = False) -> Figure:
    """Milliseconds from each keystroke to its results, over the queries typed letter by letter."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#search[data-state]", timeout=120_000)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    texts = [query[:end] for query in queries() for end in (0, *range(3, len(query) + 1))]
    times = [float(one) for one in page.evaluate(TYPE, texts)]
    context.close()
    return spread(
        FAMILY,
        KEYSTROKE,
        size,
        who,
        times,
        "ms",
        1,
        ours,
        f"{len(times)} keystrokes, {SLOWER} times slower CPU",
    )


@contextmanager
def served(root: Path) -> Iterator[str]:
    class Quiet(SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body are sent one after the other: the second would wait 40 ms for the first's
        # acknowledgement.
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root)))
    threading.Thread(target=made.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{made.server_address[1]}"
    finally:
        made.shutdown()
        made.server_close()
