"""Take the pictures of the documentation from a built site.

    kb build && python -m tests.help.pictures site .github/images

`search-and-ruling.png` stands in the README: a search, and a ruling on a phone. `pages.jpg` shows
every kind of page, on a phone and a desktop, light and dark; look at it after a change of templates
or styles. Needs Chromium, or another browser named by KB_BROWSER.
"""

from __future__ import annotations

import base64
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Literal

from playwright.sync_api import Browser, sync_playwright

from tests.browsers import find_browser

Scheme = Literal["light", "dark"]
SEARCH, RULING = "/search/?q=pilotow+strefie+budowy", "/swtcg/rulings/jedi-council-quorum/"
README = ((840, 520, SEARCH), (320, 520, RULING))
PAGES = {
    "home": "/",
    "game": "/swtcg/",
    "rulings": "/swtcg/rulings/",
    "ruling in two languages": RULING,
    "ruling with a diagram": "/babylon5/rulings/damage-effects/#diagram-card-states",
    "topic": "/swtcg/topics/pilots/",
    "cards": "/swtcg/cards/",
    "card": "/swtcg/cards/darth-sidious/",
    "card without rulings": "/go/?game=swtcg&card=Yoda",
    "glossary": "/ru/berserk/glossary/",
    "errata": "/errata/",
    "source": "/swtcg/sources/swtcg-clarifications/",
    "search": SEARCH,
    "deck": "/deck/?game=swtcg",
    "changes": "/changes/",
    "offline": "/offline/",
    "not found": "/404.html",
}
VIEWS: tuple[tuple[int, int, Scheme], ...] = (
    (390, 844, "light"),
    (390, 844, "dark"),
    (1366, 900, "light"),
    (1366, 900, "dark"),
)
JOINED = """<!DOCTYPE html><style>body { margin: 0; padding: 20px; display: flex; gap: 20px;
background: #d5d8dc }</style>"""
SHEET = """<!DOCTYPE html><style>
body { margin: 12px; width: 1880px; columns: 2; background: #d5d8dc; font: 13px sans-serif }
figure { margin: 0 0 10px; break-inside: avoid; display: flex; flex-wrap: wrap; gap: 6px }
figcaption { width: 100% } img { height: 225px }
</style>"""


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Log no request."""


def serve(folder: Path) -> str:
    handler = partial(QuietHandler, directory=folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"


def picture(
    browser: Browser, url: str, width: int, height: int, address: str, scheme: Scheme = "light"
) -> str:
    """Return an element with the picture of a page."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    page.goto(url + address)
    page.wait_for_selector("[data-ruling]" if address == SEARCH else "h1")
    # Neither the outline of the focus nor a blinking caret.
    page.evaluate("document.activeElement.blur()")
    data = base64.b64encode(page.screenshot()).decode()
    page.close()
    return f'<img src="data:image/png;base64,{data}">'


def tile(browser: Browser, url: str, name: str) -> str:
    """Return the pictures of one kind of page."""
    pictures = (
        picture(browser, url, width, height, PAGES[name], scheme) for width, height, scheme in VIEWS
    )
    return f"<figure><figcaption>{name}</figcaption>{''.join(pictures)}</figure>"


def main(site: Path, target: Path) -> None:
    url = serve(site)
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--hide-scrollbars"]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=arguments)
        page = browser.new_page(viewport={"width": 1220, "height": 560})
        page.set_content(JOINED + "".join(picture(browser, url, *view) for view in README))
        page.screenshot(path=target / "search-and-ruling.png")
        page.set_viewport_size({"width": 1904, "height": 900})
        page.set_content(SHEET + "".join(tile(browser, url, name) for name in PAGES))
        page.screenshot(path=target / "pages.jpg", full_page=True, type="jpeg", quality=45)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
