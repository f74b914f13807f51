"""Take the picture of the README from a built site: a search, and a ruling on a phone.

    kb build && python -m tests.help.pictures site .github/images

Needs Chromium, or another browser named by KB_BROWSER.
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browsers import find_browser

# Width, height, address, and what is there when the page is complete.
VIEWS = (
    (840, 520, "search/index.html?q=pilotow+strefie+budowy", "[data-ruling]"),
    (320, 520, "swtcg/rulings/jedi-council-quorum/index.html", "h1"),
)
JOINED = """<!DOCTYPE html><style>body { margin: 0; padding: 20px; display: flex; gap: 20px;
background: #d5d8dc }</style>"""


def picture(browser: Browser, site: Path, width: int, height: int, address: str, part: str) -> str:
    """Return an element with the picture of a page."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme="light")
    page.goto(f"{site.resolve().as_uri()}/{address}")
    page.wait_for_selector(part)
    # Neither the outline of the focus nor a blinking caret.
    page.evaluate("document.activeElement.blur()")
    data = base64.b64encode(page.screenshot()).decode()
    page.close()
    return f'<img src="data:image/png;base64,{data}">'


def main(site: Path, target: Path) -> None:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--hide-scrollbars"]
        browser = playwright.chromium.launch(executable_path=find_browser(), args=arguments)
        page = browser.new_page(viewport={"width": 1220, "height": 560})
        page.set_content(JOINED + "".join(picture(browser, site, *view) for view in VIEWS))
        page.screenshot(path=target / "search-and-ruling.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
