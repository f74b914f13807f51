"""The search page as a reader uses it: typing, arrows, facets, URL; from a server and a file."""

from __future__ import annotations

import re
from itertools import cycle
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from kb.core import urls
from kb.pipeline.build import SiteOptions, build
from tests.browser.conftest import SEARCHED, Open, keys, look_up
from tests.browser.test_questions import ask
from tests.conftest import paths_of

ANSWERS = {
    "vira londo": "babylon5/rotate-effect",
    "невтидой": "berserk/113-2-example",
    "overkil": "swtcg/overkill-text",
    "card:sidiousa": "swtcg/darth-sidious-reroll",
}


def test_an_address_is_answered(address: str, real_base: Path, sound: Page) -> None:
    places = cycle((address, (real_base / "site").as_uri()))
    for site, (query, wanted) in zip(places, ANSWERS.items(), strict=False):
        assert wanted in look_up(sound, site, query)[:3], query
        assert "card:" in query or sound.query_selector("#results mark"), query
        assert sound.get_attribute("#q", "type") == "search"


def test_the_address_is_looked_up_before_the_page_has_its_scripts(
    address: str, sound: Page
) -> None:
    held: list[Route] = []
    requests: list[str] = []

    def hold(route: Route) -> None:
        held.append(route)

    sound.route("**/search-client.js*", hold)
    sound.on("request", lambda request: requests.append(request.url))
    with sound.expect_request(re.compile(r"/search/\w+/x\d+\.js$")):
        sound.goto(f"{address}/{urls.SEARCH}?q=overkill", wait_until="commit")
    held.pop().continue_()
    assert "swtcg/overkill-text" in keys(sound)
    buckets = [url for url in requests if re.search(r"/search/\w+/\w+\.js$", url)]
    # The page takes over what was loaded before it.
    assert buckets and len(buckets) == len(set(buckets))


def test_typing_arrows_and_opening(address: str, sound: Page) -> None:
    sound.goto(f"{address}/{urls.SEARCH}")
    expect(sound.locator("#q")).to_be_focused()
    sound.keyboard.type("konfrontacj", delay=5)
    expect(sound.locator("#results > li").nth(2)).to_be_visible()
    sound.wait_for_selector(SEARCHED)
    sound.keyboard.press("ArrowDown")
    sound.keyboard.press("ArrowDown")
    sound.keyboard.press("ArrowUp")
    first = sound.locator("#results h2 a").first
    expect(first).to_be_focused()
    sound.keyboard.press("Escape")
    expect(sound.locator("#q")).to_be_focused()
    sound.keyboard.press("ArrowDown")
    title = first.inner_text()
    sound.keyboard.press("Enter")
    sound.wait_for_selector("article.ruling")
    assert title in [
        heading.inner_text() for heading in sound.query_selector_all("article h1, article h2")
    ]
    sound.go_back()
    assert keys(sound) and sound.input_value("#q") == "konfrontacj"
    sound.keyboard.press("/")
    expect(sound.locator("#q")).to_be_focused()
    sound.keyboard.press("Escape")
    expect(sound.locator("#q")).to_have_value("")
    expect(sound.locator("#recent a").first).to_have_text("konfrontacj")


def test_below_a_sure_answer_other_rulings_are_titles_that_unfold(
    address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.HOME}", viewport={"width": 390, "height": 844})
    found = look_up(page, address, "cost of sponsoring a character of another race")
    assert page.inner_text("#said") == f"Answer · {len(found)} rulings" and len(found) > 3
    rows = page.locator("#results > [data-ruling]")
    expect(rows.first).to_contain_text("is not increased.")
    for row in rows.all()[1:]:
        expect(row.locator("h2")).to_be_visible()
        expect(row.locator("p:visible")).to_have_count(0)
    text = rows.nth(2).locator(".said p").first
    expect(text).to_be_hidden()
    rows.nth(2).locator("summary").click()
    expect(text).to_be_visible()
    page.focus("#q")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    expect(rows.nth(1).locator("a")).to_be_focused()
    second = rows.nth(1).locator(".said p").first
    for is_seen in (True, False):
        page.keyboard.press("Space")
        expect(second).to_be_visible(visible=is_seen)
    look_up(page, address, "pilot")
    expect(page.locator("#said")).to_contain_text("Results")
    expect(rows.nth(2).locator("p").first).to_be_visible()


