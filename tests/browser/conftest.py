"""A real browser: the one that KB_BROWSER names, or an installed one.

Without one the tests are skipped; where KB_REQUIRE_BROWSER is set, they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, expect
from starlette.types import ASGIApp

from kb.core import urls
from tests.browsers import MISSING, find_browser
from tests.serving import Running, site

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run"
    " --disable-background-networking --disable-component-update --disable-sync"
).split()

# What is waited for comes at once; on a busy machine it may take longer than Playwright's 5 s.
expect.set_options(timeout=60_000)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Make pytest-playwright start the machine's own browser."""
    program = find_browser()
    if not program:
        if os.environ.get("KB_REQUIRE_BROWSER"):
            pytest.fail(f"KB_REQUIRE_BROWSER is set and {MISSING}")
        pytest.skip(f"{MISSING}: the pages were NOT tried in a browser")
    return {**browser_type_launch_args, "executable_path": program, "args": FLAGS}


@pytest.fixture(scope="session")
def base_url() -> None:
    """Addresses are whole; the plugin's own fixture is a method, which pytest 10 gives up."""


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args: dict[str, Any]) -> dict[str, Any]:
    """Keep pages from installing the worker for offline use, which costs more than a page."""
    return {**browser_context_args, "service_workers": "block"}


@pytest.fixture(scope="session")
def reader(browser: Browser, browser_context_args: dict[str, Any]) -> Iterator[BrowserContext]:
    """The browser context of all tests that need no settings of their own."""
    context = browser.new_context(**browser_context_args)
    yield context
    context.close()


@pytest.fixture
def page(request: pytest.FixtureRequest, reader: BrowserContext) -> Iterator[Page]:
    """The page of a reader on whose device nothing is stored; `context` has a device of its own.

    Tests share the page: a new one, which is a window of the browser, takes almost a second of
    processor time. What cannot be taken back (`add_init_script`, `on`) needs a page of its own,
    and so does a test whose context has settings.
    """
    if request.node.get_closest_marker("browser_context_args"):
        yield request.getfixturevalue("context").new_page()
        return
    page = reader.pages[0] if reader.pages else reader.new_page()
    size = page.viewport_size
    yield page
    try:
        page.evaluate("localStorage.clear(), sessionStorage.clear()")
        page.unroute_all()
        page.emulate_media(media="null")
        if size:
            page.set_viewport_size(size)
        page.goto("about:blank")
    except Error:
        page.close()
    for other in reader.pages[1:]:
        other.close()
    reader.clear_cookies()
    reader.unroute_all()


@pytest.fixture
def sound(page: Page) -> Iterator[Page]:
    """A page on which an error of a script, or of the browser's policies, fails the test."""
    errors: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    def keep(error: Error) -> None:
        errors.append(str(error))

    page.on("pageerror", keep)
    page.on("console", hear)
    yield page
    page.remove_listener("pageerror", keep)
    page.remove_listener("console", hear)
    assert not errors


@pytest.fixture
def records(small_base: Path, tmp_path: Path) -> Path:
    """The records of a built base that a test may change."""
    shutil.copytree(small_base, tmp_path, dirs_exist_ok=True)
    return tmp_path / "rulings"


PHONE = {"width": 390, "height": 844}

Serve = Callable[..., tuple[str, Callable[[], None]]]
Open = Callable[..., Page]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serve a folder or an application on a port (0: any); return address and end of the server."""
    stops = []

    def start(served: Path | ASGIApp, port: int = 0) -> tuple[str, Callable[[], None]]:
        server = Running(site(served) if isinstance(served, Path) else served, port)
        stops.append(server.stop)
        return server.address, server.stop

    yield start
    for stop in stops:
        stop()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Open]:
    """Open a page as a new reader; the options are those of a browser context."""
    contexts = []
    errors: list[str] = []

    def opened(address: str, **options: Any) -> Page:
        context = browser.new_context(**{"service_workers": "block", **options})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not errors


SEARCHED = "#search[data-state=done]"


def keys(page: Page) -> list[str]:
    """The rulings that the search page shows, in their order."""
    page.wait_for_selector(SEARCHED)
    rows = "rows => rows.map((row) => row.dataset.ruling)"
    found: list[str] = page.locator("#results > li").evaluate_all(rows)
    return found


def look_up(page: Page, address: str, query: str, **filters: str) -> list[str]:
    """Open the search page with a query; return the rulings that it shows."""
    page.goto(f"{address}/{urls.SEARCH}?{urlencode({'q': query, **filters})}")
    return keys(page)


# What axe-core looks for.
AXE_OPTIONS = {
    "resultTypes": ["violations"],
    "runOnly": {
        "type": "tag",
        "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    },
}


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """The rules that a page breaks by axe-core, each with elements that break it."""
    found = Axe().run(page, options=AXE_OPTIONS).response["violations"]
    return [(wrong["id"], [node["html"][:160] for node in wrong["nodes"][:3]]) for wrong in found]


@pytest.fixture(scope="session")
def address(real_base: Path) -> Iterator[str]:
    """The address of a server of the built site."""
    server = Running(site(real_base / "site"))
    yield server.address
    server.stop()
