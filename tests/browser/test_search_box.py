"""The search box of every page: it answers while one types, by mouse and keyboard, in groups."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from kb.core import urls
from tests.browser.conftest import PHONE, Open
from tests.browser.test_questions import ask
from tests.selection import thorough

POPUP = ".popup:not([hidden])"


def option(page: Page, group: str) -> Locator:
    """The first option of a group."""
    return page.locator(f"{POPUP} [data-group={group}] [role=option]").first


def test_the_keys_of_other_layouts(address: str, sound: Page) -> None:
    sound.goto(f"{address}/{urls.HOME}")
    press = "event => document.body.dispatchEvent(new KeyboardEvent('keydown', event))"
    for pressed, is_in_box in (
        # A Russian, a Greek and a Dvorak layout.
        ({"key": "л", "code": "KeyK", "ctrlKey": True}, True),
        ({"key": "Л", "code": "KeyK", "metaKey": True}, True),
        ({"key": "κ", "code": "KeyK", "ctrlKey": True}, True),
        ({"key": "k", "code": "KeyV", "ctrlKey": True}, True),
        ({"key": "t", "code": "KeyK", "ctrlKey": True}, False),
        ({"key": "л", "code": "KeyK"}, False),
        ({"key": ".", "code": "Slash"}, True),
        ({"key": ".", "code": "Period"}, False),
        ({"key": "-", "code": "Slash"}, False),
    ):
        sound.evaluate("document.activeElement.blur()")
        sound.evaluate(press, {**pressed, "bubbles": True})
        assert (sound.evaluate("document.activeElement.id") == "q") is is_in_box, pressed
    sound.focus("#q")
    sound.keyboard.type("a.")
    expect(sound.locator("#q")).to_have_value("a.")


# What Back does on Android, of which a desktop's browser has only the request.
BACK = """
const Watcher = CloseWatcher;
CloseWatcher = class extends Watcher { constructor() { super(); window.back = this; } };
"""


def test_back_closes_what_is_open_on_a_phone(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.HOME}", viewport=PHONE, locale="en-GB")
    page.add_init_script(BACK)
    page.goto(f"{address}/{urls.HOME}")
    ask(page, "stack")
    page.evaluate("back.requestClose()")
    expect(page.locator(".popup")).to_be_hidden()
    page.goto(f"{address}/{urls.SEARCH}?q=stack")
    page.click("#facets > summary")
    expect(page.locator("#facets .sheet")).to_be_visible()
    page.evaluate("back.requestClose()")
    expect(page.locator("#facets .sheet")).to_be_hidden()


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
    # The header's box of a game's page asks of that game, until all are asked for.
    sound.keyboard.press("/")
    expect(sound.locator("#q")).to_be_focused()
    sound.keyboard.type("113.5")
    expect(sound.locator(f"{POPUP} [data-group=nothing]")).to_have_text(
        "Nothing found.“113.5”: in Berserk, not in Star Wars TCGAsk for a ruling on this"
    )
    sound.fill("#q", "xyzzyqwv")
    expect(sound.locator(f"{POPUP} [data-group=nothing]")).to_have_text(
        "Nothing found.Ask for a ruling on this"
    )
    sound.fill("#q", "overkill -overkill")
    expect(sound.locator(f"{POPUP} [data-group=excluded]")).to_contain_text("after a minus")
    sound.fill("#q", "113.5")
    sound.get_by_role("button", name="All games").click()
    expect(option(sound, "numbers")).to_contain_text("113.5")
    sound.fill("#q", "trigger condition")
    expect(option(sound, "terms")).to_be_visible()
    sound.keyboard.press("Enter")
    sound.wait_for_url(f"**/{urls.SEARCH}?q=trigger+condition")
    sound.goto(f"{address}/{urls.ERRATA}")
    sound.focus("#q")
    expect(option(sound, "recent")).to_have_text("trigger condition")


@pytest.mark.parametrize("written", ["{key}", "{key}/", "{address}/pl/{game}/rulings/{id}/"])
def test_an_id_as_it_is_printed_leads_to_its_ruling(
    written: str, address: str, sound: Page
) -> None:
    # Its words alone lead to another ruling.
    game, ruling_id = "swtcg", "contest-result"
    key = f"{game}/{ruling_id}"
    sound.goto(f"{address}/{urls.game('babylon5')}")
    sound.fill("#q", written.format(key=key, address=address, game=game, id=ruling_id))
    first = sound.locator(f"{POPUP} [role=option]").first
    expect(first).to_have_attribute("data-ruling", key)


def test_the_term_that_is_typed_stands_first(address: str, sound: Page) -> None:
    """Before another whose second name, attachment, begins like it; part of a term below rulings."""
    sound.goto(f"{address}/{urls.game('babylon5')}")
    for query in ("attack", "attac"):
        ask(sound, query)
        expect(option(sound, "terms").locator("b").first).to_have_text("attack")
    sound.goto(f"{address}/{urls.game('berserk')}")
    for query, is_term in (("strength", False), ("attack strength", True)):
        ask(sound, query)
        expect(option(sound, "terms").locator("b")).to_have_text("strength of an attack")
        term, ruling = (
            option(sound, "terms").bounding_box(),
            option(sound, "rulings").bounding_box(),
        )
        assert term and ruling and (term["y"] < ruling["y"]) is is_term


def test_what_the_game_read_last_lacks_is_found_in_the_game_that_has_it(
    address: str, sound: Page
) -> None:
    sound.goto(f"{address}/{urls.ruling('babylon5', 'attack')}")
    sound.goto(f"{address}/{urls.HOME}")
    ask(sound, "Darth Vader")
    way = option(sound, "nothing")
    label = "“Darth Vader”: in Star Wars TCG, not in Babylon 5 CCG"
    expect(way).to_have_text(label)
    sound.keyboard.press("Enter")
    sound.wait_for_url("**game=babylon5**")
    # The page of results leads there too.
    expect(sound.locator("#said")).to_have_text(label)
    expect(sound.get_by_text("Search without the filters")).to_have_count(0)
    sound.click("#said a")
    expect(sound.locator("#results > li").first).to_have_attribute("data-game", "swtcg")
    expect(sound.locator("#chips .chip")).to_have_text("Star Wars TCG×")
    # From the box at once.
    sound.goto(f"{address}/{urls.HOME}")
    ask(sound, "Darth Vader")
    sound.keyboard.press("ArrowDown")
    sound.keyboard.press("Enter")
    sound.wait_for_url("**?q=Darth+Vader&game=swtcg")


def test_a_word_of_another_game_leads_there_before_what_is_near(address: str, sound: Page) -> None:
    """`neutral` in a game that has no `neutralized` is no answer to it."""
    sound.goto(f"{address}/{urls.game('swtcg')}")
    ask(sound, "neutralized")
    way = sound.locator(f"{POPUP} [role=option]").first
    label = "“neutralized”: in Babylon 5 CCG, not in Star Wars TCG"
    expect(way).to_have_text(label)
    expect(option(sound, "rulings")).to_be_visible()
    sound.keyboard.press("Enter")
    sound.wait_for_selector("#search[data-state=done]")
    expect(sound.locator("#results > li").first).to_have_attribute("data-game", "swtcg")
    expect(sound.locator("#said")).to_have_text(re.compile(f"^{label}Closest rulings · "))
    sound.click("#said a")
    expect(sound.locator("#results > li").first).to_have_attribute("data-game", "babylon5")
    # The game's own words, in any form, are answered by the game alone.
    sound.goto(f"{address}/{urls.SEARCH}?game=swtcg")
    for query in ("pilot", "mulligans"):
        ask(sound, query)
        expect(sound.locator("#results > li").first).to_have_attribute("data-game", "swtcg")
        expect(sound.locator("#said a")).to_have_count(0)
    # Of a word with another ending nobody says that the game lacks it.
    ask(sound, "rotating")
    expect(sound.locator("#said a")).to_have_text(re.compile(r"^All games · \d+ rulings$"))


def test_from_files_and_in_other_languages(real_base: Path, sound: Page) -> None:
    place = f"pl/{urls.topic('swtcg', 'build-zone')}"
    sound.goto((real_base / "site" / place).as_uri())
    sound.focus("#q")
    sound.keyboard.type("overkil")
    expect(option(sound, "rulings")).to_contain_text("Overkill: podział trafień")
    option(sound, "rulings").click()
    sound.wait_for_selector("article.ruling")
    assert sound.url.endswith(f"/pl/{urls.ruling('swtcg', 'overkill-text')}")


KEYBOARD_OPEN = {"width": 390, "height": 500}


@pytest.mark.parametrize(
    ("place", "query", "ruling"),
    [
        (urls.game("swtcg"), "can a pilot board a tapped unit", ""),
        *thorough((urls.localized(urls.HOME, "ru"), "мститель невтида", "berserk/113-2-example")),
    ],
)
def test_beside_a_phones_keyboard_the_first_answer_is_seen_whole(
    place: str, query: str, ruling: str, address: str, sound: Page
) -> None:
    sound.set_viewport_size(KEYBOARD_OPEN)  # type: ignore[arg-type]
    sound.goto(f"{address}/{place}")
    sound.locator("#q").click()
    ask(sound, query)
    first = sound.locator(f"{POPUP} [data-ruling]").first
    if ruling:
        expect(first).to_have_attribute("data-ruling", ruling)
    answer = first.locator(".answered").first
    expect(answer).to_be_in_viewport(ratio=1)
    assert answer.evaluate("node => node.scrollHeight === node.clientHeight")
    field = sound.locator("#q").bounding_box()
    assert field and field["y"] < 40 and field["width"] > 290


def test_a_phone_searches_from_the_middle_of_a_page(address: str, open_page: Open) -> None:
    place = urls.ruling("swtcg", "activated-general")
    page = open_page(f"{address}/{place}", viewport=PHONE, has_touch=True, locale="en-GB")
    page.evaluate("scrollTo({top: 900, behavior: 'instant'})")
    expect(page.locator("#q")).to_be_in_viewport(ratio=1)
    page.tap("#q")
    ask(page, "overkill")
    expect(page.locator(f"{POPUP} [data-ruling]").first).to_be_in_viewport(ratio=1)
    # Typing leaves the page where it was read.
    assert page.evaluate("scrollY") > 850


def test_the_sentence_that_decides_stands_first(address: str, sound: Page) -> None:
    query = "može narn útočiť v minbarskom konflikte"
    sound.goto(f"{address}/{urls.localized(urls.HOME, 'sk')}")
    sound.fill("#q", query)
    # Nobody is told that nothing was found above a ruling far ahead of the others.
    answers = option(sound, "rulings").locator(".answered")
    expect(answers.first).to_contain_text("nijaký Narn nesmie zaútočiť")
    expect(answers.last).to_contain_text("Útočí sa tou istou schopnosťou")
    sound.keyboard.press("Enter")
    sound.wait_for_selector("#search[data-state=done]")
    expect(sound.locator("#said")).to_have_text(re.compile("^(Odpoveď|Najbližšie rozhodnutia)"))
    shown = sound.locator("#results li").first.locator("p")
    expect(shown.first).to_contain_text("nijaký Narn nesmie zaútočiť")
    expect(shown.nth(1)).to_contain_text("Útočí sa tou istou schopnosťou")
    # The page that it leads to is scrolled to the sentence.
    sound.set_viewport_size({"width": 390, "height": 400})
    sound.locator("#results h2 a").first.click()
    expect(sound.locator("#text-sk li", has_text="nijaký Narn nesmie")).to_be_in_viewport()
    assert sound.evaluate("scrollY") > 0


@pytest.mark.parametrize("width", [390, *thorough(1366)])
def test_a_sure_answer_is_whole_and_two_titles_follow(
    width: int, address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.HOME}", viewport={"width": width, "height": 844})
    ask(page, "cost of sponsoring a character of another race")
    expect(page.locator(f"{POPUP} .label").first).to_have_text("Answer")
    answer = option(page, "rulings").locator(".answered")
    expect(answer).to_contain_text("is not increased.")
    expect(answer).to_be_in_viewport(ratio=1)
    rulings = page.locator(f"{POPUP} [data-ruling]")
    expect(rulings).to_have_count(3)
    for at in (1, 2):
        expect(rulings.nth(at)).to_be_in_viewport(ratio=1)
        expect(rulings.nth(at).locator(".answered")).to_have_count(0)
        assert rulings.nth(at).bounding_box()["height"] < 50  # type: ignore[index]
    expect(page.get_by_text("Show all results")).to_be_in_viewport(ratio=1)
    # Without a sure answer each has its text.
    ask(page, "pilot")
    expect(rulings).to_have_count(5)
    expect(rulings.nth(4).locator(".answered")).to_be_visible()


def test_a_box_that_cannot_be_loaded_says_so_and_tries_again(address: str, page: Page) -> None:
    page.route("**/search-box.js*", lambda route: route.abort())
    page.goto(f"{address}/{urls.game('swtcg')}")
    page.locator("#q").focus()
    expect(page.get_by_text("The search could not be loaded.")).to_be_visible()
    # Without a network, reloading the page would not help.
    page.locator("#q").blur()
    page.context.set_offline(True)
    page.focus("#q")
    expect(page.get_by_text("You are offline, and the search is not on")).to_be_visible()
    page.context.set_offline(False)
    page.locator("#q").blur()
    expect(page.locator(".popup")).to_have_count(0)
    page.unroute_all()
    page.locator("#q").press_sequentially("overkill")
    expect(page.get_by_role("option").first).to_be_visible()


def test_a_small_base_is_searched_with_few_requests(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.HOME}", locale="en-GB")
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.click("#q")
    page.keyboard.type("can equipment stay on a pilot", delay=20)
    expect(page.locator(".popup [data-ruling]").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    # Of some 210 files; before, all were loaded ahead: 361 requests.
    assert 5 < len(asked) <= 55


def test_an_answer_is_cut_by_more_than_a_line_or_not_at_all(address: str, sound: Page) -> None:
    sound.goto(f"{address}/{urls.HOME}")
    for query in ("pilot", "113"):
        ask(sound, query)
        hidden = sound.locator(".answered").evaluate_all(
            "nodes => nodes.map((node) => (node.scrollHeight - node.clientHeight)"
            " / parseFloat(getComputedStyle(node).lineHeight))"
        )
        assert hidden and not [part for part in hidden if 0.1 < part < 1.4]