SHOWN = """() => ["results", "said", "cards", "terms", "ways", "facets"].map((id) => {
  const node = document.getElementById(id);
  return node.hidden ? "" : node.innerHTML;
})"""


def test_what_stays_of_one_keystroke_to_the_next_is_what_an_address_shows(
    address: str, sound: Page
) -> None:
    """Rows, cards and terms that show the same as before are left alone; all others are drawn."""
    queries = ["xyzzyqwv", "vader w strefie", "build zone"]
    shown = []
    sound.goto(f"{address}/{urls.SEARCH}")
    expect(sound.locator("#q")).to_be_focused()
    for query in queries:
        sound.fill("#q", "")
        expect(sound.locator("#search")).to_have_attribute("data-state", "idle")
        for end in (3, 7, len(query)):
            sound.fill("#q", query[:end])
            sound.wait_for_selector(SEARCHED)
        sound.keyboard.press("Enter")
        sound.wait_for_selector(SEARCHED)
        # Nothing to filter: no filters.
        expect(sound.locator("#facets")).to_be_visible(visible=query != "xyzzyqwv")
        shown.append(sound.evaluate(SHOWN))
    for query, typed in zip(queries, shown, strict=True):
        look_up(sound, address, query)
        # Terms come after the first answer.
        sound.wait_for_function("window.KB_TERMS")
        assert sound.evaluate(SHOWN) == typed, query
    # Each place shows something for some query.
    assert all(map(any, zip(*shown, strict=True)))


@pytest.mark.thorough
def test_later_results_leave_the_reader_where_he_is(address: str, sound: Page) -> None:
    first = look_up(sound, address, "pilot")[0]
    sound.keyboard.press("ArrowDown")
    # As when the answer to the last letter comes after the arrow was pressed.
    sound.evaluate("document.getElementById('q').dispatchEvent(new Event('input'))")
    expect(sound.locator("#search")).to_have_attribute("data-state", "done")
    expect(sound.locator(f'li[data-ruling="{first}"] h2 a')).to_be_focused()


@pytest.mark.thorough
def test_a_worker_that_does_not_start_is_done_without(address: str, page: Page) -> None:
    broken = {"body": "throw new Error();", "content_type": "text/javascript"}
    page.route("**/search-worker.js*", lambda route: route.fulfill(**broken))
    assert "swtcg/overkill-text" in look_up(page, address, "overkil")[:3]


def test_facets_count_filter_and_stand_in_the_address(address: str, sound: Page) -> None:
    sound.set_viewport_size({"width": 1200, "height": 900})
    whole = look_up(sound, address, "pilot")
    total = int(re.findall(r"\d+", sound.inner_text("#said"))[0])
    expect(sound.get_by_role("status").filter(has_text="rulings")).to_have_count(1)
    topic = sound.locator('input[data-facet^="topic=swtcg/build-zone"]')
    count = int(topic.locator("xpath=..").locator(".count").inner_text())
    assert 0 < count < total
    topic.check()
    expect(sound.locator("#said")).to_have_text(re.compile(rf" · {count} rulings$"))
    assert "topic=swtcg%2Fbuild-zone" in sound.url
    expect(sound.locator('input[data-facet^="topic=swtcg/build-zone"]')).to_be_focused()
    sound.reload()
    assert len(keys(sound)) == min(count, 10)
    sound.go_back()
    expect(sound.locator("#said")).to_have_text(re.compile(rf" · {total} rulings$"))
    assert keys(sound) == whole


def test_the_keyboard_comes_to_the_results_before_the_filters(
    address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.SEARCH}?q=pilot", viewport={"width": 1280, "height": 900})
    keys(page)
    expect(page.locator("#facets")).to_be_visible()
    page.focus("#q")
    for _ in range(6):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('#results') !== null")


