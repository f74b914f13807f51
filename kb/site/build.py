"""All pages of the site into a new folder: gather all, render all, write all."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from kb import urls
from kb.index.offline import write_offline
from kb.language import Table
from kb.records.library import Library
from kb.site.gather import Gatherer
from kb.site.pages import GamePage, HomePage
from kb.site.render import environment, render
from kb.site.words import search_words

Progress = Callable[[int, int], None]
SEARCH = "static/search"


@dataclass(frozen=True)
class SiteSettings:
    """`forms`: the table of forms of the same build. `base_url`: where the site will be served, for the site map."""

    templates: Path
    forms: Path
    build_id: str
    build_date: str
    base_url: str = ""


@dataclass(frozen=True)
class SiteCounts:
    """How many HTML pages were written."""

    pages: int


def build_site(library: Library, output: Path, settings: SiteSettings, progress: Progress | None = None) -> SiteCounts:
    """Writes the whole site into `output`, an empty folder. The same library and settings give the same bytes."""
    with Table.open(settings.forms) as table:
        pages = list(_gather(library, table))
        shutil.copytree(settings.templates / "static", output / "static")
        write_offline(library, table, output / SEARCH)
    common = _common(library, output, settings)
    env = environment(settings.templates)
    for number, (address, template, values) in enumerate(pages, 1):
        _write(output / address, render(env, template, address, {**common, **values}))
        if progress and (number % 50 == 0 or number == len(pages)):
            progress(number, len(pages))
    redirects = list(_redirects(library))
    for address, target in redirects:
        _write(output / address, render(env, "moved.html", address, {**common, "target": target}))
    if settings.base_url:
        _write(output / urls.SITEMAP, _sitemap([address for address, _, _ in pages], settings.base_url))
    return SiteCounts(len(pages) + len(redirects))


def _common(library: Library, output: Path, settings: SiteSettings) -> dict[str, Any]:
    """What every page needs; the assets' addresses carry a hash of their content."""
    assets = {}
    for name in ("static/kb.css", "static/search-core.js", "static/search-worker.js", "static/search.js", f"{SEARCH}/base.js"):
        digest = hashlib.sha256((output / name).read_bytes()).hexdigest()[:10]
        assets[name] = f"{name}?{digest}"
    games = [(game.id, game.title("en")) for game in library.games.values()]
    return {"assets": assets, "games": games, "settings": settings, "search_base": f"{SEARCH}/base.js"}


def _gather(library: Library, table: Table) -> Iterator[tuple[str, str, dict[str, Any]]]:
    fronts: list[GamePage] = []
    for game in library.games.values():
        for address, template, page in Gatherer(game, library, table).pages():
            if isinstance(page, GamePage):
                fronts.append(page)
            yield address, template, {"page": page}
    home = HomePage(tuple(fronts))
    yield urls.HOME, "home.html", {"page": home}
    yield urls.GLOSSARY, "glossaries.html", {"page": home}
    yield urls.SEARCH, "search.html", {"page": home, "search_words": search_words(library)}
    yield urls.NOT_FOUND, "404.html", {"page": home}


def _redirects(library: Library) -> Iterator[tuple[str, str]]:
    for ruling in library.rulings.values():
        for former in ruling.header.formerly:
            yield urls.ruling(ruling.game, former), urls.ruling(ruling.game, ruling.id)


def _sitemap(addresses: list[str], base_url: str) -> str:
    base = base_url.rstrip("/") + "/"
    rows = "".join(
        f"<url><loc>{escape(base + address.removesuffix('index.html'))}</loc></url>\n"
        for address in addresses
        if address != urls.NOT_FOUND
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}</urlset>\n'
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
