"""All pages of the site into a new folder: gather all, render all, write all."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from kb import urls
from kb.index.browser import write_offline
from kb.language import Table
from kb.problems import KbError
from kb.records.history import Past
from kb.records.library import Library
from kb.site import conventions, data
from kb.site.gather import Gatherer, changes_page, translations_page
from kb.site.pages import ErrataPage, GamePage, HomePage
from kb.site.render import environment, render
from kb.site.words import SCRIPT, Words, interface_languages, read_words, search_words

Progress = Callable[[int, int], None]
Page = tuple[str, str, Any]
SEARCH = "static/search"
STATIC = (
    "static/kb.css", "static/site.js", "static/search-core.js", "static/search-worker.js", "static/search.js",
    f"{SEARCH}/base.js",
)  # fmt: skip


@dataclass(frozen=True)
class SiteSettings:
    """`forms`: the table of forms of the same build. `base_url`: where the site will be served. `report`: where a link for
    reporting problems leads, with {id} in it. `interfaces`: languages of the site's own words, by default all there are.
    `changed`: when each record was last changed, by its path below the folder of records; `past`: its last changes, by key."""

    templates: Path
    forms: Path
    build_id: str
    build_date: str
    base_url: str = ""
    report: str = ""
    interfaces: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    past: Mapping[str, tuple[Past, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class SiteCounts:
    """How many HTML pages were written, in all languages of the interface."""

    pages: int


def build_site(library: Library, output: Path, settings: SiteSettings, progress: Progress | None = None) -> SiteCounts:
    """Writes the whole site into `output`, an empty folder. The same library and settings give the same bytes.

    Raises KbError for an interface language without words, or a game whose id is one.
    """
    languages = _languages(library, settings)
    with Table.open(settings.forms) as table:
        pages = list(_gather(library, table, settings))
        shutil.copytree(settings.templates / "static", output / "static")
        write_offline(library, table, output / SEARCH)
    (output / urls.WORKER).write_bytes((output / "static" / urls.WORKER).read_bytes())
    (output / "static" / urls.WORKER).unlink()
    common = _common(library, output, settings, languages)
    count, total = 0, len(pages) * len(languages)
    for lang in languages:
        for written in _render(library, pages, output, settings, common, read_words(settings.templates, lang)):
            count += written
            if progress and (count % 50 == 0 or count >= total):
                progress(min(count, total), total)
    for address, _, page in pages:
        beside = data.beside(page, library)
        if beside is not None:
            _write(output / urls.beside(address), data.dumps(beside) + "\n")
    _conventions(library, [address for address, _, _ in pages], output, settings, languages)
    return SiteCounts(count)


def _languages(library: Library, settings: SiteSettings) -> list[str]:
    known = interface_languages(settings.templates)
    missing = [lang for lang in settings.interfaces if lang not in known]
    if missing:
        raise KbError(f"no words of the interface in {', '.join(missing)}; there are {', '.join(known)}")
    languages = list(dict.fromkeys(("en", *(settings.interfaces or known))))
    taken = [lang for lang in languages if lang in library.games]
    if taken:
        raise KbError(f"the game {taken[0]} has the address of the pages in that language; leave the language out or rename it")
    return languages


def _render(
    library: Library, pages: list[Page], output: Path, settings: SiteSettings, common: dict[str, Any], words: Words
) -> Iterator[int]:
    """Writes every page in one language of the interface; gives 1 for each."""
    env = environment(settings.templates, words)
    own = {
        **common,
        "search_words": search_words(library, words),
        "script_words": {key: words(text) for key, text in SCRIPT.items()} | {"date": words.date(settings.build_date)},
        "question": partial(data.question, base_url=settings.base_url),
        "terms": data.terms,
        "code": _code,
    }
    for address, template, page in pages:
        if address == urls.NOT_FOUND and words.lang != "en":
            continue
        text = render(env, template, address, {**own, "page": page})
        _write(output / urls.localized(address, words.lang), text)
        yield 1
    for address, target in _redirects(library):
        _write(output / urls.localized(address, words.lang), render(env, "moved.html", address, {**own, "target": target}))
        yield 1


def _common(library: Library, output: Path, settings: SiteSettings, languages: list[str]) -> dict[str, Any]:
    """What every page needs; the assets' addresses carry a hash of their content."""
    assets = {name: f"{name}?{hashlib.sha256((output / name).read_bytes()).hexdigest()[:10]}" for name in STATIC}
    games = list(library.games.values())
    return {"assets": assets, "games": games, "settings": settings, "search_base": f"{SEARCH}/base.js", "interfaces": languages}


def _code(url: str) -> str:
    """A QR code of a URL as SVG, for the printed page."""
    import segno

    return str(segno.make(url, micro=False, error="m").svg_inline(scale=3, border=2, svgclass=None, lineclass=None))


def _gather(library: Library, table: Table, settings: SiteSettings) -> Iterator[Page]:
    fronts: list[GamePage] = []
    for game in library.games.values():
        for address, template, page in Gatherer(game, library, table, settings.past).pages():
            if isinstance(page, GamePage):
                fronts.append(page)
            yield address, template, page
    home = HomePage(tuple(fronts))
    yield urls.HOME, "home.html", home
    yield urls.GLOSSARY, "glossaries.html", home
    yield urls.ERRATA, "errata.html", ErrataPage(tuple(fronts))
    yield urls.CHANGES, "changes.html", changes_page(library, settings.past)
    yield urls.TRANSLATIONS, "translations.html", translations_page(library)
    yield urls.SEARCH, "search.html", home
    yield urls.OFFLINE, "offline.html", home
    yield urls.NOT_FOUND, "404.html", home


def _redirects(library: Library) -> Iterator[tuple[str, str]]:
    for ruling in library.rulings.values():
        for former in ruling.header.formerly:
            yield urls.ruling(ruling.game, former), urls.ruling(ruling.game, ruling.id)


def _conventions(library: Library, addresses: list[str], output: Path, settings: SiteSettings, languages: list[str]) -> None:
    """Everything that is not a page."""
    _write(output / urls.BULK, "".join(data.dumps(data.exported(one, library), None) + "\n" for one in library.rulings.values()))
    _write(output / urls.SCHEMA, data.dumps(data.schema()) + "\n")
    found = conventions.entries(library, settings.changed, settings.build_date)
    _write(output / urls.FEED, conventions.feed(found, settings.base_url, "Card-game rulings", settings.build_date))
    _write(output / urls.MANIFEST, conventions.manifest())
    if settings.base_url:
        shown = [one for one in addresses if one not in (urls.NOT_FOUND, urls.SEARCH, urls.OFFLINE)]
        _write(output / urls.SITEMAP, conventions.sitemap(shown, settings.base_url, languages))
        for lang in languages:
            told = conventions.opensearch(read_words(settings.templates, lang), settings.base_url)
            _write(output / urls.localized(urls.OPENSEARCH, lang), told)
    stamp = {"build": settings.build_id, "date": settings.build_date}
    conventions.write_offline_lists(output, list(library.games), languages, stamp)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="\n")
