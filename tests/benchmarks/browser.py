"""Search in the browser: what a first answer loads, and how long a keystroke takes, at 4 times slower CPU.

Run: pytest tests/benchmarks/browser.py -s, with KB_BENCH_SIZES=0,3000,20000 for more (0: the project's own rulings).
A keystroke is timed from the input event to the results standing in the page. The slow-down that a browser offers reaches the
page's own thread only, so besides the page as it is served (search in a worker) the search is timed in that thread, as it runs
where a page is opened from a file. Figures are printed, never asserted.
"""

from __future__ import annotations

import csv
import gzip
import os
import statistics
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Page

from kb import urls
from kb.commands.build import SiteOptions, build
from kb.commands.places import Places
from tests.benchmarks.corpus import make_corpus
from tests.serving import Running
from tests.serving import site as served

pytest_plugins = ["tests.browser.conftest"]
SIZES = [int(one) for one in os.environ.get("KB_BENCH_SIZES", "0,3000").split(",")]
SLOWER = 4
TIMER = """() => {
  const form = document.getElementById("search"), box = document.getElementById("q");
  window.timed = [];
  let start = 0;
  box.addEventListener("input", () => { start = performance.now(); }, true);
  new MutationObserver(() => {
    if (form.dataset.state === "done" && start) { window.timed.push(performance.now() - start); start = 0; }
  }).observe(form, { attributes: true });
}"""


def queries() -> list[str]:
    with (Path(__file__).parent.parent / "gold" / "queries.tsv").open(encoding="utf-8") as file:
        rows = [row["query"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return [row for row in rows if ":" not in row and '"' not in row][::13]


def site(size: int, project: Path, folder: Path) -> Path:
    named = os.environ.get(f"KB_BENCH_SITE_{size}")
    if named:
        return Path(named)
    root = make_corpus(folder / "rulings", size, project, project.parent.parent / "shared") if size else project
    build(Places(root, folder / "data"), folder / "site", site=SiteOptions(interfaces=("en",)))
    return folder / "site"


def cold(browser: Browser, base: str, root: Path, query: str) -> tuple[int, int]:
    """What one query loads in a browser that has nothing: bytes compressed as a server would, and files."""
    context = browser.new_context()
    asked: set[str] = set()
    context.on("request", lambda request: asked.add(urlsplit(request.url).path.lstrip("/")))
    page = context.new_page()
    page.goto(f"{base}/{urls.SEARCH}?q={quote(query)}")
    page.wait_for_selector("#search[data-state=done]")
    context.close()
    files = [root / one for one in asked if (root / one).is_file()]
    return sum(len(gzip.compress(one.read_bytes(), 6)) for one in files), len(files)


def typed(browser: Browser, address: str, slow: bool) -> list[float]:
    """Milliseconds from each keystroke to its results, over the queries typed letter by letter."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    if slow:
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.evaluate(TIMER)
    for query in queries():
        _type(page, query)
    times = page.evaluate("window.timed")
    context.close()
    return [float(one) for one in times]


def _type(page: Page, query: str) -> None:
    page.fill("#q", "")
    for end in range(3, len(query) + 1):
        page.fill("#q", query[:end])
        page.wait_for_selector("#search[data-state=done]")


@pytest.mark.parametrize("size", SIZES)
def test_search_in_the_browser(size: int, browser: Browser, rulings_root: Path, tmp_path: Path) -> None:
    root = site(size, rulings_root, tmp_path)
    made = Running(served(root))
    base = made.address
    loads = [cold(browser, base, root, query) for query in queries()]
    sizes = sorted(one for one, _ in loads)
    files = sorted(one for _, one in loads)
    total = sum(len(gzip.compress(one.read_bytes(), 6)) for one in (root / "static" / "search").iterdir())
    print(f"\n{size or 'own'} rulings, {len(loads)} queries; whole index {total / 1024:.0f} KB gzip")
    print(f"first answer, cold: median {statistics.median(sizes) / 1024:.0f} KB in {statistics.median(files):.0f} files,"
          f" most {sizes[-1] / 1024:.0f} KB in {files[-1]}")  # fmt: skip
    for name, address in (("worker", f"{base}/{urls.SEARCH}"), ("page", (root / urls.SEARCH).as_uri())):
        times = sorted(typed(browser, address, True))
        print(f"a keystroke, {SLOWER} times slower, search in the {name}: median {statistics.median(times):.1f} ms,"
              f" p95 {times[int(len(times) * 0.95)]:.1f} ms ({len(times)} keystrokes)")  # fmt: skip
    made.stop()
