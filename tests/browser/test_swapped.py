"""A page of the search that is open while builds are swapped in answers on, without a reload."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from kb.core import urls
from kb.pipeline.build import SiteOptions, build
from kb.pipeline.paths import Paths
from tests.browser.conftest import Serve

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


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page of a context of its own, whose scripts a test changes."""
    return context.new_page()


@pytest.mark.thorough
def test_open_pages_answer_from_the_new_build(
    good_root: Path, tmp_path: Path, serve: Serve, page: Page
) -> None:
    shutil.copytree(good_root, tmp_path / "rulings")
    paths, site = Paths(tmp_path / "rulings", tmp_path / "data"), tmp_path / "site"
    options = SiteOptions(interfaces=("en",))
    build(paths, site, site=options)
    # As every web server does it: what is not in the folder is gone.
    address, _ = serve(site, 0)
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{address}/{urls.SEARCH}")
    page.wait_for_selector("#search[data-state=idle]")
    page.evaluate("window.isSamePage = true")

    def ask(query: str) -> list[str | None]:
        page.fill("#q", query)
        page.wait_for_selector("#search:not([data-state=busy])")
        assert page.get_attribute("#search", "data-state") == "done", query
        items = page.query_selector_all("#results > li")
        return [item.get_attribute("data-ruling") for item in items]

    assert "demo/one-pilot" in ask("pilot")
    folder = paths.rulings / "demo" / "pilots"
    record = folder / "one-pilot.md"
    text = record.read_text(encoding="utf-8")
    for change in ("edited", "added"):
        before = {path.name for path in site.glob("static/search/*")}
        if change == "edited":
            record.write_text(text.replace("# en: ", "# en: Quagga "), encoding="utf-8")
        else:
            (folder / "zebra.md").write_text(NEW, encoding="utf-8")
        build(paths, site, site=options)
        assert before - {path.name for path in site.glob("static/search/*")}
        for query in QUERIES:
            ask(query)
        if change == "edited":
            # A shard that this needs is another one now: the answer is the new build's.
            assert ask("quagga") == ["demo/one-pilot"]
    assert page.evaluate("window.isSamePage") and not errors
    page.reload()
    assert ask("zebra") == ["demo/zebra"]
