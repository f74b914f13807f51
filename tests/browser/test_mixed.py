"""Two builds at one address: copied file by file, in two tabs, in a cache. Nothing is mixed."""

from __future__ import annotations

import hashlib
import random
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page

from kb.core import urls
from kb.pipeline.build import SiteOptions, build
from kb.pipeline.paths import Paths
from kb.search.browser import settings, writer
from kb.site import assets
from tests.browser.conftest import Serve
from tests.browser.test_offline import wait_for_visited
from tests.conftest import GOOD
from tests.selection import thorough

QUERIES = "pilot speeder catapult dwóch sidious zone errata strefa kości roll anakin text".split()
NEW = """---
kind: ruling
authority: official
status: current
topics:
  - pilots
---

# pl: Zebra w katapulcie

Zebra nie liczy się jako pilot.

# en: A zebra in the catapult

A zebra does not count as a pilot.
"""
Builds = tuple[Path, Path]
pytestmark = pytest.mark.browser_context_args(service_workers="allow")


@pytest.fixture()
def builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Builds:
    """Two sites whose every ruling says which it is; the second is of another program version."""
    shutil.copytree(GOOD, tmp_path / "rulings")
    sites = []
    for name in ("old", "new"):
        for path in (tmp_path / "rulings" / "demo").glob("*/*.md"):
            text = path.read_text(encoding="utf-8").replace("# en: Old ", "# en: ")
            text = text.replace("# en: ", f"# en: {name.title()} ", 1)
            path.write_text(text, encoding="utf-8")
        site, paths = tmp_path / name, Paths(tmp_path / "rulings", tmp_path / f"data-{name}")
        build(paths, site, site=SiteOptions(interfaces=("en",)))
        sites.append(site)
        (tmp_path / "rulings" / "demo" / "pilots" / "zebra.md").write_text(NEW, encoding="utf-8")
        version = settings.version()
        for module in (settings, writer, assets):
            monkeypatch.setattr(module, "version", lambda before=version: f"{before}-newer")
    return sites[0], sites[1]


def _replace(source: Path, target: Path) -> None:
    """As rsync does it: written beside, then renamed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target.with_name(".rsync"))
    target.with_name(".rsync").rename(target)


def _open(page: Page, address: str) -> None:
    page.goto(f"{address}/{urls.SEARCH}")
    page.wait_for_selector("#search[data-state=idle]")


def _ask(page: Page, query: str) -> tuple[str, set[str]]:
    """Ask a question in an open page; return the state, and of which builds the results are."""
    # The answer to the question before must not be taken for this one's.
    page.evaluate("document.getElementById('search').dataset.state = 'busy'")
    page.fill("#q", query)
    # A page that loads itself again has no state at first.
    state = page.wait_for_selector("#search:is([data-state=done], [data-state=failed])")
    words = " ".join(page.locator("#results h2").all_inner_texts()).split()
    assert state
    return state.get_attribute("data-state") or "", {"Old", "New"} & set(words)


@pytest.mark.parametrize(("seed", "every"), [(1, 40), *thorough((2, 6))])
def test_a_site_that_is_copied_file_by_file(
    seed: int, every: int, builds: Builds, serve: Serve, page: Page
) -> None:
    old, new = builds
    address, _ = serve(old, 0)
    loads: list[str] = []
    # A navigation would be counted also where a script changes the address of the page.
    page.on("domcontentloaded", lambda page: loads.append(page.url))
    _open(page, address)
    assert _ask(page, "pilot") == ("done", {"Old"})
    files = [path for path in sorted(new.rglob("*")) if path.is_file()]
    random.Random(seed).shuffle(files)
    seen = set()
    for number, path in enumerate(files):
        _replace(path, old / path.relative_to(new))
        if number % every == 0:
            state, words = _ask(page, QUERIES[number // every % len(QUERIES)])
            assert state in ("done", "failed") and len(words) < 2
            seen |= words
    for path in sorted(old.rglob("*")):
        if path.is_file() and not (new / path.relative_to(old)).exists():
            path.unlink()
    # A page loads itself again once at most.
    assert len(loads) <= 2
    _open(page, address)
    assert _ask(page, "zebra") == ("done", {"New"}) and seen <= {"Old", "New"}


@pytest.mark.thorough
def test_an_old_script_is_not_kept_at_a_new_address(
    builds: Builds, serve: Serve, page: Page
) -> None:
    """As while a site is copied: the new page is there, its scripts are not yet."""
    address, _ = serve(builds[0], 0)
    page.goto(f"{address}/{urls.ruling('demo', 'one-pilot')}")
    page.wait_for_function("() => navigator.serviceWorker.controller")
    script = builds[0] / "static" / "search-core.js"
    right = f"{address}/static/{script.name}?{hashlib.sha256(script.read_bytes()).hexdigest()[:10]}"
    wrong = f"{address}/static/search-worker.js?{'0' * 10}"
    for script_address in (wrong, right):
        page.evaluate("async (address) => (await fetch(address)).text()", script_address)
    wait_for_visited(page, right)
    assert page.evaluate("(address) => caches.match(address)", wrong) is None
