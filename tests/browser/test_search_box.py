"""The search box of every page: it answers while one types, by mouse and keyboard, in groups."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from kb.core import urls

POPUP = ".popup:not([hidden])"


def option(page: Page, group: str) -> Locator:
    """The first option of a group."""
    return page.locator(f"{POPUP} [data-group={group}] [role=option]").first


def test_groups_and_the_keyboard(address: str, sound: Page) -> None:
    sound.goto(f"{address}/{urls.HOME}")
    box = sound.locator("#q")
    assert not sound.evaluate("'KBFind' in window"), "loaded before it is used"
    sound.keyboard.press("Control+k")
    expect(box).to_be_focused()
    expect(box).to_have_attribute("role", "combobox")
    expect(box).to_have_attribute("aria-expanded", "false")
    sound.keyboard.type("darth sidious")
    expect(option(sound, "cards")).to_contain_text("Darth Sidious · 2 rulings")
    expect(option(sound, "rulings")).to_contain_text("Sidious (C)")
    expect(box).to_have_attribute("aria-expanded", "true")
    sound.keyboard.press("ArrowUp")
    expect(sound.locator("[aria-selected=true]")).to_have_text("Show all results")
    for _ in range(2):
        sound.keyboard.press("ArrowDown")
    selected = option(sound, "cards")
    expect(selected).to_have_attribute("aria-selected", "true")
    assert box.get_attribute("aria-activedescendant") == selected.get_attribute("id")
    sound.keyboard.press("Escape")
    expect(sound.locator(POPUP)).to_have_count(0)
    sound.keyboard.press("ArrowDown")
    expect(option(sound, "cards")).to_be_visible()
    sound.keyboard.press("ArrowDown")
    sound.keyboard.press("Enter")
    sound.wait_for_url("**/swtcg/cards/darth-sidious/**")
    # The header's box of a game's page asks of that game, until its chip is dropped.
    sound.keyboard.press("/")
    expect(sound.locator("#q")).to_be_focused()
    sound.keyboard.type("113.5")
    expect(sound.locator(POPUP)).to_have_attribute("data-empty", "Nothing found.")
    sound.click(".chip button")
    expect(option(sound, "numbers")).to_contain_text("113.5")
    sound.fill("#q", "trigger condition")
    expect(option(sound, "terms")).to_be_visible()
    sound.keyboard.press("Enter")
    sound.wait_for_url(f"**/{urls.SEARCH}?q=trigger+condition")
    sound.goto(f"{address}/{urls.ERRATA}")
    sound.focus("#q")
    expect(option(sound, "recent")).to_have_text("trigger condition")


def test_from_files_and_in_other_languages(built: Path, sound: Page) -> None:
    place = f"pl/{urls.topic('swtcg', 'build-zone')}"
    sound.goto((built / "site" / place).as_uri())
    sound.focus("#q")
    sound.keyboard.type("overkil")
    expect(option(sound, "rulings")).to_contain_text("Jak działa Overkill")
    option(sound, "rulings").click()
    sound.wait_for_selector("article.ruling")
    assert sound.url.endswith(f"/pl/{urls.ruling('swtcg', 'overkill-text')}")


def test_without_scripts_the_box_leads_to_the_search_page(address: str, browser: Browser) -> None:
    context = browser.new_context(service_workers="block", java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/{urls.game('swtcg')}")
    page.fill("#q", "pilot")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{urls.SEARCH}?game=swtcg&q=pilot")
    context.close()


def test_without_the_index_the_box_leads_to_the_search_page(
    built: Path, tmp_path: Path, page: Page
) -> None:
    for name in (urls.HOME, urls.SEARCH, urls.BUILD_SCRIPT):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(built / "site" / name, tmp_path / name)
    page.goto((tmp_path / urls.HOME).as_uri())
    page.fill("#q", "pilot")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{urls.SEARCH}?q=pilot")
