"""What every page can show besides its own data, and how a page becomes HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kb.site import page_data
from kb.site.i18n import KINDS, SCRIPT, Catalog
from kb.site.pages import GameLink, Page
from kb.site.render import environment, render

SEARCH = "static/search"
# The files of templates/static that pages name; their addresses carry a hash of their content.
ASSETS = (
    "static/kb.css",
    "static/site.js",
    "static/search-core.js",
    "static/search-client.js",
    "static/search.js",
)
# The pattern laid over every QR code. Readers read any of the eight, and choosing the best one
# takes longer than all else about a page.
_MASK = 0


@dataclass(frozen=True, slots=True)
class SiteContext:
    """What every page can show. `assets`: addresses of the files of the look, by name.

    `base_url`: where the site will be served. `report`: where a link for reporting problems leads,
    with {id} in it. `interfaces`: the languages of the site's own words.
    """

    games: tuple[GameLink, ...]
    assets: Mapping[str, str]
    interfaces: tuple[str, ...] = ("en",)
    base_url: str = ""
    report: str = ""


class PageRenderer:
    """Renders pages in one language of the interface."""

    def __init__(self, templates: Path, words: Catalog, context: SiteContext) -> None:
        self._environment = environment(templates, words)
        self._values = {
            "site": context,
            "script_words": {key: words(text) for key, text in SCRIPT.items()},
            "question": partial(page_data.question, base_url=context.base_url),
            "terms": page_data.terms,
            "kinds": tuple(KINDS),
            "code": qr_code,
        }

    def html(self, page: Page) -> str:
        """The HTML of a page. Raises KbError, with the line, for a broken template."""
        values = {**self._values, "page": page.data}
        return render(self._environment, page.template, page.address, values)


def qr_code(url: str) -> str:
    """A QR code of a URL as SVG, for the printed page."""
    import segno

    code = segno.make(url, micro=False, error="m", mask=_MASK)
    return str(code.svg_inline(scale=3, border=2, svgclass=None, lineclass=None))
