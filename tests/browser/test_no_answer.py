"""What a reader is told where there is no answer: what happened, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, Route, expect

from kb.core import urls
from tests.browser.conftest import PHONE, Open

INDEX = "**/static/search/**"
FAILED = (
    "The search could not be loaded. Reload the page; a newer edition may have taken its place."
)


def test_why_nothing_is_found(address: str, sound: Page) -> None:
    sound.set_viewport_size(PHONE)  # type: ignore[arg-type]

    def is_seen(said: str) -> None:
        message = sound.locator("#said")
        expect(message).to_have_text(said)
        expect(message).to_be_in_viewport(ratio=1)
        assert sound.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        # A way on is seen, too.
        expect(sound.locator("#ways").locator("a, button").first).to_be_in_viewport(ratio=1)

    for query, said in (
        ("q=pilot&game=nothing", "No ruling has “game:nothing”."),
        ("game=berserk&kind=errata", "No ruling passes all of these filters."),
        ("q=pilot before:abc", "No ruling has “before:abc”."),
    ):
        sound.goto(f"{address}/{urls.SEARCH}?{quote(query, safe='=&')}")
        is_seen(said)
    for query, said in (
        ("kind:foo pilot", "No ruling has “kind:foo”."),
        ("??? !!", "Type a question, a card’s name or a rule’s number."),
        ("a" * 500, "Nothing found for “" + "a" * 60 + "…”"),
    ):
        sound.fill("#q", query)
        is_seen(said)


def test_a_word_that_no_ruling_has_is_named_and_denies_nothing(address: str, sound: Page) -> None:
    said = "Not in these rulings: “xylophone”."
    sound.goto(f"{address}/{urls.SEARCH}?q=one+pilot+xylophone")
    expect(sound.locator("#said")).to_contain_text(f"{said}Closest rulings")
    # Below rulings that are no answer one can ask for one.
    ask, last = sound.get_by_text("Ask for a ruling on this"), sound.locator("#results > li").last
    expect(ask).to_be_visible()
    assert ask.bounding_box()["y"] > last.bounding_box()["y"]  # type: ignore[index]
    sound.fill("#q", "does the loser of a contest pay the Force bid")
    expect(sound.locator("#said")).to_contain_text("Answer")
    expect(ask).to_be_hidden()
    sound.goto(f"{address}/{urls.HOME}")
    sound.fill("#q", "one pilot xylophone ")
    expect(sound.locator(".popup")).to_contain_text(f"{said} Closest rulings")
    # A long word with one wrong letter is a slip: объявить.
    sound.goto(f"{address}/{urls.localized(urls.SEARCH, 'ru')}?q=забыл+обьявить+срабатывание")
    expect(sound.locator("#said")).to_have_text(re.compile("^Наиболее близкие"))
    sound.goto(f"{address}/{urls.SEARCH}?q=113.5")
    expect(sound.locator("#said")).to_contain_text("Rule numbers")


def give_404(route: Route) -> None:
    route.fulfill(status=404, body="")


def keep_silent(route: Route) -> None:
    """Never answer, as a network that hangs."""


@pytest.mark.parametrize(
    ("answer", "said"), [(give_404, FAILED), (keep_silent, "The search is still loading…")]
)
def test_an_index_that_does_not_come_is_said_in_the_page_and_in_the_box(
    answer: Callable[[Route], None], said: str, address: str, open_page: Open
) -> None:
    page = open_page(f"{address}/{urls.HOME}", viewport=PHONE, locale="en-GB")
    page.route(INDEX, answer)
    page.fill("#q", "overkill")
    popup = page.locator(".popup")
    expect(popup).to_contain_text(said)
    popup.get_by_text("Try again").click(no_wait_after=True)
    expect(page.locator("#said")).to_have_text(said)
    expect(page.locator("#q")).to_have_value("overkill")
    if answer is keep_silent:
        return
    page.unroute_all()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#results > [data-ruling]").first).to_be_visible()
    expect(page.locator("#said")).to_contain_text("rulings")


def test_without_a_network_and_without_the_index(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/{urls.SEARCH}", viewport=PHONE, locale="en-GB")
    page.wait_for_selector("#search[data-state=idle]")
    page.route(INDEX, lambda route: route.abort())
    page.context.set_offline(True)
    page.fill("#q", "overkill")
    expect(page.locator("#said")).to_have_text(
        "You are offline, and the search is not on this device."
    )
    page.unroute_all()
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#results > [data-ruling]").first).to_be_visible()


@pytest.mark.parametrize("script", ["search-client", "search-words"])
def test_a_script_that_does_not_come_is_said(script: str, address: str, page: Page) -> None:
    page.route(f"**/{script}*", lambda route: route.abort())
    page.goto(f"{address}/{urls.SEARCH}?q=overkill")
    expect(page.locator("#said")).to_have_text(FAILED)
    expect(page.locator("#q")).to_have_value("overkill")


def test_a_card_whose_data_do_not_come(address: str, page: Page) -> None:
    page.route(INDEX, lambda route: route.abort())
    page.goto(f"{address}/{urls.GO}?game=swtcg&card=Nobody")
    expect(page.locator("#said")).to_have_text(
        "The rulings could not be loaded. Reload the page; a newer edition may have taken its place."
    )
    expect(page.locator("main").get_by_role("link", name="Search")).to_be_visible()
