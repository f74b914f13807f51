"""Take one picture of every kind of page: phone and desktop, light and dark.

    kb build && python -m tests.help.sheet site .github/images/pages.jpg

Look at it after a change of templates or styles. Needs Chromium, as `tests.help.screenshot` does.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser

from tests.help.screenshot import image, open_browser, serve, take

PAGES = {
    "home": "/",
    "game": "/swtcg/",
    "rulings": "/swtcg/rulings/",
    "ruling in two languages": "/swtcg/rulings/jedi-council-quorum/",
    "ruling with a diagram": "/babylon5/rulings/damage-effects/#diagram-card-states",
    "topic": "/swtcg/topics/pilots/",
    "cards": "/swtcg/cards/",
    "card": "/swtcg/cards/darth-sidious/",
    "card without rulings": "/go/?game=swtcg&card=Yoda",
    "glossary": "/ru/berserk/glossary/",
    "errata": "/errata/",
    "source": "/swtcg/sources/swtcg-clarifications/",
    "search": "/search/?q=pilotow+strefie+budowy",
    "deck": "/deck/?game=swtcg",
    "changes": "/changes/",
    "propose": "/propose/",
    "offline": "/offline/",
    "not found": "/404.html",
}
VIEWS: tuple[tuple[int, int, Literal["light", "dark"]], ...] = (
    (390, 844, "light"),
    (390, 844, "dark"),
    (1366, 900, "light"),
    (1366, 900, "dark"),
)
# Pixels of a picture's height on the sheet.
HEIGHT = 225
STYLE = f"""
body {{ margin: 12px; width: 1880px; columns: 2; background: #d5d8dc; font: 13px sans-serif }}
figure {{ margin: 0 0 10px; break-inside: avoid; display: flex; flex-wrap: wrap; gap: 6px }}
figcaption {{ width: 100% }} img {{ height: {HEIGHT}px }}
"""


def tile(browser: Browser, url: str, name: str) -> str:
    """The pictures of one kind of page."""
    ready = "[data-ruling]" if name == "search" else "h1"
    pictures = "".join(
        image(take(browser, url, (width, height, PAGES[name], ready), scheme))
        for width, height, scheme in VIEWS
    )
    return f"<figure><figcaption>{name}</figcaption>{pictures}</figure>"


def main(folder: Path, target: Path) -> None:
    url = serve(folder)
    with open_browser() as browser:
        tiles = "".join(tile(browser, url, name) for name in PAGES)
        page = browser.new_page(viewport={"width": 1904, "height": 900})
        page.set_content(f"<!DOCTYPE html><style>{STYLE}</style>{tiles}")
        page.screenshot(path=target, full_page=True, type="jpeg", quality=45)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
