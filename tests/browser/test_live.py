"""Open pages follow the records while they are watched."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from kb.pipeline.builds import FolderBuilds
from kb.pipeline.paths import Paths
from kb.server.app import create_app
from kb.server.live_pages import LivePages
from kb.server.run import application
from kb.server.watch import BuildWatcher
from tests.browser.conftest import Serve, live_settings
from tests.serving import Running


@pytest.fixture
def watched(records: Path, serve: Serve) -> str:
    return serve(application(live_settings(records, watch=True), print))[0]


def test_an_open_page_shows_what_was_saved_and_what_is_wrong(
    watched: str, records: Path, sound: Page
) -> None:
    sound.goto(f"{watched}/demo/rulings/errata-speeder/")
    record = records / "demo" / "errata" / "errata-speeder.md"
    good = record.read_text(encoding="utf-8")
    record.write_text(good.replace("The card reads", "Its card reads"), encoding="utf-8")
    expect(sound.locator("#text-en .answer")).to_contain_text("Its card reads", timeout=60_000)
    record.write_text(good.replace("status: current", "status: sideways"), encoding="utf-8")
    banner = sound.locator(".live-banner")
    expect(banner).to_contain_text("Build stopped: 1 problem", timeout=60_000)
    line = good.splitlines().index("status: current") + 1
    expect(banner).to_contain_text(f"errata-speeder.md:{line}: status: 'sideways' is not one of")
    expect(sound.locator("#text-en .answer")).to_contain_text("Its card reads")
    # In line with the page below, not at the edge of the window.
    inset = "node => node.getBoundingClientRect().x"
    assert banner.get_by_role("link").first.evaluate(inset) >= 16
    banner.get_by_role("link").click()
    expect(sound.get_by_role("heading", name="Problems")).to_be_visible()
    record.write_text(good, encoding="utf-8")
    expect(sound.get_by_text("No problems")).to_be_visible(timeout=60_000)


def test_a_page_on_request_takes_over_its_build(records: Path, sound: Page) -> None:
    site = records.parent / "site"
    watcher = BuildWatcher(Paths(records, records.parent / "data"), site, print)
    watcher.live.reload()
    pages = LivePages(watcher.live, lambda: watcher.state)
    app = create_app(watcher.live, FolderBuilds(watcher.paths), live=pages)
    server, loads = Running(app), list[str]()
    # Counted when asked for: the load event may come after the text that is waited for.
    sound.on("request", lambda sent: loads.extend([sent.url] * sent.is_navigation_request()))
    script = (site / "built.js").read_text(encoding="utf-8")
    built = re.search(r'"en": ?"([^"]+ \d{4})"', script)
    assert built
    record = records / "demo" / "errata" / "errata-speeder.md"
    good = record.read_text(encoding="utf-8")

    def show(word: str) -> None:
        record.write_text(good.replace("The card reads", f"{word} card reads"), encoding="utf-8")
        watcher._show_change()
        expect(sound.locator("#text-en .answer")).to_contain_text(f"{word} card reads")
        expect(sound.locator("#built")).not_to_contain_text(word)

    def publish(date: str) -> None:
        (site / "built.js").write_text(script.replace(built[1], date), encoding="utf-8")
        watcher.state = replace(watcher.state, builds=watcher.state.builds + 1)
        expect(sound.locator("#built")).to_contain_text(date)

    sound.goto(f"{server.address}/demo/rulings/errata-speeder/index.html")
    show("Its")
    publish("Its0")
    # Nothing but the date of the build is loaded again.
    assert len(loads) == 2
    server.stop()