@pytest.mark.thorough
def test_what_stood_on_a_day(records: Path, sound: Page) -> None:
    """What a day finds is in tests/search/vectors.py; here it is chosen, kept and marked."""
    head = "kind: ruling\nauthority: official\nstatus: current\ntopics:\n  - pilots"
    for name, more in (("Ballista", ""), ("Catapult", "\ndate: 1990\neffective-until: 1991")):
        text = f"---\n{head}{more}\n---\n\n# pl: {name}\n\nTak.\n\n# en: {name}\n\nYes.\n"
        (records / "demo" / "pilots" / f"{name.lower()}.md").write_text(text, encoding="utf-8")
    folder = records.parent
    options = SiteOptions(interfaces=("en",))
    build(paths_of(folder), folder / "site", site=options)
    sound.set_viewport_size({"width": 1200, "height": 900})
    address = (folder / "site").as_uri()
    assert "demo/old-answer" not in look_up(sound, address, "two pilots unit")
    sound.fill("input[type=date]", "2002-06-30")
    old = sound.locator("#results > li[data-ruling='demo/old-answer']")
    expect(old).to_be_visible()
    assert "asof=2002-06-30" in sound.url
    # The superseded ruling keeps its address, with a banner that leads to what stands.
    old.locator("h2 a").click()
    expect(sound.locator(".banner")).to_contain_text("no longer in force")
    sound.click("#present")
    expect(sound.get_by_role("dialog").locator(".banner")).to_be_in_viewport(ratio=1)
    sound.get_by_role("button", name="Close").click()
    sound.click(".banner a")
    assert "one-pilot" in sound.url
    # Nobody knows whether an undated ruling was in force on a day; without a day it is one of all.
    for query, marks in (("ballista asof:1990", 1), ("ballista", 0), ("ballista -asof:1990", 0)):
        look_up(sound, address, query)
        expect(sound.get_by_text("date unknown")).to_have_count(marks)
    for name, standing in (
        ("ballista", "In force, date unknown"),
        ("catapult", "No longer in force 1990 – 1991"),
    ):
        sound.goto(f"{address}/{urls.ruling('demo', name)}")
        expect(sound.locator(".standing")).to_contain_text(standing)


def test_a_question_about_a_term_leads_to_it(address: str, page: Page) -> None:
    for query, name in (("what is upkeep", "Upkeep"), ("what does overkill do", "Overkill")):
        look_up(page, address, query)
        expect(page.locator("#terms a").first).to_have_text(name)


def test_only_a_sure_answer_to_the_title_has_the_colour_of_its_verdict(
    address: str, page: Page
) -> None:
    def colours(query: str, heading: str) -> list[str]:
        look_up(page, address, query)
        expect(page.locator("#said")).to_contain_text(heading)
        rows = page.locator("#results > li").filter(has=page.locator(".verdict"))
        colour = "node => getComputedStyle(node.querySelector('.verdict')).color"
        return [str(row.evaluate(colour)) for row in rows.all()]

    sure, *others = colours("can i prevent damage to a stacked unit", "Answer")
    near = colours("can a pilot attack another player", "Closest rulings")
    assert others and sure not in others and {*near} == {*others}
    # Yes, the pilot stays; the title asks the opposite.
    turned = colours("does my pilot stay mine when an opponent takes control of the unit", "Answer")
    assert turned[0] in others


def test_a_condition_is_in_the_language_of_its_verdict(address: str, page: Page) -> None:
    look_up(page, address, "uzdravenie neutralizovanej postavy")
    hit = page.locator("[data-ruling='babylon5/heal-neutralized']")
    expect(hit.locator("h2")).to_contain_text("Smie neutralizovaná karta rotovať")
    expect(hit.locator(".verdict")).to_have_text("Depends: Inner Circle only, in a later turn")


