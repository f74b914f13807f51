"""What can be seen on every kind of page: no text covers another or is cut, no control is idle."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

from kb.core import urls
from tests.browser.conftest import PHONE, Open, Serve
from tests.browser.test_accessibility import KINDS
from tests.selection import thorough

DESKTOP = {"width": 1280, "height": 900}
# A4 without its margins.
PAPER = {"width": 702, "height": 1000}
MEDIA = (("phone", PHONE, "screen"), ("desktop", DESKTOP, "screen"), ("paper", PAPER, "print"))
PLACES = {
    **KINDS,
    "deck": urls.DECK,
    "card without rulings": f"{urls.GO}?game=swtcg&card=Luke%27s%20Vow",
    "topics": urls.index("babylon5", "topics"),
    "diagram": urls.ruling("swtcg", "contest-example"),
}
# Pages of templates of their own; the others are more of the same.
OTHERS = (
    "translator",
    "states",
    "table of a diagram",
    "glossaries",
    "nothing",
    "polish",
    "russian",
)
QUICK_KINDS = {kind: place for kind, place in PLACES.items() if kind not in OTHERS}
OTHER_KINDS = {kind: PLACES[kind] for kind in OTHERS}
WITH_CONTROLS = ("home", "ruling", "rulings", "cards", "glossary", "search", "deck")
# The faults of a page that somebody can see, in words.
FAULTS = """(isPaper) => {
  const inherit = (test, known = new Map()) => function has(node) {
    if (!node || node === document.documentElement) return false;
    if (!known.has(node)) known.set(node, test(getComputedStyle(node)) || has(node.parentElement));
    return known.get(node);
  };
  // What floats over a page is meant to cover it; what scrolls by itself may be longer.
  const isFloating = inherit(({ position }) => ["fixed", "sticky"].includes(position));
  const isScrolling = inherit(({ overflowX }) => ["auto", "scroll"].includes(overflowX));
  const isClipped = inherit(({ clipPath }) => clipPath === "inset(50%)");
  const isUnseen = (node) => node.closest(".skip, .code, svg, [aria-hidden=true]")
    || isClipped(node) || !node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const { parentElement: parent } = node;
    if (!node.data.trim() || isUnseen(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      if (box.width > 2 && box.height > 2) texts.push({ parent, box, said: node.data.trim() });
  }
  const faults = [];
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (!isPaper && wide > 0) faults.push(`scrolls sideways by ${wide}`);
  for (const { parent, box, said } of texts)
    if ((box.right > innerWidth + 1 || box.left < -1) && !isScrolling(parent))
      faults.push(`outside the screen: ${said.slice(0, 40)}`);
  const still = texts.filter(({ parent }) => !isFloating(parent) && !isScrolling(parent));
  still.sort((one, other) => one.box.top - other.box.top);
  still.forEach(({ box: a, said }, at) => {
    for (let next = at + 1; next < still.length && still[next].box.top < a.bottom - 1; next++) {
      const b = still[next].box;
      // Lines may touch; letters may not.
      const [x, y] = [Math.min(a.right, b.right) - Math.max(a.left, b.left),
        Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];
      if (x > 2 && y > Math.min(a.height, b.height) * 0.4)
        faults.push(`${said.slice(0, 40)} / ${still[next].said.slice(0, 40)}`);
    }
  });
  // An ellipsis says that there is more.
  for (const node of document.querySelectorAll("body *")) {
    const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(node);
    const isSaid = textOverflow === "ellipsis" || webkitLineClamp !== "none";
    if (![overflowX, overflowY].includes("hidden") || isSaid) continue;
    const own = node.getBoundingClientRect();
    for (const { parent, box, said } of texts)
      if (node.contains(parent) && (box.right > own.right + 2 || box.bottom > own.bottom + 2))
        faults.push(`cut: ${said.slice(0, 40)}`);
  }
  const sizes = new Set(texts.map(({ parent }) => getComputedStyle(parent).fontSize));
  if (!isPaper && sizes.size > 5) faults.push(`${sizes.size} sizes of letters`);
  return faults.slice(0, 5);
}"""
# All that somebody sees of a page, in short.
LOOK = """() => JSON.stringify([location.href, getComputedStyle(document.body).backgroundColor,
  ...[...document.querySelectorAll("body *")].filter((node) => node.checkVisibility({
    visibilityProperty: true, opacityProperty: true })).map((node) => {
      const { top, left, width, height } = node.getBoundingClientRect();
      const own = [...node.childNodes].map(({ nodeType, data }) => nodeType === 3 ? data : "");
      const { backgroundColor, borderTopColor } = getComputedStyle(node);
      const colours = [backgroundColor, borderTopColor];
      return [top, left, width, height, colours, own.join(""), node.value, node.checked];
    })])"""
# But for the button that saves for offline use, which test_offline.py presses.
CONTROLS = "button:not(.offer *), summary, select, input:is([type=checkbox], [type=radio])"
# For each control a word for those that look like it; none for what cannot be used, or has been.
USABLE = """(nodes) => nodes.map((node) => {
  const isDone = node.type === "radio" && node.checked || node.matches("[data-state=done] > .go");
  const isSeen = node.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && getComputedStyle(node).clipPath !== "inset(50%)";
  if (!isSeen || node.disabled || isDone) return "";
  const around = [node, node.parentElement, node.parentElement.parentElement];
  return around.map(({ tagName, className }) => `${tagName} ${className}`).join(" in ")
    + ` ${node.name ?? ""}`;
})"""


def go(page: Page, address: str, place: str) -> None:
    page.goto(f"{address}/{place}")
    if "?q=" in place:
        page.wait_for_selector("#search[data-state=done]", state="attached")
    if place.startswith(urls.GO):
        page.wait_for_selector("#said[data-state=done]")


def faults(page: Page, kind: str) -> dict[tuple[str, str], list[str]]:
    """What can be seen to be wrong with an open page, by its kind and size."""
    found = {}
    for name, size, media in MEDIA:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.emulate_media(media=media)  # type: ignore[arg-type]
        found[kind, name] = page.evaluate(FAULTS, media == "print")
    page.emulate_media(media="screen")
    return {place: wrong for place, wrong in found.items() if wrong}


@pytest.mark.parametrize("kinds", [QUICK_KINDS, *thorough(OTHER_KINDS)], ids=("some", "others"))
def test_texts_are_whole_never_cover_each_other_and_have_few_sizes(
    kinds: dict[str, str], address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.HOME}", locale="en-GB")
    found = {}
    for kind, place in kinds.items():
        go(page, address, place)
        found |= faults(page, kind)
    assert found == {}


def test_a_pack_has_whole_texts_that_never_cover_each_other(
    real_pack: Path, open_page: Open
) -> None:
    page = open_page(real_pack.as_uri(), locale="en-GB")
    assert faults(page, "pack") == {}
    page.fill("#q", "pilot")
    assert faults(page, "results") == {}


# Controls that look alike do alike: a quick run tries one of them, on the first page that has it.
@pytest.mark.parametrize("tries_all", [False, *thorough(True)])
def test_every_control_has_an_effect_that_is_seen(
    tries_all: bool, address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.HOME}", locale="en-GB")
    idle, tried = [], set()
    for size in (PHONE, DESKTOP):
        page.set_viewport_size(size)  # type: ignore[arg-type]
        for kind in WITH_CONTROLS:
            go(page, address, PLACES[kind])
            is_fresh = True
            for number, alike in enumerate(page.locator(CONTROLS).evaluate_all(USABLE)):
                key = (alike, size["width"], kind, number) if tries_all else alike
                if not alike or key in tried:
                    continue
                tried.add(key)
                if not is_fresh:
                    go(page, address, PLACES[kind])
                is_fresh = False
                control = page.locator(CONTROLS).nth(number)
                # What was pressed before may be remembered, and hide this one.
                if not control.is_visible():
                    continue
                control.scroll_into_view_if_needed()
                before = page.evaluate(LOOK)
                if alike.startswith("SELECT"):
                    control.select_option(index=1)
                else:
                    control.click()
                try:
                    page.wait_for_function(
                        f"before => ({LOOK})() !== before", arg=before, timeout=10_000
                    )
                except TimeoutError:
                    idle.append((kind, size["width"], alike))
    assert idle == [] and len(tried) > (150 if tries_all else 20)


@pytest.mark.parametrize("size", [PHONE, *thorough(DESKTOP)], ids=("phone", "desktop"))
def test_previews_of_diagrams_are_even_with_the_drawings_first(
    size: Any, address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.game('swtcg')}", viewport=size, locale="en-GB")
    tiles = page.locator(".gallery > li").all()
    assert len({tile.bounding_box()["height"] for tile in tiles}) == 1  # type: ignore[index]
    have_drawing = [tile.locator("svg").count() for tile in tiles]
    assert have_drawing == sorted(have_drawing, reverse=True) and have_drawing[0]
    for tile in tiles:
        tile.scroll_into_view_if_needed()
        title = tile.get_by_role("link")
        expect(title).to_be_in_viewport()
        for label in tile.locator("svg tspan").all():
            assert label.evaluate("node => 14 * node.getScreenCTM().a") > 11


def test_the_numbers_of_a_drawing_are_explained_beside_it_on_a_tablet(
    address: str, open_page: Open
) -> None:
    tablet = {"width": 820, "height": 1180}
    page = open_page(f"{address}/{PLACES['states']}", viewport=tablet)
    drawing, key = (page.locator(f".diagram {part}").bounding_box() for part in ("svg", ".key"))
    assert drawing and key
    assert abs(drawing["y"] - key["y"]) < 10 and key["x"] > drawing["x"] + drawing["width"]
    assert key["x"] + key["width"] > 720


def test_what_is_chosen_is_seen_in_forced_colours(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.game('swtcg')}", viewport=PHONE, forced_colors="active")
    page.locator("#q").press_sequentially("pilot")
    expect(page.get_by_role("option").nth(1)).to_be_visible()
    page.keyboard.press("ArrowDown")
    option = page.get_by_role("option", selected=True)
    scope = page.get_by_role("button", name="Star Wars TCG", pressed=True)
    for control, state in ((option, "aria-selected"), (scope, "aria-pressed")):
        assert _shows(control, state), state
    page.keyboard.press("Escape")
    page.locator("#q").blur()
    assert _shows(page.get_by_role("link", name="Rulings", exact=True).first, "aria-current")


def _shows(control: Locator, state: str) -> bool:
    """Whether a control looks different in a state that its attribute says."""
    node = control.element_handle()
    chosen = node.screenshot(animations="disabled")
    node.evaluate("(node, state) => node.removeAttribute(state)", state)
    return chosen != node.screenshot(animations="disabled")


LINES = """(node) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  return range.getClientRects().length;
}"""


@pytest.mark.thorough
@pytest.mark.parametrize("lang", ["en", "pl"])
def test_letters_of_twice_the_size_fit_a_phone(lang: str, address: str, open_page: Open) -> None:
    for place in (urls.game("swtcg"), urls.cards("swtcg")):
        page = open_page(f"{address}/{urls.localized(place, lang)}", viewport=PHONE, locale=lang)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, place
        for link in page.locator(".sections:visible a").all():
            box = link.bounding_box()
            assert box and box["x"] + box["width"] <= PHONE["width"], (place, box)
            assert link.evaluate(LINES) <= len(link.inner_text().split()), "broken inside a word"


@pytest.mark.parametrize(
    "ruling", ["contest-example", *thorough("pilots-upkeep", "pilots-subtypes")]
)
def test_a_phone_on_its_side_shows_a_whole_answer(
    ruling: str, address: str, open_page: Open
) -> None:
    place = f"{address}/{urls.ruling('swtcg', ruling)}"
    page = open_page(place, viewport={"width": 844, "height": 390}, locale="en-GB")
    expect(page.locator("#text-en .answer")).to_be_in_viewport(ratio=1)


def test_the_bars_of_a_low_screen_scroll_away(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.game('swtcg')}", viewport={"width": 667, "height": 375})
    bars = (page.locator("header.site"), page.locator(".sections:visible"))
    for bar in bars:
        expect(bar).to_be_in_viewport(ratio=1)
    page.get_by_role("contentinfo").scroll_into_view_if_needed()
    for bar in bars:
        expect(bar).not_to_be_in_viewport()


def test_a_table_of_a_phone_has_its_last_row_and_its_answer_stands_out(
    address: str, open_page: Open
) -> None:
    place = f"{address}/{PLACES['diagram']}"
    page = open_page(place, viewport=PHONE, locale="en-GB")
    expect(page.get_by_text("The Dark Side wins the tie")).to_be_visible()
    answer, rest = (
        page.locator(part).first.evaluate("node => parseFloat(getComputedStyle(node).fontSize)")
        for part in (".answer", ".more")
    )
    assert answer > rest + 3
    # Of a table of which one row is the ruling's own, the others are folded.
    page.goto(f"{address}/{urls.ruling('swtcg', 'contest-payment')}")
    expect(page.get_by_text("The Dark Side wins the tie")).to_be_visible()
    first = page.get_by_role("link", name="The Dark Side starts")
    assert not first.is_visible()
    page.get_by_text("All rows").click()
    assert first.is_visible()
    page.goto(f"{address}/{urls.ruling('swtcg', 'activated-in-arena')}")
    expect(page.locator(".diagram tbody tr:visible")).to_have_count(7)


def test_a_phone_has_the_step_of_a_ruling_open_and_the_others_folded(
    address: str, open_page: Open
) -> None:
    place = f"{address}/{urls.ruling('swtcg', 'equipment-detach')}"
    page = open_page(place, viewport=PHONE, locale="en-GB")
    lanes = page.locator(".lanes")
    expect(lanes.locator("b")).to_be_visible()
    other = lanes.get_by_role("link", name="a unit that you finish building")
    assert not other.is_visible()
    page.emulate_media(media="print")
    assert other.is_visible()
    page.emulate_media(media="screen")
    lanes.get_by_text("Command phase").click()
    assert other.is_visible()


def test_a_ruling_about_two_versions_stands_below_both(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.card('swtcg', 'jango-fett')}", viewport=PHONE)
    (heading,) = page.locator(".versions h3:visible").all_inner_texts()
    assert heading == "Jango Fett (E), Jango Fett (G)"


def test_the_chip_of_a_version_leaves_what_is_about_it(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.card('swtcg', 'anakin-skywalker')}", viewport=PHONE)
    headings = page.locator(".versions h3:visible")
    every = headings.all_inner_texts()
    for version, count in {"A": 2, "C": 4, "D": 1}.items():
        page.get_by_role("link", name=re.compile(rf"Anakin Skywalker \({version}\) \d")).click()
        left = headings.all_inner_texts()
        assert left == [text for text in every if text == "All versions" or f"({version})" in text]
        assert len(left) <= count + 1
    page.get_by_role("link", name="All versions").click()
    assert headings.all_inner_texts() == every


def test_an_open_question_is_said_to_be_open_once(address: str, open_page: Open) -> None:
    place = urls.ruling("babylon5", "neutralized-supporter")
    page = open_page(f"{address}/{place}", viewport=PHONE, locale="en-GB")
    assert page.locator(".standing .badge:visible").all_inner_texts() == ["Unanswered"]
    assert not page.locator(".banner:visible").count()
    expect(page.locator(".answer").first).to_be_in_viewport(ratio=1)


def test_a_site_of_one_game_opens_as_that_game(small_base: Path, serve: Serve, sound: Page) -> None:
    address, _ = serve(small_base / "site", 0)
    sound.goto(f"{address}/{urls.HOME}")
    expect(sound.locator("h1:visible")).to_have_text(" Star Trial")
    expect(sound.get_by_role("link", name=re.compile(r"^\d+ rulings$"))).to_have_count(1)
    expect(sound.locator(".examples a").first).to_be_visible()
    for name in ("All games", "Copy as a list"):
        expect(sound.get_by_role("button", name=name)).to_have_count(0)
    # There is nothing to narrow a search to.
    sound.fill("#q", "xylophone")
    sound.press("#q", "Enter")
    expect(sound.locator("#said")).to_have_text("Nothing found for “xylophone”")
    expect(sound.locator("#chips li")).to_have_count(0)


def test_a_card_has_its_facts_and_versions_above_its_rulings(address: str, open_page: Open) -> None:
    place = urls.card("swtcg", "darth-vader")
    page = open_page(f"{address}/{place}", viewport=PHONE, locale="en-GB")
    assert "Character" in page.locator("h1 + .facts").inner_text()
    versions = page.get_by_text("Versions 19")
    assert versions.bounding_box()["y"] < page.locator("h2").first.bounding_box()["y"]  # type: ignore[index]
    row = page.get_by_role("rowheader", name="Darth Vader (B)")
    assert not row.is_visible()
    versions.click()
    assert row.is_visible()


def test_the_rules_for_a_card_without_rulings_are_not_below_its_versions(
    address: str, open_page: Open
) -> None:
    place = f"{address}/{urls.GO}?game=swtcg&card=Obi-Wan+Kenobi"
    page = open_page(place, viewport=PHONE, locale="en-GB")
    version = page.get_by_text("Obi-Wan Kenobi (B)")
    rules = page.get_by_role("heading", name="Rules that the card brings in")
    expect(rules).to_be_in_viewport()
    assert not version.is_visible()
    page.get_by_text("Versions 14").click()
    expect(version).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize(
    ("place", "sheets"),
    [
        (urls.ruling("swtcg", "darth-sidious-reroll"), 1),
        (urls.ruling("babylon5", "attack-resolution"), 2),
        (urls.ruling("swtcg", "contest-example"), 2),
        (urls.glossary("swtcg"), 3),
        (urls.index("swtcg", "rulings"), 4),
        (urls.ruling("swtcg", "overkill-3-hits"), 1),
    ],
)
def test_a_page_fits_on_few_sheets(place: str, sheets: int, address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{place}", locale="en-GB")
    count = re.search(rb"/Count (\d+)", page.pdf(format="A4", prefer_css_page_size=True))
    assert count and int(count[1]) <= sheets
