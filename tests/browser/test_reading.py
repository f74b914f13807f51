"""Reading on a phone and a desktop: language, theme, panels, folds, pins, the large view."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from kb.core import urls
from tests.browser.conftest import PHONE, Open
from tests.selection import thorough

RULING = urls.ruling("swtcg", "build-zone-pilot")
PLACES = (urls.HOME, RULING, urls.OFFLINE)
BERSERK = (urls.game("berserk"), urls.glossary("berserk"), urls.ruling("berserk", "113-2"))
# By how many pixels a page is wider than the screen.
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.thorough
def test_a_phone_has_one_row_of_header_and_scrolls_only_down(address: str, open_page: Open) -> None:
    places = [
        urls.localized(place, lang) for lang in ("en", "pl", "sk", "ru", "cs") for place in PLACES
    ]
    places += [urls.game("swtcg"), urls.glossary("berserk"), urls.card("swtcg", "darth-sidious")]
    places += [urls.CHANGES, *(urls.localized(place, "ru") for place in BERSERK)]
    places += [f"{urls.SEARCH}?q=pilot", urls.source("swtcg", "swtcg-clarifications")]
    page = open_page(f"{address}/index.html", viewport=PHONE)
    for width in (PHONE["width"], 320):
        page.set_viewport_size({"width": width, "height": 640})
        for place in places:
            page.goto(f"{address}/{place}")
            if "?q=" in place:
                page.wait_for_selector("#search[data-state=done]")
            assert page.evaluate(OVERFLOW) <= 0, (place, width)
            height = page.evaluate("document.querySelector('header.site').offsetHeight")
            assert height < 72 or width == 320, place
            if width != 320:
                page.evaluate("document.documentElement.style.fontSize = '200%'")
                assert page.evaluate(OVERFLOW) <= 0, (place, "letters of twice the size")


# The answer of the last goes on below the first screen.
@pytest.mark.parametrize("ruling", [*thorough("swtcg/build-zone-pilot"), "berserk/deck-size"])
def test_what_one_shows_to_a_player_is_on_the_first_screen(
    ruling: str, address: str, open_page: Open
) -> None:
    place = f"{address}/{urls.ruling(*ruling.split('/'))}"
    page = open_page(place, viewport=PHONE, locale="en-GB")
    button = page.get_by_role("button", name="Show to a player")
    expect(button).to_be_in_viewport(ratio=1)
    # No bar lies over it, and it comes before what explains the answer.
    button.click()
    page.keyboard.press("Escape")
    page.mouse.wheel(0, 900)
    parts = ("#text-en .answer", "#present", "#text-en .more")
    places = [page.locator(part).bounding_box() for part in parts if page.locator(part).count()]
    tops = [place["y"] for place in places if place]
    assert len(tops) > 1 and tops == sorted(tops)


@pytest.mark.thorough
def test_the_second_language_is_folded_on_a_phone_alone(address: str, open_page: Open) -> None:
    phone = open_page(f"{address}/{RULING}", viewport=PHONE, locale="en-GB")
    assert phone.is_hidden("#text-pl .answer")
    phone.click("#text-en .tongue [href='#text-pl']")
    expect(phone.locator("#text-pl .answer")).to_be_visible()
    assert phone.locator(".crumbs li").last.inner_text().endswith("Build zone")
    # To the next ruling of the topic and back.
    phone.click(".around [rel=next]")
    phone.click(".around [rel=prev]")
    phone.wait_for_url(f"**/{RULING}")
    desktop = open_page(f"{address}/{RULING}", locale="en-GB")
    assert desktop.is_visible("#text-pl .answer")
    tops = desktop.locator(".answer").evaluate_all("nodes => nodes.map((node) => node.offsetTop)")
    assert tops[0] == tops[1]
    # A Czech gets Slovak first.
    czech = f"{address}/{urls.localized(urls.ruling('babylon5', 'heal'), 'cs')}"
    assert open_page(czech, locale="cs-CZ").inner_text("h1").startswith("Odstráni")


@pytest.mark.thorough
def test_the_language_keeps_its_place_and_is_remembered(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{RULING}?from=here#en-1", locale="pl-PL")
    offer = page.locator(".toast")
    assert offer.get_attribute("lang") == "pl"
    offer.get_by_role("link").click()
    page.wait_for_url(f"{address}/pl/{RULING}?from=here#en-1")
    assert page.locator(".toast").count() == 0
    # The choice leads home, and the installed application begins there.
    page.goto("about:blank")
    page.goto(f"{address}/")
    page.wait_for_url(f"{address}/pl/**")
    manifest = page.evaluate(
        "fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())"
    )
    assert [manifest[key] for key in ("lang", "start_url", "scope")] == ["pl", "index.html", "../"]
    page.goto(f"{address}/pl/{urls.SEARCH}?q=pilot&kind=ruling")
    page.wait_for_selector("#search[data-state=done]")
    query = page.evaluate("location.search")
    page.click("#settings summary")
    page.click(".tongues [hreflang=sk]")
    page.wait_for_url(f"{address}/sk/{urls.SEARCH}{query}")
    # Another reader declines, and is not asked again.
    other = open_page(f"{address}/{RULING}", locale="pl-PL")
    other.locator(".toast button").click()
    other.reload()
    assert other.locator(".toast").count() == 0


def test_another_language_is_offered_below_the_text_on_a_low_screen(
    address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{RULING}", locale="pl-PL", viewport={"width": 844, "height": 390})
    offer = page.locator(".toast")
    offer.wait_for(state="attached")
    expect(offer).not_to_be_in_viewport()
    offer.scroll_into_view_if_needed()
    offer.get_by_role("link").click()
    page.wait_for_url(f"{address}/pl/{RULING}")


def test_the_theme_is_remembered_and_print_is_light(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{RULING}", locale="en-GB")
    shown = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(shown)
    page.click("#settings summary")
    page.check("[name=theme][value=dark]")
    page.keyboard.press("Escape")
    assert page.get_attribute("#settings", "open") is None
    dark = page.evaluate(shown)
    page.reload()
    assert page.evaluate(shown) == dark != light
    page.emulate_media(media="print")
    assert page.evaluate(shown) == "rgb(255, 255, 255)"
    ink = page.evaluate("getComputedStyle(document.querySelector('.answer')).color")
    assert ink == "rgb(0, 0, 0)"
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert page.inner_text(".address") == page.url and page.is_hidden("header.site")
    assert page.is_visible("#text-pl .answer")


def test_panels_of_cards_and_terms(address: str, open_page: Open) -> None:
    place = f"{address}/{urls.card('swtcg', 'darth-sidious')}"
    page = open_page(place, locale="en-GB")
    panel = page.locator(".panel")
    page.locator("a.card").first.hover()
    expect(panel).to_contain_text("Clone Captain")
    assert 0 < panel.locator("li a").count() <= 2
    expect(panel.get_by_role("link", name="The card’s page")).to_be_visible()
    page.mouse.move(1, 1)
    expect(panel).to_be_hidden()
    # By the keyboard: the panel opens with the focus, its links come next, Escape closes it.
    page.locator(".answers a.row").first.focus()
    page.keyboard.press("Tab")
    expect(panel).to_be_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("Boolean(document.activeElement.closest('.panel'))")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    assert page.evaluate("document.activeElement.matches('a.card')")
    # That of a term, which leads where the term does, adds no stop.
    page.goto(f"{address}/{RULING}")
    page.locator("#text-en .answer a.term").first.focus()
    expect(panel).to_be_visible()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.answer > p > a')")
    polish = open_page(f"{address}/pl/{urls.card('swtcg', 'darth-sidious')}", locale="pl-PL")
    polish.locator("a.card").first.hover()
    expect(polish.get_by_role("link", name="Strona karty")).to_be_visible()
    touch = open_page(place, viewport=PHONE, has_touch=True, locale="en-GB")
    term = touch.locator("a.term").first
    term.tap()
    expect(touch.locator(".panel")).to_contain_text(term.get_attribute("data-meaning") or "?")
    touch.locator("a.card").first.tap()
    expect(touch.locator(".panel .name")).to_have_text("Clone Captain")
    # A sheet at the bottom, which leaves the text to be read and has a way to close it.
    box, text = (
        touch.locator(one).first.bounding_box()
        for one in (".panel", "p:has(a.card[aria-expanded])")
    )
    assert box and (box["x"], box["width"]) == (0, PHONE["width"])
    assert 0 < box["height"] <= 0.4 * PHONE["height"] and text
    assert box["y"] + box["height"] == pytest.approx(PHONE["height"], abs=4)
    assert text["y"] + text["height"] <= box["y"]
    touch.get_by_role("button", name="Close").tap()
    expect(touch.locator(".panel")).to_be_hidden()
    touch.locator("a.card").first.tap()
    expect(touch.locator(".panel")).to_be_visible()
    touch.locator("a.card").first.tap()
    touch.wait_for_url("**/cards/clone-captain/**")
    # Without JavaScript they are links.
    plain = open_page(place, java_script_enabled=False)
    plain.locator("a.card").first.click()
    plain.wait_for_url("**/cards/clone-captain/**")


def test_originals_are_shown_where_the_reader_asks_for_them(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{RULING}", locale="en-GB", viewport=PHONE)
    related, original = page.locator(".facts .original").first, page.locator("#text-pl .answer")
    assert page.inner_text("#text-pl summary") == "Original (Polish)"
    assert related.is_hidden() and original.is_hidden()
    page.click("#settings summary")
    page.check("#originals")
    expect(original).to_be_visible()
    page.reload()
    assert related.is_visible() and original.is_visible()
    # The words of an address without a page are searched for.
    page.goto(f"{address}/swtcg/rulings/pilot-lost/")
    expect(page.locator("#q")).to_have_value("pilot lost")
    # Those of all its folders, in its game, whose sections are there.
    page.goto(f"{address}/pl/swtcg/rulings/stak-max/deep/")
    expect(page.locator("#q")).to_have_value("stak max deep")
    expect(page.locator("#near [data-ruling='swtcg/stack-max']")).to_be_visible()
    expect(page.locator(".sections:visible")).to_have_attribute("data-game", "swtcg")
    page.goto(f"{address}/swtcg/cards/sidious/")
    expect(page.locator("#near").get_by_role("link", name="Darth Sidious")).to_be_visible()
    page.goto(f"{address}/pl/swtcg/rulings/stak-max/deep/")
    expect(page.locator("#lost")).to_have_attribute("href", re.compile("&game=swtcg$"))


@pytest.mark.parametrize("has_script", [True, False], ids=("host of files", "without scripts"))
def test_an_address_without_a_page_is_answered_in_its_language(
    has_script: bool, address: str, real_base: Path, open_page: Open
) -> None:
    page = open_page("about:blank", locale="pl-PL", java_script_enabled=has_script)
    place = f"{address}/pl/swtcg/rulings/pilot-nope/"
    if has_script:
        # A host of files has one page for all addresses.
        page.route(
            place, lambda route: route.fulfill(status=404, path=real_base / "site" / "404.html")
        )
    page.goto(place)
    expect(page.get_by_role("heading", name="Nie ma takiej strony")).to_be_visible()
    expect(page).to_have_url(place)
    page.get_by_role("main").get_by_role("link", name="Strona główna").click()
    expect(page).to_have_url(f"{address}/pl/index.html")


def test_pins_recent_pages_and_the_large_view(address: str, open_page: Open) -> None:
    page = open_page(
        f"{address}/{RULING}",
        locale="en-GB",
        viewport=PHONE,
        permissions=["clipboard-read", "clipboard-write"],
    )
    title = page.inner_text("h1")
    page.click("#pin")
    assert page.get_attribute("#pin", "aria-pressed") == "true"
    expect(page.locator("#pin")).to_have_text("Pinned")
    page.click("#present")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Depends: only Reserves and Upkeep")
    expect(dialog.locator(".foot")).to_contain_text(
        "The Pilot ability in the build zone · Errata to the Revenge of the Sith rulebook"
    )
    # As large as the screen allows; two languages where both are large; a tap shows the next.
    answers = dialog.locator(".large")
    size = "(node) => parseFloat(getComputedStyle(node).fontSize)"
    expect(answers).to_have_count(1)
    assert answers.evaluate(size) >= 30
    assert dialog.evaluate("node => node.scrollHeight <= node.clientHeight")
    answers.click()
    expect(answers.first).to_contain_text("Zależy: tylko Reserves i Upkeep")
    page.set_viewport_size({"width": 1280, "height": 900})
    answers.click()
    expect(answers).to_have_count(2)
    expect(answers.last).to_be_in_viewport(ratio=1)
    assert answers.first.evaluate(size) >= 36
    page.set_viewport_size({"width": 844, "height": 390})
    expect(dialog.get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    page.wait_for_function("!history.state")
    page.goto(f"{address}/{urls.HOME}")
    # One list: what is pinned, then what was viewed, each once.
    pins = page.locator(".mine")
    expect(pins).to_have_count(1)
    assert pins.locator("a").all_inner_texts() == [title]
    # A title that has no room is cut, the verdict is not.
    expect(pins.locator("li .verdict")).to_have_text("Depends")
    expect(pins.locator("li .verdict")).to_be_in_viewport(ratio=1)
    pins.get_by_role("button", name="Copy as a list").click()
    expect(pins.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == f"- {title}\n  {address}/{RULING}"
    pins.get_by_role("button", name="Clear").click()
    expect(pins.locator("a")).to_be_hidden()
    assert json.loads(page.evaluate("localStorage['kb.pins']")) == []
    pins.get_by_role("button", name="Undo").click()
    expect(pins.locator("a")).to_be_visible()
    assert len(json.loads(page.evaluate("localStorage['kb.pins']"))) == 1


@pytest.mark.parametrize(
    ("place", "width"),
    [
        (urls.ruling("swtcg", "equipment-piloting"), 1366),
        *thorough(
            (urls.ruling("swtcg", "equipment-piloting"), 1000),
            (urls.topic("swtcg", "build-zone"), 1366),
            (urls.card("swtcg", "darth-sidious"), 1366),
        ),
    ],
)
def test_a_panel_covers_neither_its_sentence_nor_what_stands_before(
    place: str, width: int, address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{place}", locale="en-GB", viewport={"width": width, "height": 900})
    for link in page.locator("main :is(a.term, a.card):visible").all()[:6]:
        link.scroll_into_view_if_needed()
        link.focus()
        page.keyboard.press("Shift+Tab")
        page.keyboard.press("Tab")
        panel = page.locator(".panel")
        expect(panel).to_be_in_viewport(ratio=1)
        paragraph = link.locator("xpath=ancestor::*[self::p or self::li][1]")
        text, over = paragraph.bounding_box(), panel.bounding_box()
        assert text and over
        is_beside = over["x"] >= text["x"] + text["width"]
        is_below = over["y"] + 1 >= text["y"] + text["height"]
        has_no_room = text["y"] + text["height"] + over["height"] + 8 > 900
        is_above = over["y"] + over["height"] <= text["y"] + 1 and has_no_room
        assert is_beside or is_above or is_below
        page.keyboard.press("Escape")


def test_a_long_answer_has_the_screen_for_itself(address: str, open_page: Open) -> None:
    place = f"{address}/{urls.ruling('swtcg', 'hidden-cost')}"
    page = open_page(place, locale="en-GB", viewport=PHONE)
    page.click("#present")
    dialog = page.get_by_role("dialog")
    for said in ("Abilities that disrupt", "Zdolności, które przerywają"):
        expect(dialog.locator(".large")).to_have_count(1)
        expect(dialog.locator(".large")).to_contain_text(said)
        assert dialog.evaluate("node => node.scrollHeight <= node.clientHeight")
        expect(dialog.locator(".foot")).to_be_in_viewport(ratio=1)
        dialog.locator(".large").click()
    # Who needs larger letters scrolls.
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    dialog.locator(".large").click()
    sizes = dialog.locator("h2, .large").evaluate_all(
        "nodes => nodes.map((node) => parseFloat(getComputedStyle(node).fontSize))"
    )
    assert sizes[1] > sizes[0]


def test_back_closes_the_large_view_and_close_leaves_nothing_to_go_back_to(
    address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.HOME}", locale="en-GB", viewport=PHONE)
    page.goto(f"{address}/{RULING}")
    shown, dialog = page.get_by_role("button", name="Show to a player"), page.get_by_role("dialog")
    shown.click()
    expect(dialog).to_be_visible()
    page.go_back()
    expect(dialog).to_be_hidden()
    expect(shown).to_be_visible()
    page.go_forward()
    expect(dialog).to_be_visible()
    page.reload()
    expect(dialog).to_be_hidden()
    shown.click()
    dialog.get_by_role("button", name="Close").click()
    page.wait_for_function("!history.state")
    expect(dialog).to_be_hidden()
    page.go_back()
    expect(page).to_have_url(f"{address}/{urls.HOME}")


def test_long_lists_have_letters_and_a_filter(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/sk/{urls.glossary('babylon5')}", locale="sk-SK")
    terms = page.locator(".glossary > div")
    assert terms.count() > 5 and page.locator(".letters a").count() > 3
    # A phone has the letters alone until one is opened, or the filter finds a term below it.
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    shown = page.locator(".glossary > div:visible")
    expect(shown).to_have_count(0)
    page.fill("#list-filter", "KRUH")
    assert "kruh" in shown.first.inner_text().lower()
    page.set_viewport_size(size)
    assert 0 < shown.count() < terms.count() and "kruh" in shown.first.inner_text().lower()
    # The letters are those that are left.
    left = page.locator("summary .letter:visible").all_inner_texts()
    assert page.locator(".letters a:visible").all_inner_texts() == sorted(left)
    page.fill("#list-filter", "zzz")
    expect(page.locator("main")).to_contain_text("zzz")
    assert not page.locator(".glossary > div:visible").count()


def test_the_filters_of_rulings_and_cards_hide_what_they_leave_out(
    address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.index('swtcg', 'rulings')}", locale="en-GB")
    rows, said = page.locator(":is(.rulings, .topics) > li:visible"), page.locator("#no-row")
    before = rows.count()
    # An open question is told from a ruling, and an answer in a word is there.
    shown = " ".join(rows.all_inner_texts())
    assert all(mark in shown for mark in ("Unanswered", "Yes", "No", "Depends: "))
    page.fill("#list-filter", "Pilot")
    expect(said).to_be_hidden()
    assert 0 < rows.count() < before
    assert all("pilot" in text.lower() for text in rows.all_inner_texts())
    expect(page.locator("[data-part] h2:visible").first).to_contain_text("Pilots")
    page.fill("#list-filter", "zzz")
    expect(said).to_have_text("Nothing in this list has “zzz”. Search all rulings")
    assert rows.count() == 0
    said.get_by_role("link").click()
    page.wait_for_url(f"**/{urls.SEARCH}?game=swtcg&q=zzz")
    # Who comes back finds the list as it was.
    page.go_back()
    expect(said).to_be_visible()
    page.fill("#list-filter", "Pilot")
    rows.get_by_role("link").first.click()
    page.go_back()
    expect(page.locator("#list-filter")).to_have_value("Pilot")
    expect(rows.first).to_contain_text(re.compile("pilot", re.IGNORECASE))
    # The cards without rulings are found as well.
    page.goto(f"{address}/{urls.cards('swtcg')}")
    page.fill("#list-filter", "LUKE'S SKYH")
    expect(rows).to_have_text(["Luke's Skyhopper Ground"])
    rows.get_by_role("link").click()
    expect(page.locator("#said")).to_have_text("There are no rulings on Luke's Skyhopper.")


@pytest.mark.parametrize("kind", ["rulings", "topics", "cards"])
def test_all_of_a_row_leads_on(kind: str, address: str, open_page: Open) -> None:
    place = urls.cards("swtcg") if kind == "cards" else urls.index("swtcg", kind)
    page = open_page(f"{address}/{place}", locale="en-GB", viewport=PHONE)
    for part in page.locator("details.part > summary").all()[:1]:
        part.click()
    row = page.locator(":is(.topics, .rulings) > li:visible").first
    link = row.locator("a.row").get_attribute("href") or ""
    row.scroll_into_view_if_needed()
    box = row.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    page.wait_for_url(re.compile(re.escape(link.lstrip("./"))))


def test_that_nothing_changed_is_said(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.CHANGES}", locale="en-GB")
    days = page.locator("[data-day]:visible")
    expect(days.first).to_be_visible()
    page.fill("#since", "2999-01-01")
    expect(days).to_have_count(0)
    page.click("main :text('No changes.') button")
    expect(days.first).to_be_visible()
    assert page.input_value("#since") == ""


def test_the_front_page_of_a_phone_says_what_every_game_has(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.HOME}", viewport=PHONE)
    assert page.locator(".tile").count() == 3
    expect(page.locator(".tile a:text-matches('rulings$'):visible")).to_have_count(6)


# How far what one sees moves while a page loads, as the sum that browsers report.
SHIFTS = """window.moved = 0; new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.moved += value;
}).observe({ type: "layout-shift", buffered: true });"""


@pytest.mark.parametrize(
    "size", [PHONE, *thorough({"width": 1366, "height": 900})], ids=("phone", "desktop")
)
def test_the_front_page_opens_as_the_game_that_one_reads(
    size: Any, address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{RULING}", viewport=size, locale="en-GB")
    expect(page.locator("#pin")).to_be_visible()
    page.goto(f"{address}/{urls.ruling('berserk', '113-5')}")
    expect(page.locator("#pin")).to_be_visible()
    page.add_init_script(SHIFTS)
    page.goto(f"{address}/{urls.HOME}")
    expect(page.locator("h1:visible")).to_have_text("Berserk")
    mine = page.locator(".mine li")
    expect(mine).to_have_count(2)
    expect(mine.first).to_be_in_viewport(ratio=1)
    for section in ("Rulings", "Cards", "Glossary"):
        link = page.get_by_role("link", name=section, exact=True).first
        expect(link).to_be_in_viewport(ratio=1)
    # The other games, one below the other or side by side, each a link.
    assert page.locator(".tile:visible").all_inner_texts() == ["Star Wars TCG", "Babylon 5 CCG"]
    page.wait_for_load_state("networkidle")
    assert page.evaluate("moved") < 0.005
    # On paper it is the same game, without the controls.
    page.emulate_media(media="print")
    expect(page.locator("h1:visible")).to_have_text("Berserk")
    for control in (mine.first, page.get_by_role("link", name="Cards", exact=True).first):
        expect(control).to_be_hidden()
    page.emulate_media(media="screen")
    # The box searches in the game, as it says; a button leads back to all games.
    box = page.get_by_placeholder("Search: Berserk")
    box.fill("overkill")
    expect(page.locator(".popup").get_by_role("button", name="Berserk")).to_have_attribute(
        "aria-pressed", "true"
    )
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/index.html?game=berserk&q=overkill")
    page.go_back()
    page.get_by_role("button", name="All games").click()
    expect(page.locator("h1:visible")).to_have_text("Card-game rulings")
    assert page.locator(".tile:visible").count() == 3
    expect(page.get_by_role("link", name="Glossary", exact=True).first).not_to_be_in_viewport()
    page.get_by_placeholder("word, card, rule number", exact=True).fill("pilot")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search/index.html?q=pilot")


def test_the_front_page_of_a_game_that_is_gone_shows_all_games(
    address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.HOME}", viewport=PHONE, locale="en-GB")
    gone = [{"address": "x/rulings/y/index.html", "title": "Y", "lang": "en", "key": "x/y"}]
    page.evaluate("rows => localStorage.setItem('kb.viewed', rows)", json.dumps(gone))
    page.reload()
    expect(page.locator("h1:visible")).to_have_text("Card-game rulings")
    assert page.locator(".tile:visible").count() == 3


# In the lists of pages and in those of scripts. A Czech reads Slovak.
@pytest.mark.parametrize(
    ("lang", "place", "marks"),
    [
        ("ru", urls.CHANGES, {"ru": "", "en": '"en"'}),
        ("cs", urls.topic("babylon5", "attacks"), {"sk": ""}),
        *thorough(("cs", f"{urls.SEARCH}?q=Vnútorný+kruh&game=babylon5", {"sk": ""})),
        ("cs", f"{urls.SEARCH}?q=overkill", {"en": '"en"'}),
    ],
)
def test_titles_that_are_not_in_the_language_of_the_page_are_marked(
    lang: str, place: str, marks: dict[str, str], address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.localized(place, lang)}", locale=lang)
    titles = page.locator(":is(.rulings .row, .results h2 a) > [lang]:not(.original)")
    # Days with many changes are folded.
    page.locator("main details").evaluate_all(
        "folds => folds.forEach((fold) => (fold.open = true))"
    )
    expect(titles.first).to_be_visible()
    shown = """nodes => Object.fromEntries(nodes.map((node) =>
      [node.lang, getComputedStyle(node, "::after").content.match(/"\\w+"|/)[0]]))"""
    assert titles.evaluate_all(shown) == marks


def test_cards_are_drawn_by_type_and_side(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.cards('swtcg')}")

    def drawn(card: str) -> tuple[str, str]:
        mark = page.locator("li", has=page.get_by_role("link", name=card, exact=True))
        colour = mark.locator(".mini").evaluate("node => getComputedStyle(node).backgroundImage")
        picture = mark.locator(".glyph").evaluate("node => getComputedStyle(node).maskImage")
        return colour, picture

    dark, light, ship = map(drawn, ("Darth Vader", "Luke Skywalker", "Neimoidian Shuttle"))
    assert dark[0] != light[0] and dark[1] == light[1]
    assert dark[0] == ship[0] and dark[1] != ship[1]
