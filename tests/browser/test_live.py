"""Open pages follow the records while they are watched."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from kb.server.run import Settings, application
from tests.serving import Running


@pytest.fixture
def records(small_base: Path, tmp_path: Path) -> Path:
    """The records of a built base that a test may change."""
    shutil.copytree(small_base, tmp_path, dirs_exist_ok=True)
    return tmp_path / "rulings"


@pytest.fixture
def watched(records: Path) -> Iterator[str]:
    folder = records.parent
    made = Running(
        application(
            Settings(str(folder / "site"), str(records), str(folder / "data"), watch=True), print
        )
    )
    yield made.address
    made.stop()


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
    expect(banner).to_contain_text("1 problem in the records", timeout=60_000)
    expect(banner).to_contain_text("errata-speeder.md:4: status: 'sideways' is not one of")
    expect(sound.locator("#text-en .answer")).to_contain_text("Its card reads")
    banner.get_by_role("link").click()
    expect(sound.get_by_role("heading", name="Problems")).to_be_visible()
    record.write_text(good, encoding="utf-8")
    expect(sound.get_by_text("No problems")).to_be_visible(timeout=60_000)
