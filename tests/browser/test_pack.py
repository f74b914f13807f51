"""The event pack in a browser: search inside, and axe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import violations


def test_search_inside(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    sound.fill("#q", "zdolnosc reserves w strefie budowy")
    expect(sound.locator("#results > li").first).to_have_attribute(
        "data-ruling", re.compile("swtcg/")
    )
    assert "swtcg/reserves" in [
        one.get_attribute("data-ruling") for one in sound.query_selector_all("#results > li")[:3]
    ]
    sound.click("#results h2 a >> nth=0")
    assert re.search(r"#r\d+$", sound.url)
    # The label of a guess, a suggestion, and the cards of the query, as the site has them.
    sound.fill("#q", "sidious zdolnosc przy obiedzie jutro")
    expect(sound.locator("#said")).to_have_attribute("data-match", re.compile("near|most"))
    sound.fill("#q", "overkil")
    sound.press("#q", "Enter")
    sound.click("#said button")
    expect(sound.locator("#q")).to_have_value("overkill")
    sound.fill("#q", "sidious")
    expect(sound.locator("#cards li").first).to_contain_text("Darth Sidious")
    sound.click("#cards a >> nth=0")
    assert sound.evaluate("document.querySelector(location.hash).textContent").startswith("Darth")


@pytest.mark.thorough
def test_axe_finds_nothing(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    assert not violations(sound)
