"""Open pages follow the records while they are watched."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from kb.server.run import Settings, application
from tests.browser.conftest import Serve
from tests.conftest import paths_of


def test_an_open_page_shows_what_was_saved_and_what_is_wrong(
    serve: Serve, records: Path, sound: Page
) -> None:
    folder = records.parent
    settings = Settings(folder / "site", paths_of(folder), watch=True)
    address, _ = serve(application(settings, print))
    sound.goto(f"{address}/demo/rulings/errata-speeder/")
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
    banner.get_by_role("link").click()
    expect(sound.get_by_role("heading", name="Problems")).to_be_visible()
    record.write_text(good, encoding="utf-8")
    expect(sound.get_by_text("No problems")).to_be_visible(timeout=60_000)
