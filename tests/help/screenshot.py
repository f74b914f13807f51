"""Take the README's picture: the search page of a built site, and a ruling on a phone.

    kb build && python -m tests.help.screenshot site .github/images/search-and-ruling.png

Needs Chromium (or another browser named by KB_BROWSER).
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

from tests.browsers import find_browser

SEARCH = (840, 520, "/search/?q=pilotow+strefie+budowy", "[data-ruling]")
RULING = (320, 520, "/swtcg/rulings/jedi-council-quorum/", "h1")
GAP = 20


@contextmanager
def open_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--hide-scrollbars"]
        )
        yield browser
        browser.close()


def take(
    browser: Browser,
    url: str,
    view: tuple[int, int, str, str],
    scheme: Literal["light", "dark"] = "light",
) -> bytes:
    width, height, address, ready = view
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(url + address)
    page.wait_for_selector(ready)
    # Neither the outline of the focus nor a blinking caret.
    page.evaluate("document.activeElement.blur()")
    picture = page.screenshot()
    page.close()
    return picture


def serve(folder: Path) -> str:
    handler = partial(SimpleHTTPRequestHandler, directory=folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def image(picture: bytes) -> str:
    return f'<img src="data:image/png;base64,{base64.b64encode(picture).decode()}">'


def join(browser: Browser, pictures: list[bytes]) -> bytes:
    page = browser.new_page(viewport={"width": 840 + 320 + 3 * GAP, "height": 520 + 2 * GAP})
    images = map(image, pictures)
    style = f"margin: 0; padding: {GAP}px; display: flex; gap: {GAP}px; background: #d5d8dc"
    page.set_content(f'<body style="{style}">{"".join(images)}')
    return page.screenshot()


def main(folder: Path, target: Path) -> None:
    url = serve(folder)
    with open_browser() as browser:
        target.write_bytes(join(browser, [take(browser, url, view) for view in (SEARCH, RULING)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
