"""A real browser on pages whose every field is an attack: nothing runs, nothing is requested."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import ConsoleMessage, Page, Route

from tests.browser.conftest import Serve
from tests.security.hostile import VECTORS
from tests.selection import thorough

pytestmark = pytest.mark.browser_context_args(service_workers="allow")


@pytest.fixture
def watched(page: Page) -> Iterator[Page]:
    """A page that fails on a dialog, an error, or a request beyond the site's own files."""
    heard: list[str] = []

    def asked(route: Route) -> None:
        address = route.request.url
        if address.startswith(("file://", "http://127.0.0.1:", "data:image/svg+xml")):
            route.continue_()
        else:
            heard.append(f"request: {address}")
            route.abort()

    def say(said: ConsoleMessage) -> None:
        if said.type in ("error", "warning"):
            heard.append(f"console: {said.text}")

    page.context.route("**/*", asked)
    page.on("dialog", lambda dialog: (heard.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("pageerror", lambda error: heard.append(f"error: {error}"))
    page.on("console", say)
    page.on("popup", lambda other: heard.append(f"window: {other.url}"))
    yield page
    assert not heard, heard[:5]


# What an attack would leave in a page: handlers, and elements that no template or script adds.
STRANGE = """() => [...document.querySelectorAll("*")].filter((node) =>
    node.matches("iframe, object, embed, base, math, video, audio, template, applet, frame, marquee, x, custom-element")
    || (node.matches("script") && !node.src && !/json/.test(node.type))
    || (node.matches("script") && node.src && !new URL(node.src).pathname.match(/(static|search)\\/[\\w./-]+\\.js$|built\\.js$/))
    || (node.matches("style, link[rel=stylesheet]") && !/static\\/(kb|card|deck|figures)\\.css/.test(node.href || ""))
    || (node.matches("img") && !node.matches("header.site .brand > img[src$='static/icon.svg']"))
    || (node.matches("svg") && !node.closest("details.code"))
    || [...node.attributes].some((one) => /^on/i.test(one.name) || one.name === "srcdoc"
        || (one.name === "style" && !/^min-width: [\\d.]+px; min-height: [\\d.]+px;$/.test(one.value))
        || (/^(href|src|action|formaction|data|xlink:href)$/.test(one.name)
            && /^[\\s\\0]*(javascript|data|vbscript|file|blob):/i.test(one.value))))
  .map((node) => node.outerHTML.slice(0, 150))"""


def sound(page: Page) -> None:
    assert page.evaluate(STRANGE) == []


def answered(page: Page) -> None:
    page.wait_for_selector("#search[data-state=done], #search[data-state=idle]", state="attached")


# tests/security/test_pages.py parses all pages.
PLACES = "index glossary/index rulings/ruling-0/index rulings/ruling-6/index rulings/ruling-8/index"


def test_pages(watched: Page, evil: Path, serve: Serve) -> None:
    root, _ = serve(evil / "marked")
    for place in PLACES.split():
        watched.goto(f"{root}/evil/{place}.html")
        for button in watched.locator("button[data-copy]:visible").all():
            button.click()
        sound(watched)


def test_searching(watched: Page, evil: Path) -> None:
    watched.goto(f"{(evil / 'site').as_uri()}/search/index.html")
    words = "onerror slowo3 __proto__ constructor nick12 allert".split()
    queries = [*words, "onclick javascript", "svg onload", *VECTORS[:4], VECTORS[11]]
    for query in [*queries, "script alert"]:
        watched.fill("input[type=search]", query)
        watched.press("input[type=search]", "Enter")
        answered(watched)
        sound(watched)
    titles = set(watched.locator("#results h2 a").all_inner_texts())
    assert titles & {" ".join(one.split()) for one in VECTORS}
    watched.fill("input[type=search]", "")
    watched.wait_for_selector("#recent:not([hidden])")
    recent = watched.locator("#recent a").all_inner_texts()
    assert " ".join(VECTORS[11].split()) in [" ".join(one.split()) for one in recent]
    sound(watched)


@pytest.mark.parametrize("name", ["q", *thorough("topic", "game", "kind", "lang", "asof")])
def test_addresses_of_the_search_page(name: str, watched: Page, evil: Path, serve: Serve) -> None:
    address, _ = serve(evil / "site", 0)
    for vector in (VECTORS[8], "__proto__", "evil/constructor"):
        given = quote(vector)
        watched.goto(f"{address}/search/index.html?q=script&{name}={given}#{given}")
        answered(watched)
        sound(watched)
        assert "native code" not in watched.inner_text("body")


REMEMBERED = [
    *("{", "null", '"x"', "5", '{"length": 3}', '{"text": {}, "game": []}', "[null, 5, {}, []]"),
    json.dumps([VECTORS[0], 5, None, {"x": 1}, VECTORS[11]]),
    json.dumps([{"address": "//evil.example/", "title": VECTORS[0], "lang": "x", "key": 5}]),
]
KEYS = "recent since pins viewed deck lang theme slash".split()


@pytest.mark.parametrize("some", [slice(1, 2), *thorough(slice(None))], ids=["one", "all"])
def test_what_this_device_remembers_is_not_believed(
    some: slice, watched: Page, evil: Path, serve: Serve
) -> None:
    """Another site of the same origin may have written it."""
    address, _ = serve(evil / "site", 0)
    watched.set_default_timeout(15_000)
    keep = "([key, stored]) => localStorage.setItem(`kb.${key}`, stored)"
    for stored in REMEMBERED[some]:
        watched.goto(f"{address}/search/index.html")
        for key in KEYS:
            watched.evaluate(keep, [key, stored])
        watched.goto(f"{address}/search/index.html")
        answered(watched)
        sound(watched)
        for page in ("changes/", "", "deck/", "evil/rulings/ruling-0/", "offline/"):
            watched.goto(f"{address}/{page}index.html")
            watched.wait_for_function("!document.querySelector('#deck[data-state=busy]')")
            sound(watched)
            for button in watched.locator("#pin, #save:not([disabled])").all():
                button.click()
        assert watched.evaluate("JSON.parse(localStorage.getItem('kb.pins')).length") >= 1


def test_the_pack(watched: Page, evil: Path) -> None:
    watched.goto((evil / "pack.html").as_uri())
    for query in ("script alert", "onerror", VECTORS[0], VECTORS[8], "slowo3"):
        watched.fill("input[type=search]", query)
        watched.wait_for_selector("#found[data-state=done]")
        found = watched.evaluate(STRANGE)
        assert not [one for one in found if not one.startswith(("<script>", "<style>"))]
        assert watched.evaluate("document.scripts.length") == 7
