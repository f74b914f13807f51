"""Take the picture of the README from a built site: a search, and a ruling on a phone.

    kb build && python -m tests.help.pictures site .github/images

Needs Chromium, or another browser named by KB_BROWSER.
"""

from __future__ import annotations

import base64
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import Browser, sync_playwright

from tests.browsers import find_browser

SEARCH, RULING = "/search/?q=pilotow+strefie+budowy", "/swtcg/rulings/jedi-council-quorum/"
README = ((840, 520, SEARCH), (320, 520, RULING))
JOINED = """<!DOCTYPE html><style>body { margin: 0; padding: 20px; display: flex; gap: 20px;
background: #d5d8dc }</style>"""


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log no request."""


def serve(folder: Path) -> str:
    handler = partial(QuietHandler, directory=folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def picture(browser: Browser, url: str, width: int, height: int, address: str) -> str:
    """Return an element with the picture of a page."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
    page.goto(url + address)
    page.wait_for_selector("[data-ruling]" if address == SEARCH else "h1")
    # Neither the outline of the focus nor a blinking caret.
    page.evaluate("document.activeElement.blur()")
    data = base64.b64encode(page.screenshot()).decode()
    page.close()
    return f'<img src="data:image/png;base64,{data}">'


def main(site: Path, target: Path) -> None:
    url = serve(site)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--hide-scrollbars"]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=arguments)
        page = browser.new_page(viewport={"width": 1220, "height": 560})
        page.set_content(JOINED + "".join(picture(browser, url, *view) for view in README))
        page.screenshot(path=target / "search-and-ruling.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
