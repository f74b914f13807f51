"""axe-core finds nothing on any kind of page: light, dark, enlarged to 200 %.

What it cannot see is asserted here.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from kb.core import urls
from tests.browser.conftest import Open, violations
from tests.selection import thorough

KINDS = {
    "home": "index.html",
    "game": "swtcg/index.html",
    "ruling": urls.ruling("swtcg", "overkill-text"),
    "translator": urls.ruling("swtcg", "reserves"),
    "states": urls.ruling("babylon5", "heal"),
    "table of a diagram": "pl/" + urls.ruling("swtcg", "contest-example"),
    "topic": urls.topic("swtcg", "build-zone"),
    "rulings": urls.index("swtcg", "rulings"),
    "cards": urls.cards("swtcg"),
    "card": urls.card("swtcg", "darth-sidious"),
    "source": urls.source("swtcg", "swtcg-clarifications"),
    "glossary": urls.glossary("berserk"),
    "glossaries": urls.GLOSSARY,
    "errata": urls.ERRATA,
    "offline": urls.OFFLINE,
    "changes": urls.CHANGES,
    "translations": urls.TRANSLATIONS,
    "search": f"{urls.SEARCH}?q=pilot",
    "nothing": f"{urls.SEARCH}?q=xyzzyqwv",
    "not found": urls.NOT_FOUND,
    "polish": "pl/" + urls.ruling("swtcg", "hidden-cost"),
    "russian": "ru/" + urls.game("berserk"),
}


@pytest.mark.parametrize(
    ("kinds", "scheme", "zoom"),
    [
        (("home", "ruling", "search"), "light", 1),
        *thorough(*((tuple(KINDS), scheme, zoom) for scheme, zoom in (("dark", 1), ("light", 2)))),
    ],
    ids=lambda value: f"{len(value)} pages" if isinstance(value, tuple) else str(value),
)
def test_axe_finds_nothing(
    kinds: tuple[str, ...], scheme: str, zoom: int, address: str, real_base: Path, browser: Browser
) -> None:
    size = {"width": 1280 // zoom, "height": 900 // zoom}
    context = browser.new_context(
        service_workers="block", color_scheme=scheme, viewport=size, device_scale_factor=zoom
    )  # type: ignore[arg-type]
    page, found = context.new_page(), []
    for kind in kinds:
        place = KINDS[kind]
        assert (real_base / "site" / place.partition("?")[0].partition("#")[0]).is_file(), place
        page.goto(f"{address}/{place}")
        if "?q=" in place:
            page.wait_for_selector("#search[data-state=done]")
        # The open list under the box is part of a page.
        elif kind in ("home", "ruling"):
            page.fill("#q", "pilot")
            page.wait_for_selector(".popup:not([hidden]) [data-ruling]")
        found += [(kind, *wrong) for wrong in violations(page)]
    context.close()
    assert not found


def test_focus_is_visible_everywhere(address: str, sound: Page) -> None:
    sound.goto(f"{address}/{KINDS['ruling']}")
    for _ in range(12):
        sound.keyboard.press("Tab")
        style = "(({ outlineStyle, outlineWidth }) => [outlineStyle, parseFloat(outlineWidth)])"
        line, width = sound.evaluate(f"{style}(getComputedStyle(document.activeElement))")
        assert line != "none" and width >= 2


@pytest.mark.thorough
def test_movement_is_left_out_when_it_is_not_wanted(address: str, open_page: Open) -> None:
    page = open_page(f"{address}/index.html", reduced_motion="reduce")
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_a_ruling_page_weighs_at_most_30_kb(real_base: Path) -> None:
    style = len(gzip.compress((real_base / "site" / "static" / "kb.css").read_bytes(), 6))
    pages = (real_base / "site").glob("**/rulings/*/index.html")
    weight = style + max(len(gzip.compress(path.read_bytes(), 6)) for path in pages)
    print(f"\nHTML and CSS of the heaviest ruling page: {weight / 1024:.1f} KB gzip")
    assert weight <= 30 * 1024