@pytest.mark.thorough
def test_filters_are_chips_and_what_excludes_all_is_said(address: str, sound: Page) -> None:
    sound.set_viewport_size({"width": 390, "height": 844})
    look_up(sound, address, "pilot", game="swtcg", topic="swtcg/build-zone")
    chips = sound.locator("#chips .chip")
    assert [text.partition("×")[0].strip() for text in chips.all_inner_texts()] == [
        "Star Wars TCG",
        "Build zone",
    ]
    assert sound.inner_text("#facets summary .count") == "2"
    # The filters lie over the results, which begin in the upper part, below chips for a finger.
    top = "document.querySelector('#results > li').getBoundingClientRect().top"
    before = sound.evaluate(top)
    assert before < 844 * 0.4
    sound.click("#facets summary")
    expect(sound.locator('input[data-facet="game=swtcg"]')).to_be_checked()
    assert sound.evaluate(top) == before
    shown = sound.inner_text("#said").partition(" · ")[2]
    sound.click(f"#facets button:text-is('Show {shown}')")
    expect(sound.locator("#facets .sheet")).to_be_hidden()
    expect(sound.locator("#facets summary")).to_be_focused()
    # Filters and chips stand in one row, where these scroll.
    tops = "[...document.querySelectorAll('#facets summary, .chip')].map((one) => one.offsetTop)"
    assert max(sound.evaluate(tops)) - min(sound.evaluate(tops)) < 10
    sound.get_by_role("button", name="Remove: Build zone").click()
    expect(chips).to_have_count(1)
    assert sound.url.endswith("?q=pilot&game=swtcg")
    look_up(sound, address, "vplyv", game="swtcg", kind="ruling")
    assert sound.inner_text("#said") == "“vplyv”: in Babylon 5 CCG, not in Star Wars TCG"
    sound.click("text=Search without the filters")
    expect(sound.locator("#results > li").first).to_be_visible()
    sound.goto(f"{address}/{urls.SEARCH}?q=vplyv&game=swtcg&kind=ruling")
    sound.click("text=Clear all")
    expect(sound.locator("#results > li").first).to_be_visible()
    expect(chips).to_have_count(0)
    sound.click("#help summary")
    assert "berserk" in sound.inner_text("#help") and "errata" in sound.inner_text("#help")
    sound.click("#slash")
    assert sound.inner_text("#slash") == "Switch on the / key"
    sound.keyboard.press("/")
    expect(sound.locator("#slash")).to_be_focused()
    sound.click("#slash")
    sound.keyboard.press("/")
    expect(sound.locator("#q")).to_be_focused()


@pytest.mark.thorough
def test_the_way_back_leads_to_where_one_was(address: str, sound: Page) -> None:
    look_up(sound, address, "pilot")
    sound.click("#more")
    expect(sound.locator("#terms")).to_be_visible()
    last = sound.locator("#results h2 a").nth(12)
    last.scroll_into_view_if_needed()
    top = sound.evaluate("scrollY")
    assert top > 500
    last.click()
    sound.wait_for_selector("article.ruling")
    sound.go_back()
    expect(last).to_be_in_viewport()
    assert abs(sound.evaluate("scrollY") - top) < 5


@pytest.mark.thorough
def test_the_language_that_alone_matches_is_named(address: str, sound: Page) -> None:
    look_up(sound, address, "przerzut kości")
    first = sound.locator("#results > li").first
    expect(first.locator(".found-in").first).to_have_text("found in: Polski")
    first.locator("h2 a").click()
    sound.wait_for_selector("article.ruling")
    assert sound.url.endswith("#text-pl")


def test_filters_alone_list_everything_and_more_comes_on_demand(address: str, sound: Page) -> None:
    found = look_up(sound, address, "", game="berserk", kind="definition")
    assert found and all(key.startswith("berserk/") for key in found)
    assert len(look_up(sound, address, "pilot")) == 10
    sound.click("#more")
    expect(sound.locator("#results > li").nth(10)).to_be_visible()
    expect(sound.locator("#results h2 a").nth(10)).to_be_focused()


def asked(page: Page, query: str) -> str:
    """What the open page says to a query."""
    ask(page, query)
    page.keyboard.press("Enter")
    page.wait_for_selector(SEARCHED)
    return page.inner_text("#said")


