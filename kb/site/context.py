"""What every page can show besides its own data, and how a page becomes HTML."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from kb.site import page_data
from kb.site.branding import Branding
from kb.site.i18n import KINDS, SCRIPT, Catalog, deck_words, propose_words
from kb.site.pages import GameLink, Page
from kb.site.render import environment, render
from kb.site.templates import Templates

# The files of templates/static that pages name; their addresses carry a hash of their content.
ASSETS = (
    "static/kb.css",
    "static/theme.js",
    "static/site.js",
    "static/reading.js",
    "static/search-core.js",
    "static/search-worker.js",
    "static/search-start.js",
    "static/search-client.js",
    "static/search.js",
    "static/deck-core.js",
    "static/deck.js",
    "static/go.js",
    "static/deck.css",
    "static/propose.js",
)
# The pattern laid over every QR code. Readers read any of the eight, and choosing the best one
# takes longer than all else about a page.
_MASK = 0


@dataclass(frozen=True, slots=True)
class SiteContext:
    """What every page can show. `assets`: addresses of the files of the look, by name.

    `branding`: what the webmaster says of the site. `base_url`: where the site will be served.
    `report`: where a link for reporting problems leads, with {id} in it. `interfaces`: the
    languages of the site's own words.
    """

    games: tuple[GameLink, ...]
    assets: Mapping[str, str]
    interfaces: tuple[str, ...] = ("en",)
    base_url: str = ""
    report: str = ""
    branding: Branding = field(default_factory=Branding)


class PageRenderer:
    """Renders pages in one language of the interface."""

    def __init__(self, templates: Templates, words: Catalog, context: SiteContext) -> None:
        words = words.with_messages(context.branding.messages(words.lang))
        self._environment = environment(templates, words)
        self._values = {
            "site": context,
            "script_words": {key: words(text) for key, text in SCRIPT.items()},
            "deck_words": partial(deck_words, words=words),
            "propose_words": partial(propose_words, words=words),
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
