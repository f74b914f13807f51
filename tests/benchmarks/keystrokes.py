"""From a keystroke to the painted list of the search page, on a phone with a 6 times slower CPU.

    python -m tests.benchmarks.keystrokes SITE

Types gold queries letter by letter into the search page of a built site, served over localhost: in
one visit of a browser that has nothing, a second after it is there, then all of them again. Prints
milliseconds from the input event to the results standing in the page, and to their being painted:
the first message after the next frame.

The slow-down that a browser offers reaches a page's own thread; set for a worker it changes
nothing. So each is done in two ways: as the page is served, with the worker at full speed, and with
the worker's script in the thread of another page, which is slowed too, in a process of its own.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kb.core import urls
from tests.benchmarks.measure import PROJECT, percentile, print_table, serve_folder
from tests.browsers import MISSING, find_browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SLOWER = 6
# What a quick typist leaves between two letters, in milliseconds.
GAP = 120
# How long a reader looks at the page before typing, in milliseconds.
LOOK = 1000
WORKERS = ("fast", "slow")
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
COLUMNS = (
    *("a keystroke", "keystrokes", "answered, median, ms", "95 %"),
    *("painted, median, ms", "95 %"),
)
# A worker in the thread of another page, and the script of that page.
ELSEWHERE = """window.Worker = class {
  constructor(address) {
    [this.input, this.output] = ["to-worker", "to-page"].map((name) => new BroadcastChannel(name));
    this.output.onmessage = (event) => this.onmessage?.(event);
    this.input.postMessage({ script: address });
  }
  postMessage(said) { this.input.postMessage({ said }); }
  terminate() { this.input.close(); this.output.close(); }
};"""
HOST = """() => {
  const [input, output] = ["to-worker", "to-page"].map((name) => new BroadcastChannel(name));
  const scope = {
    onmessage: null,
    postMessage: (data) => output.postMessage(data),
    get KBSearch() { return globalThis.KBSearch; },
  };
  // Workers have none.
  window.requestIdleCallback = undefined;
  const importScripts = (script) => {
    const request = new XMLHttpRequest();
    request.open("GET", script, false);
    request.send();
    (0, eval)(request.responseText);
  };
  let started = null;
  input.onmessage = async ({ data }) => {
    started ??= fetch(data.script).then((answer) => answer.text()).then((text) => {
      new Function("self", "importScripts", text)(scope, importScripts);
    });
    await started;
    if (data.said) scope.onmessage({ data: data.said });
  };
}"""
# Types queries letter by letter: [text, answered, painted] of each keystroke.
TYPE = """async ([queries, gap]) => {
  const form = document.getElementById("search"), box = document.getElementById("q"), rows = [];
  const answered = () => new Promise((done) => {
    if (form.dataset.state !== "busy") return done();
    const observer = new MutationObserver(() => {
      if (form.dataset.state !== "busy") { observer.disconnect(); done(); }
    });
    observer.observe(form, { attributes: true });
  });
  const painted = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  }));
  for (const query of queries)
    for (let end = 0; end <= query.length; end++) {
      const start = performance.now();
      const since = () => performance.now() - start;
      box.value = query.slice(0, end);
      box.dispatchEvent(new Event("input", { bubbles: true }));
      await answered();
      const first = since();
      await painted();
      const second = since();
      if (end) rows.push([box.value, first, second]);
      await new Promise((done) => setTimeout(done, Math.max(5, gap - since())));
    }
  return rows;
}"""


class Keystroke(NamedTuple):
    """One keystroke: what stood in the box, milliseconds to the answer and to its being painted."""

    text: str
    answered: float
    painted: float


def typed(site: Path, texts: Sequence[str], is_slow: bool, gap: int) -> Iterator[list[Keystroke]]:
    """The keystrokes of queries typed in one visit: for the first time, then again."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play, serve_folder(site) as address:
        browser = play.chromium.launch(executable_path=find_browser(), args=FLAGS)
        with _visit(browser, address, is_slow) as page:
            page.wait_for_timeout(LOOK)
            for _ in range(2):
                yield [Keystroke(*row) for row in page.evaluate(TYPE, [texts, gap])]
        browser.close()


@contextmanager
def _visit(browser: Browser, address: str, is_slow: bool) -> Iterator[Page]:
    """The search page, open and slowed; `is_slow`: with its worker slowed too."""
    # The policy of the page allows no text to be run as a script.
    context = browser.new_context(service_workers="block", bypass_csp=is_slow)
    page = context.new_page()
    if is_slow:
        host = context.new_page()
        host.goto(f"{address}/static/kb.css")
        host.evaluate(HOST)
        page.add_init_script(ELSEWHERE)
    page.goto(f"{address}/{urls.SEARCH}")
    page.wait_for_selector("#search[data-state]", timeout=120_000)
    for slowed in context.pages:
        throttling = {"rate": SLOWER}
        context.new_cdp_session(slowed).send("Emulation.setCPUThrottlingRate", throttling)
    yield page
    context.close()


def main() -> None:
    """Type the queries; print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.keystrokes")
    parser.add_argument("site", type=Path, help="the folder of a built site")
    parser.add_argument("--gap", type=int, default=GAP, help=f"between keystrokes, ms ({GAP})")
    options = parser.parse_args()
    if not find_browser():
        raise SystemExit(MISSING)
    texts, rows = queries(), list[Sequence[object]]()
    for worker in WORKERS:
        visit = typed(options.site, texts, worker == "slow", options.gap)
        for turn, keystrokes in zip(("first", "second"), visit, strict=True):
            figures = (
                percentile(values, part)
                for values in (
                    [keystroke.answered for keystroke in keystrokes],
                    [keystroke.painted for keystroke in keystrokes],
                )
                for part in (0.5, 0.95)
            )
            what = f"{worker} worker, {turn} time"
            rows.append((what, len(keystrokes), *(f"{figure:.0f}" for figure in figures)))
    print_table(COLUMNS, rows)


def queries() -> list[str]:
    """Return some of the gold queries: plain words."""
    with (PROJECT / "tests" / "gold" / "queries.tsv").open(encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        texts = [row["query"] for row in rows]
    return [text for text in texts if ":" not in text and '"' not in text][::13]


if __name__ == "__main__":
    main()