def test_slips_are_named_and_nothing_is_said_plainly(address: str, sound: Page) -> None:
    # Of two words as near, the one of the reader's language.
    for lang, wanted in (("pl", "atak"), ("en", "attack")):
        sound.goto(f"{address}/{urls.localized(urls.SEARCH, lang)}?q=atack")
        expect(sound.locator("#said a")).to_have_text(wanted)
    assert asked(sound, "overkil").startswith("Searched for: overkill. Closest rulings")
    excluded = "The words after a minus leave out every ruling that has all the others."
    assert asked(sound, "hidden cost -hidden") == excluded
    assert "<b>overkill</b>" in asked(sound, "<b>overkil</b>")
    assert not sound.query_selector("#said b")
    assert asked(sound, "xyzzyqwv") == "Nothing found for “xyzzyqwv”"
    sound.click("#ways >> text=How to search")
    expect(sound.locator("#help .sheet")).to_be_visible()
    ways = sound.locator("#ways a")
    assert ways.all_inner_texts()[:3] == ["Topics of Babylon 5 CCG", "Cards", "Glossary"]
    expect(sound.get_by_text("Ask for a ruling on this")).to_be_visible()
    ways.nth(1).click()
    expect(sound.locator("h1")).to_contain_text("Cards")


@pytest.mark.thorough
def test_guesses_cards_and_keyboards_are_said(address: str, sound: Page) -> None:
    sound.goto(f"{address}/{urls.SEARCH}")
    said = asked(sound, "what will the weather be at the tournament")
    assert said == "Not in these rulings: “weather”.\nClosest rulings"
    assert not sound.is_visible("#cards")
    assert asked(sound, "sidious") == "Rulings on cards with this name · 2"
    assert re.fullmatch(r"\d+ rulings", asked(sound, "kind:errata"))
    assert asked(sound, "shaak ti") == "No ruling names this card."
    assert "Shaak Ti · Star Wars TCG, no ruling" in sound.inner_text("#cards")
    assert sound.locator("#ways a").all_inner_texts() == [
        "Topics of Star Wars TCG",
        "Cards",
        "Glossary",
    ]
    assert "Searched for: топор." in asked(sound, "njgjh")
    # The language of the interface is kept, with its plurals.
    sound.goto(f"{address}/pl/{urls.SEARCH}")
    said = asked(sound, "kind:errata")
    ((count, word),) = re.findall(r"(\d+) (\w+)", said)
    assert 2 <= int(count) <= 20 and word == ("orzeczenia" if int(count) < 5 else "orzeczeń")
    sound.click("#results h2 a")
    sound.wait_for_selector("article.ruling")
    assert "/pl/swtcg/rulings/" in sound.url and sound.get_attribute("html", "lang") == "pl"
    look_up(sound, address, "vader w strefie")
    sound.click("#cards a")
    assert "/swtcg/cards/darth-vader/" in sound.url


def test_without_scripts_the_page_says_so_and_leads_on(address: str, open_page: Open) -> None:
    # The box of a game's page leads to the page of the search.
    page = open_page(f"{address}/{urls.game('swtcg')}", java_script_enabled=False)
    page.fill("#q", "pilot")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{urls.SEARCH}?game=swtcg&q=pilot")
    assert "needs JavaScript" in page.inner_text("noscript")
    page.click("noscript a")
    assert page.inner_text("h1")
    page.goto(f"{address}/{urls.DECK}")
    expect(page.get_by_text("Paste a deck list and get")).to_be_hidden()
    expect(page.locator("noscript a").first).to_be_visible()
    page.goto(f"{address}/{urls.ruling('swtcg', 'hidden-cost')}")
    assert page.inner_text(".answer >> nth=0") and not page.is_visible(".acts")
    page.get_by_text("Propose a correction").click()
    expect(page.get_by_role("textbox", name="Propose a correction")).to_be_visible()


def test_a_citation_is_copied(address: str, open_page: Open) -> None:
    place = urls.ruling("swtcg", "hidden-cost")
    page = open_page(f"{address}/{place}", permissions=["clipboard-read", "clipboard-write"])
    page.click("button[data-copy] >> nth=0")
    copied = page.evaluate("navigator.clipboard.readText()")
    # The answer first, so that whoever reads it need not follow the link.
    verdict, answer = page.locator(".answer >> nth=0").locator("p").all_inner_texts()
    assert copied.startswith(f"> {verdict}. {answer[:30]}")
    assert "swtcg/hidden-cost" in copied and copied.endswith(f"/{place}")
