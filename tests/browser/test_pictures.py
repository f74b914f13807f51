"""Pictures of cards from another site: `picture` in game.yaml."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from kb.core import urls
from kb.pipeline.build import SiteOptions, build
from tests.browser.conftest import Serve
from tests.conftest import paths_of

CARD, SITE = urls.card("demo", "anakin-skywalker"), "https://cards.example.org"
# One red pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
)


@pytest.fixture
def pictured(records: Path, serve: Serve) -> str:
    """The address of a site of which a game has pictures elsewhere."""
    with (records / "demo" / "game.yaml").open("a", encoding="utf-8") as file:
        file.write(f'picture: "{SITE}/{{slug}}.png"\n')
    folder = records.parent
    build(paths_of(folder), folder / "site", site=SiteOptions(interfaces=("en",)))
    return serve(folder / "site")[0]


def test_a_picture_lies_over_the_drawn_card_and_nothing_moves(pictured: str, page: Page) -> None:
    asked: list[str] = []
    drawings, places = [], []

    def answer(route: Route) -> None:
        asked.append(route.request.url)
        if len(asked) > 1:
            route.abort()
        else:
            route.fulfill(body=PIXEL, content_type="image/png")

    page.route(f"{SITE}/**", answer)
    # With the picture, without it.
    for count in (1, 0):
        page.goto(f"{pictured}/{CARD}", wait_until="networkidle")
        expect(page.locator(".face img")).to_have_count(count)
        face = page.locator(".face")
        places.append(face.bounding_box())
        drawings.append(face.screenshot())
    assert drawings[0] != drawings[1] and places[0] == places[1]
    assert asked == [f"{SITE}/anakin-skywalker.png"] * 2
    # Lists ask for none.
    for place in (urls.cards("demo"), urls.game("demo"), urls.ruling("demo", "one-pilot")):
        page.goto(f"{pictured}/{place}", wait_until="networkidle")
    assert len(asked) == 2


def test_the_panel_of_a_card_has_its_picture(pictured: str, page: Page) -> None:
    page.route(f"{SITE}/**", lambda route: route.fulfill(body=PIXEL, content_type="image/png"))
    page.goto(f"{pictured}/{urls.ruling('demo', 'one-pilot')}")
    page.locator("a.card").first.hover()
    picture = page.locator(".panel img")
    expect(picture).to_be_in_viewport(ratio=1)
    assert picture.evaluate("node => node.naturalWidth") == 1


def test_only_pages_of_the_game_may_load_from_the_site(pictured: str, page: Page) -> None:
    load = """(address) => new Promise((done) => {
      const picture = new Image();
      picture.onload = () => done(true);
      picture.onerror = () => done(false);
      picture.src = address;
    })"""
    page.route("https://*/**", lambda route: route.fulfill(body=PIXEL, content_type="image/png"))
    for place, site, may_load in (
        (CARD, SITE, True),
        (CARD, "https://other.example.org", False),
        (urls.HOME, SITE, False),
    ):
        page.goto(f"{pictured}/{place}")
        assert page.evaluate(load, f"{site}/x.png") is may_load
