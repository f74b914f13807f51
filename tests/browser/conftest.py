"""A real browser: chromium, google-chrome or KB_BROWSER; where KB_REQUIRE_BROWSER is set, a missing one fails."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.serving import Running, site

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
).split()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """What pytest-playwright starts: the machine's own browser."""
    program = (
        os.environ.get("KB_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    )
    if not program:
        if os.environ.get("KB_REQUIRE_BROWSER"):
            pytest.fail(
                "KB_REQUIRE_BROWSER is set and there is no chromium, google-chrome or KB_BROWSER"
            )
        pytest.skip(
            "no chromium, google-chrome or KB_BROWSER: the pages were NOT tried in a browser"
        )
    return {**browser_type_launch_args, "executable_path": program, "args": FLAGS}


@pytest.fixture
def sound(page: Page) -> Iterator[Page]:
    """A page on which any error of a script, or of the browser's policies, fails the test."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    yield page
    assert not wrong


@pytest.fixture(scope="session")
def built(real_base: Path) -> Path:
    """The project's rulings, built: site/ and data/; not to be changed."""
    return real_base


Serve = Callable[[Path, int], tuple[str, Callable[[], None]]]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves a folder on a port (0: any): gives the address and what stops it."""
    running = []

    def start(folder: Path, port: int = 0) -> tuple[str, Callable[[], None]]:
        made = Running(site(folder), port)
        running.append(made.stop)
        return made.address, made.stop

    yield start
    for stop in running:
        stop()


@pytest.fixture(scope="session")
def address(built: Path) -> Iterator[str]:
    """The built site on a server."""
    made = Running(site(built / "site"))
    yield made.address
    made.stop()
