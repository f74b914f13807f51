"""Offline use in a real browser.

What was stored works without the server, and an update never breaks what worked.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Mount
from starlette.types import Message, Receive, Scope, Send

from kb.core import urls
from kb.pipeline.build import build
from tests.browser.conftest import Serve, look_up
from tests.conftest import paths_of
from tests.serving import site as site_app

READY = "#state[data-state=ready]"
NEWER = "The newer answer."
pytestmark = pytest.mark.browser_context_args(service_workers="allow")


@pytest.fixture
def site(records: Path) -> Path:
    """A site that a test may change."""
    return records.parent / "site"


def renew(site: Path) -> None:
    """Build a site again, with another answer."""
    paths = paths_of(site.parent)
    record = paths.rulings / "demo" / "pilots" / "one-pilot.md"
    head, mark, _ = record.read_text(encoding="utf-8").partition("# en:")
    record.write_text(f"{head}{mark} One pilot\n\n{NEWER}\n", encoding="utf-8")
    build(paths, site)


def download(page: Page, state: str = "ready") -> None:
    """Press the button of the page on offline use, and wait for what it says."""
    # The download may end before "busy" is seen, so the old state goes first.
    page.evaluate("delete document.getElementById('state').dataset.state")
    page.click("#offline button >> nth=0")
    page.wait_for_selector(f"#state[data-state={state}]", timeout=60_000)


def take(page: Page, address: str) -> None:
    page.goto(f"{address}/{urls.OFFLINE}")
    download(page)


def wait_for_visited(page: Page, *addresses: str) -> None:
    """Wait until the worker has stored some addresses, which may be relative to the page's.

    `wait_for_function` does not wait for a promise: it takes it for true.
    """
    page.evaluate(
        """async (addresses) => {
            const end = Date.now() + 60000;
            for (const address of addresses)
                while (!(await caches.match(new URL(address, location)))) {
                    if (Date.now() > end) throw new Error("not stored: " + address);
                    await new Promise((resolve) => setTimeout(resolve, 20));
                }
        }""",
        list(addresses),
    )


@pytest.mark.thorough
def test_pages_and_search_without_a_server(real_base: Path, serve: Serve, page: Page) -> None:
    address, stop = serve(real_base / "site", 0)
    page.goto(f"{address}/{urls.OFFLINE}")
    page.uncheck("input[value=berserk]")
    download(page)
    date = json.loads((real_base / "site" / "build.json").read_text(encoding="utf-8"))["date"]
    said = page.inner_text("#state")
    assert "Ready for offline use, as of" in said and date[:4] in said
    # What is stored is named, and needs no download until something else is chosen.
    assert said.endswith(": Babylon 5 CCG, Star Wars TCG, English")
    sizes = [float(text.split()[0]) for text in page.locator("[data-size]").all_inner_texts()]
    button = page.get_by_role("button", name="Download")
    expect(button).to_be_hidden()
    page.check("input[value=berserk]")
    shown = re.search(r"[\d.]+ MB", button.inner_text())
    assert shown and float(shown[0][:-3]) == pytest.approx(sum(sizes))
    page.uncheck("input[value=berserk]")
    stop()
    assert "swtcg/build-zone-pilot" in look_up(page, address, "pilotów w strefie budowy")[:3]
    assert "berserk/113-2-example" in look_up(page, address, "невтидой")[:3]
    page.goto(f"{address}/swtcg/rulings/hidden-cost/")
    assert page.inner_text(".answer >> nth=0")
    page.goto(f"{address}/swtcg/rulings/darth-sidious-reroll/")
    page.hover(".answer a.card >> nth=0")
    expect(page.locator(".panel .name")).to_contain_text("Darth Sidious")
    # A game that was not taken in: the page on offline use instead of the browser's error.
    page.goto(f"{address}/berserk/")
    assert page.query_selector("#offline")
    # A page in another language: the ruling is drawn from the search in that language, with its
    # verdict, and links to its game and to the page that is stored. It loads the data of few rulings.
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/pl/swtcg/rulings/stack-max/")
    expect(page.locator("h1")).to_have_text("Ile kart może liczyć stack?")
    assert len([url for url in asked if re.search(r"/x\d+\.js$", url)]) == 1
    expect(page.locator("h1 ~ .answer .verdict")).to_have_text("4")
    expect(page.locator(".crumbs a").last).to_have_text("Star Wars TCG")
    page.click("article .notice a")
    expect(page.locator("h1")).to_have_text("How many cards may a stack have?")


def test_visited_pages_stay_without_asking(small_base: Path, serve: Serve, page: Page) -> None:
    address, stop = serve(small_base / "site", 0)
    place = f"{address}/pl/{urls.ruling('demo', 'one-pilot')}"
    page.goto(place)
    wait_for_visited(page, place, f"{address}/pl/{urls.OFFLINE}")
    # Who goes on reading has the search too.
    page.reload()
    wait_for_visited(page, f"{address}/static/search-core.js", f"{address}/pl/{urls.SEARCH}")
    # Nothing chosen, nothing to download.
    page.goto(f"{address}/pl/{urls.OFFLINE}")
    expect(page.locator("#offline button").first).to_be_enabled()
    page.uncheck("[name=game]")
    expect(page.locator("#offline button").first).to_be_disabled()
    stop()
    assert "demo/one-pilot" in look_up(page, f"{address}/pl", "pilotami")
    page.goto(place.removesuffix("index.html"))
    assert page.inner_text("h1") == "Jeden pilot na jednostce"
    expect(page.locator(".answer").first).not_to_have_css("border-left-width", "0px")
    # What was not visited: the page on offline use names it.
    page.goto(f"{address}/pl/{urls.game('demo')}")
    expect(page.locator("#notice.missing")).to_contain_text("/pl/demo/")
    expect(page.locator("#offline button").first).to_be_disabled()
    assert page.url.startswith(f"{address}/pl/{urls.OFFLINE}")
    viewed = page.locator("[data-list='kb.viewed'] a")
    assert viewed.all_inner_texts() == [" Jeden pilot na jednostce"]
    # The page is of no game: each ruling has the mark of its own.
    expect(viewed.locator(".glyph")).to_be_visible()
    # A ruling is drawn from the search, which has its titles, texts and standing.
    page.goto(f"{address}/pl/{urls.ruling('demo', 'example')}")
    expect(page.locator("h1")).to_have_text("Przykład: dwóch pilotów i jeden statek")
    expect(page.locator(".answer").first).to_be_visible()
    expect(page.locator(".standing")).to_contain_text("nieoficjalne")
    expect(page.locator(".notice.missing:visible")).to_contain_text("bez źródła")
    # So it is at its former address, and in a language of which no page was visited.
    page.goto(f"{address}/pl/{urls.ruling('demo', 'single-pilot')}")
    expect(page.locator("h1")).to_have_text("Jeden pilot na jednostce")
    page.goto(f"{address}/{urls.ruling('demo', 'example')}")
    expect(page.locator("h1")).to_have_text("Example: two pilots and one ship")
    page.goto(f"{address}/pl/{urls.ruling('demo', 'example')}")
    # How it stands depends on the day, as on its page.
    page.clock.set_fixed_time(datetime(1990, 1, 1))
    page.reload()
    expect(page.locator(".standing")).to_contain_text("Jeszcze nie obowiązuje")


def test_who_has_searched_on_the_first_page_can_search_on(
    small_base: Path, serve: Serve, page: Page
) -> None:
    address, stop = serve(small_base / "site", 0)
    page.goto(f"{address}/{urls.ruling('demo', 'one-pilot')}")
    box = page.get_by_role("combobox").or_(page.get_by_role("searchbox")).first
    box.press_sequentially("unit")
    wait_for_visited(page, f"{address}/static/search-core.js", f"{address}/{urls.SEARCH}")
    stop()
    assert "demo/example" in look_up(page, address, "one ship")


def test_a_visited_page_is_shown_while_the_server_is_out_of_order(
    small_base: Path, serve: Serve, page: Page
) -> None:
    address, stop = serve(small_base / "site", 0)
    place = f"{address}/{urls.ruling('demo', 'one-pilot')}"
    page.goto(place)
    script = page.evaluate("window.KB_BUILT.downloads")
    wait_for_visited(page, place, f"{address}/{urls.OFFLINE}", f"{address}/{script}")
    stop()
    # After a single page, too, the page on offline use says what is missing.
    page.goto(f"{address}/{urls.game('demo')}")
    expect(page.locator("#notice.missing")).to_contain_text("/demo/")
    failing = Starlette(routes=[Mount("/", PlainTextResponse("Bad gateway", 502))])
    serve(failing, int(address.rpartition(":")[2]))
    # By its other address, since the browser itself holds this one for a minute.
    assert page.goto(place.removesuffix("index.html")).status == 200
    assert page.inner_text("h1") == "One pilot per unit"
    # What was not visited cannot be shown: the server's answer says why.
    assert page.goto(f"{address}/{urls.game('demo')}").status == 502


def test_a_bucket_of_the_search_is_stored_whole_and_not_asked_for_again(
    small_base: Path, serve: Serve, page: Page
) -> None:
    files = site_app(small_base / "site")
    asked: list[str] = []
    sign_in = HTMLResponse("Please sign in to this network.", headers={"cache-control": "no-cache"})
    is_signed_in = False

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_uncached(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = [one for one in message["headers"] if one[0] != b"cache-control"]
                message = {**message, "headers": [*headers, (b"cache-control", b"no-cache")]}
            await send(message)

        is_bucket = re.search(r"/search/\w+/[a-z]\d+\.js$", scope.get("path", "")) is not None
        if is_bucket:
            asked.append(scope["path"])
        answering = sign_in if is_bucket and not is_signed_in else files
        await answering(scope, receive, send_uncached)

    address, _ = serve(answer)
    page.goto(f"{address}/{urls.OFFLINE}")
    page.evaluate("navigator.serviceWorker.ready")
    page.goto(f"{address}/{urls.SEARCH}?q=pilot")
    page.wait_for_selector("#search[data-state=failed]")
    assert asked
    is_signed_in = True
    asked.clear()
    assert look_up(page, address, "pilot")
    wait_for_visited(page, *asked)
    asked.clear()
    assert look_up(page, address, "pilot")
    assert asked == []


def test_a_game_is_saved_where_one_stands_in_several_languages_and_removed(
    small_base: Path, serve: Serve, page: Page
) -> None:
    address, stop = serve(small_base / "site", 0)
    page.goto(f"{address}/{urls.game('demo')}")
    expect(page.locator(".offer .count")).to_contain_text("MB")
    page.click(".offer button")
    page.wait_for_selector(".offer " + READY.removeprefix("#state"), timeout=60_000)
    assert page.is_hidden(".offer button")
    # Another language of the pages, by the page on offline use.
    page.goto(f"{address}/{urls.OFFLINE}")
    page.wait_for_selector(READY)
    page.check("[name=language][value=pl]")
    download(page)
    stop()
    for lang, title in (("pl", "Jeden pilot"), ("en", "One pilot")):
        page.goto(f"{address}/{urls.localized(urls.ruling('demo', 'one-pilot'), lang)}")
        assert page.inner_text("h1").startswith(title)
    assert "demo/one-pilot" in look_up(page, address, "pilotami")
    # What was taken in can be removed.
    page.goto(f"{address}/{urls.OFFLINE}")
    page.click("#drop")
    page.wait_for_selector("#state[data-state=removed]")
    assert not [name for name in page.evaluate("caches.keys()") if name.startswith("kb-build-")]


def test_a_newer_build_is_taken_in_and_offered(site: Path, serve: Serve, page: Page) -> None:
    address, stop = serve(site, 0)
    take(page, address)
    renew(site)
    here = f"{address}/{urls.ruling('demo', 'one-pilot')}"
    page.goto(here)
    assert NEWER not in page.inner_text("article")
    expect(page.locator("#notice")).to_contain_text("A newer edition is available.", timeout=30_000)
    page.click("#notice a")
    expect(page.locator("article")).to_contain_text(NEWER)
    stop()
    page.goto(here)
    expect(page.locator("article")).to_contain_text(NEWER)


@pytest.mark.thorough
def test_half_an_update_is_never_shown(site: Path, serve: Serve, page: Page) -> None:
    address, stop = serve(site, 0)
    take(page, address)
    renew(site)
    # The server loses an archive that the new index names: the update cannot become whole.
    (site / "offline" / "en-demo.bin").unlink()
    changed = next(site.glob("static/search/*/x*.js"))
    changed.write_text("KB_SHARD(", encoding="utf-8")
    here = f"{address}/{urls.ruling('demo', 'one-pilot')}"
    page.goto(here)
    page.wait_for_timeout(1500)
    assert page.is_hidden("#notice")
    page.goto(here)
    assert NEWER not in page.inner_text("article")
    assert look_up(page, address, "pilot")
    stop()
    page.goto(here)
    assert page.inner_text("article h1")


@pytest.mark.thorough
def test_archives_of_two_builds_are_never_mixed(site: Path, serve: Serve, page: Page) -> None:
    """As where a build is swapped in between two requests, or a folder is copied half."""
    older = {path.name: path.read_bytes() for path in (site / "offline").glob("*.bin")}
    renew(site)
    for name in ("en.bin", "en-demo.bin", "common.bin"):
        newer = (site / "offline" / name).read_bytes()
        if older[name] == newer:
            continue
        (site / "offline" / name).unlink()
        (site / "offline" / name).write_bytes(older[name])
        address, stop = serve(site, 0)
        page.goto(f"{address}/{urls.OFFLINE}")
        download(page, "broken")
        stop()
        (site / "offline" / name).write_bytes(newer)
    take(page, serve(site, 0)[0])


@pytest.mark.thorough
def test_no_room_and_no_worker_are_said(site: Path, serve: Serve, browser: Browser) -> None:
    address, _ = serve(site, 0)
    context = browser.new_context()
    context.add_init_script("delete Navigator.prototype.serviceWorker")
    page = context.new_page()
    page.goto(f"{address}/{urls.OFFLINE}")
    assert page.get_attribute("#state", "data-state") == "private"
    assert "private mode" in page.inner_text("#state")
    context.close()
    # A device without room: every store fails as the browser makes it fail.
    worker = site / urls.WORKER
    full = "Cache.prototype.put = async function () { throw new DOMException('full', 'QuotaExceededError'); };"
    worker.write_text(full + worker.read_text(encoding="utf-8"), encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/{urls.OFFLINE}")
    download(page, "full")
    page.goto(f"{address}/{urls.ruling('demo', 'one-pilot')}")
    assert page.inner_text("article h1")
    context.close()


def test_from_files_it_says_that_all_works(real_base: Path, sound: Page) -> None:
    sound.goto((real_base / "site" / urls.OFFLINE).as_uri())
    assert sound.get_attribute("#state", "data-state") == "files"
