"""What a reader sees while typing, before the last word is finished: on the site and in the pack."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from kb.core import urls
from tests.browser.conftest import PHONE, Open
from tests.selection import thorough

GAME = urls.game("swtcg")
FILTERED = f"{urls.SEARCH}?game=swtcg"
HEADING = {GAME: ".popup .label", urls.HOME: ".popup .label"}
ON_CARDS = "Rulings on cards with this name"
# Keeps every heading that is seen with the text that is typed then.
WATCH = """(selector) => {
  window.seen = [];
  new MutationObserver(() => {
    const shown = [...document.querySelectorAll(selector)].filter((node) => node.checkVisibility());
    const line = `${document.querySelector("#q").value}: ${shown.map((node) => node.innerText)}`;
    if (window.seen.at(-1) !== line) window.seen.push(line);
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


@pytest.fixture
def reader(request: pytest.FixtureRequest, address: str, open_page: Open) -> tuple[Page, str]:
    """A page on a phone with the box in use, and what heads its results."""
    page = open_page(f"{address}/{request.param}", viewport=PHONE, locale="en-GB")
    page.click("#q")
    return page, HEADING.get(request.param, "#said")


def seen_until(page: Page, heading: str, query: str, last: str) -> list[str]:
    """The headings that are seen while a query is typed, until the last one stands."""
    page.evaluate(WATCH, heading)
    page.locator("#q").press_sequentially(query)
    expect(page.locator(heading).filter(has_text=last).first).to_be_visible()
    seen: list[str] = page.evaluate("window.seen")
    return seen


@pytest.mark.parametrize("reader", [GAME, *thorough(urls.HOME, FILTERED)], indirect=True)
def test_a_begun_word_of_two_letters_changes_nothing(reader: tuple[Page, str]) -> None:
    page, heading = reader
    seen_until(page, heading, "sidious", ON_CARDS)
    rulings = page.locator("#results > li, .popup [data-ruling]")
    before = rulings.all_text_contents()
    seen = seen_until(page, heading, " re", ON_CARDS)
    page.wait_for_selector("form[data-state=done]")
    assert before and rulings.all_text_contents() == before
    assert not [line for line in seen if ON_CARDS not in line]
    # Three letters begin a word that the rulings have.
    page.locator("#q").press_sequentially("r")
    expect(page.locator(heading).first).to_contain_text("Answer")
    expect(rulings).to_have_count(1)


@pytest.mark.parametrize("reader", [urls.HOME, FILTERED], indirect=True)
def test_no_heading_denies_before_a_pause_or_a_space(reader: tuple[Page, str]) -> None:
    page, heading = reader
    seen = seen_until(page, heading, "over", "Results")
    assert not [line for line in seen if "Closest" in line]
    # A space finishes a word: what it denies is said at once, and stays while another one begins.
    page.fill("#q", "")
    assert "Closest" in seen_until(page, heading, "pilot unit e", "Closest rulings")[-1]


def test_in_a_pack_a_begun_word_changes_nothing(real_pack: Path, open_page: Open) -> None:
    page = open_page(real_pack.as_uri(), viewport=PHONE)
    page.locator("#q").press_sequentially("si")
    expect(page.locator("#found")).to_be_hidden()
    seen = seen_until(page, "#said", "dious re", "Orzeczenia dotyczące kart o tej nazwie")
    assert not [line for line in seen if "najbliższe" in line.lower()]
    expect(page.locator("#results > [data-ruling]")).to_have_count(2)
