"""The event pack in a browser: search inside, two languages side by side, paper, and axe."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from kb.commands.pack import write_pack
from kb.pipeline.paths import Paths
from tests.browser.conftest import PHONE, Open, violations
from tests.conftest import RULINGS


def test_search_inside(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    sound.fill("#q", "zdolnosc reserves w strefie budowy")
    expect(
        sound.locator("#results > li:nth-child(-n+3)[data-ruling='swtcg/reserves']")
    ).to_have_count(1)
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


def test_a_result_is_the_answer_with_how_it_stands(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    sound.fill("#q", "how do you win")
    first = sound.locator("#results > [data-ruling='swtcg/how-to-win']")
    expect(first.locator("h2 + p")).to_contain_text(re.compile("general condition|wygran"))
    expect(first.locator(".badge")).to_be_visible()
    sound.fill("#q", "can a reserves ability be played from an arena")
    second = sound.locator("#results > [data-ruling='swtcg/reserves'] .badge.authority")
    expect(second).to_be_visible()


def test_what_the_pack_does_not_have_leads_on(real_pack: Path, open_page: Open) -> None:
    page = open_page(real_pack.as_uri(), viewport=PHONE)
    page.fill("#q", "zzqq")
    absent = "Nie ma w tych orzeczeniach: „{}”."
    said = page.locator("#said")
    expect(said).to_have_text(absent.format("zzqq") + "Wpisz mniej słów albo użyj innych.")
    # A word of another game, with what is near below it; a slip and a sure answer lack nothing.
    page.fill("#q", "drazi pilot")
    expect(said).to_have_text(re.compile(absent.format("drazi") + "Najbliższe orzeczenia"))
    expect(page.locator("#results > [data-ruling]").first).to_be_visible()
    for query in ("overkil ", "sidious "):
        page.fill("#q", query)
        expect(said).not_to_contain_text("Nie ma")
    page.locator("header").get_by_role("link", name="Słowniczek").click()
    expect(page.locator("#terms-swtcg h2")).to_be_in_viewport()


def test_enter_leads_to_the_first_result_and_a_link_back(real_pack: Path, open_page: Open) -> None:
    page = open_page(real_pack.as_uri(), viewport=PHONE, locale="en-GB")
    # Topics are folded; the box is as wide as the page.
    expect(page.locator(".contents .row:visible")).to_have_count(0)
    page.click(".contents summary >> nth=0")
    expect(page.locator(".contents .row").first).to_be_visible()
    also = page.locator(".contents li.also:visible").first.locator("a")
    assert also.count() > 1
    assert (
        len({one.evaluate("node => node.getBoundingClientRect().top") for one in also.all()}) == 1
    )
    box = page.locator("#q").bounding_box()
    assert box and box["width"] > 0.9 * PHONE["width"]
    page.fill("#q", "overkill")
    first = page.locator("#results a").first
    expect(first).to_be_in_viewport()
    page.press("#q", "Enter")
    page.wait_for_url("**#r*")
    expect(page.locator("article:target h3").first).to_be_in_viewport()
    expect(first).not_to_be_in_viewport()
    page.click("#back a")
    expect(first).to_be_in_viewport()


def test_the_first_tap_on_a_result_opens_it(real_pack: Path, open_page: Open) -> None:
    page = open_page(real_pack.as_uri(), viewport=PHONE, has_touch=True, locale="en-GB")
    page.tap("#q")
    page.fill("#q", "pilot equipment")
    page.tap("#results h2 a >> nth=0")
    expect(page.locator("article:target")).to_be_in_viewport()


def test_languages_stand_side_by_side_where_there_is_room(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    for width, media in ((390, "screen"), (702, "print"), (1366, "screen")):
        sound.set_viewport_size({"width": width, "height": 900})
        sound.emulate_media(media=media)  # type: ignore[arg-type]
        places = sound.locator(".pair .answer").evaluate_all(
            "nodes => nodes.map((node) => node.getBoundingClientRect()).map(({ x, y }) => [x, y])"
        )
        assert (places[0][0] < places[1][0]) == (width != 390)
    # On one line, however long the titles are.
    tops = [top for _, top in places]
    assert tops[::2] == tops[1::2]


def test_numbers_of_one_digit_and_of_two_are_equally_apart(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    gaps = sound.locator(".topic .also a").evaluate_all(
        """links => links.map((link) => {
          const range = document.createRange();
          range.selectNodeContents(link);
          return [range.getBoundingClientRect(), link.previousSibling.data.trim() === ","];
        }).map(([box, isNext], at, all) => isNext && box.top === all[at - 1][0].top
          ? Math.round(box.left - all[at - 1][0].right) : 0).filter((gap) => gap)"""
    )
    assert len(gaps) > 50 and max(gaps) - min(gaps) <= 1


def test_the_index_of_cards_stands_below_its_heading_on_paper(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    sound.emulate_media(media="print")
    sound.set_viewport_size({"width": 702, "height": 900})
    index = sound.locator(".cardindex")
    boxes = [part.bounding_box() for part in (index.locator("h2"), index.locator("li").first)]
    assert len({box["x"] for box in boxes if box}) == 1


def test_paper_says_of_what_document_a_ruling_is(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    sound.emulate_media(media="print")
    ruling = sound.locator('[data-key="swtcg/pilots-not-a-unit"]')
    (document,) = ruling.get_by_text("swtcg-clarifications", exact=True).all()
    expect(ruling.get_by_text("#pilots")).to_be_hidden()
    expect(document).to_be_visible()
    listed = sound.locator(document.get_attribute("href") or "")
    expect(listed).to_be_visible()
    expect(listed).to_contain_text("Errata do instrukcji z dodatku Revenge of the Sith")


def test_words_that_mean_the_same_are_dotted(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    sound.fill("#q", "equipment")
    results = sound.locator("#results")
    expect(results.locator("mark.synonym", has_text="attached").first).to_be_visible()
    expect(results.locator("mark:not(.synonym)", has_text="equipment").first).to_be_visible()
    expect(results.locator("mark:not(.synonym)", has_text="attached")).to_have_count(0)


@pytest.mark.thorough
def test_three_games_take_a_page_for_six_rulings_on_paper(
    real_base: Path, tmp_path: Path, browser: Browser
) -> None:
    places = Paths(RULINGS, real_base / "data")
    count, _ = write_pack(places, tmp_path / "pack.html", [], ["en"], "en")
    page = browser.new_page()
    page.goto((tmp_path / "pack.html").as_uri())
    paper = page.pdf(prefer_css_page_size=True)
    page.close()
    # Contents, glossary and cards included: 24 pages for 142 rulings.
    assert 0 < len(re.findall(rb"/Type\s*/Page\b", paper)) <= count / 5.5


@pytest.mark.thorough
def test_axe_finds_nothing(real_pack: Path, sound: Page) -> None:
    sound.goto(real_pack.as_uri())
    assert not violations(sound)
