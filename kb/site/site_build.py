"""All pages of the site: plan all, render what is new or has changed, write what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from kb.core import urls
from kb.core.json import dumps
from kb.core.parallel import parallel_map, run_in_child
from kb.core.problems import KbError
from kb.language import FormTable
from kb.records.history import Past
from kb.records.library import Library
from kb.records.model import Ruling
from kb.search.browser import Before, Offline, modules, update_offline, write_offline
from kb.search.browser.rows import Contribution
from kb.serialize.ruling import ruling_to_json
from kb.serialize.schema import schema
from kb.site import feeds, page_data
from kb.site.collect import (
    Known,
    PageCollector,
    PlannedPage,
    Since,
    changes_page,
    fingerprint,
    translations_page,
)
from kb.site.i18n import SCRIPT, Catalog, interface_languages, read_words, search_words
from kb.site.output import Output, Written
from kb.site.pages import ErrataPage, GamePage, HomePage
from kb.site.render import environment, render

if TYPE_CHECKING:
    pass

Progress = Callable[[int, int], None]
SEARCH = "static/search"
STATIC = (
    "static/kb.css",
    "static/site.js",
    f"static/{modules.SCRIPT}",
    "static/search-worker.js",
    "static/search.js",
    f"{SEARCH}/base.js",
)
# The pattern laid over every code. Readers read any of the eight, and weighing them takes longer than all else about a page.
_MASK = 0
# So many pages are rendered by one process before it says so.
_PART = 100


@dataclass(frozen=True)
class SiteSettings:
    """`forms`: the table of forms of the same build. `base_url`: where the site will be served. `report`: where a link for
    reporting problems leads, with {id} in it. `interfaces`: languages of the site's own words, by default all there are.
    `changed`: when each record was last changed, by its path below the folder of records; `past`: its last changes, by key.
    `inputs`: a hash of program and templates, on which every page depends; `known`: what is known of the rulings."""

    templates: Path
    forms: Path
    build_id: str
    build_date: str
    base_url: str = ""
    report: str = ""
    interfaces: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    past: Mapping[str, tuple[Past, ...]] = field(default_factory=dict)
    inputs: str = ""
    known: Known = field(default_factory=Known)


@dataclass(frozen=True)
class Site:
    """A site as it was made, kept for the next build: its files, by page what it was made of, the rulings in order, and the
    browser's index. `pages`: how many HTML pages there are, in all languages of the interface. `shared`: what all pages are made
    of; `past`: hashes of the rulings' histories, by key."""

    files: dict[str, Written]
    made_of: dict[str, str]
    keys: list[str]
    index: Offline
    pages: int
    shared: str
    past: dict[str, str]


@dataclass(frozen=True)
class PreviousSite:
    """The site that the output folder holds already. `changed`: rulings whose data differ since, are new or gone, and `was` those
    that were published then; `games` whose own files differ; `table` and `contributions` as in `kb.search.browser.Before`, no
    table where its rows are those of the new one."""

    made: Site
    changed: frozenset[str]
    was: Mapping[str, Ruling]
    games: frozenset[str]
    table: FormTable | None
    contributions: Mapping[str, Contribution]


def build_site(
    library: Library,
    folder: Path,
    settings: SiteSettings,
    progress: Progress | None = None,
    before: PreviousSite | None = None,
) -> Site:
    """Writes the whole site into `folder`, which is empty or holds the site of `before`.

    The same library and settings give the same bytes, whatever was there. Raises KbError for an interface language without
    words, or a game whose id is one.
    """
    languages = _languages(library, settings)
    output = Output(folder, before.made.files if before else None)
    past = {key: fingerprint(one) for key, one in settings.past.items()}
    with FormTable.open(settings.forms) as table:
        with run_in_child(
            partial(_offline, library, table, folder / SEARCH, settings, before)
        ) as indexed:
            _static(output, settings)
            gatherers = [
                PageCollector(game, library, table, settings.past, settings.known)
                for game in library.games.values()
            ]
            since = _since(before, past)
            planned = [page for one in gatherers for page in one.pages(since(one.game.id))]
            index = indexed()
        output.found(SEARCH)
        common = _common(library, output, settings, languages)
        planned += _whole_pages(
            library,
            [one.front for one in gatherers],
            settings,
            common["assets"][f"{SEARCH}/base.js"],
        )
        shared = _shared(library, settings, common, languages)
        held = before.made.made_of if before and before.made.shared == shared else {}
        wanted = [one for one in planned if held.get(one.address) != one.made_of]
        _render(library, wanted, output, settings, common, languages, progress)
        redirects = _redirects(library, output, settings, common, languages)
    if before:
        again = {one.address for one in wanted}
        for one in planned:
            if one.address not in again:
                for address in _files(one, languages):
                    if address in output.before:
                        output.keep(address)
    pages = redirects + sum(len(_languages_of(one.address, languages)) for one in planned)
    _conventions(library, [one.address for one in planned], output, settings, languages, before)
    output.finish()
    made_of = {one.address: one.made_of for one in planned}
    return Site(output.files, made_of, list(library.rulings), index, pages, shared, past)


def _static(output: Output, settings: SiteSettings) -> None:
    """Everything below static/ but the search's, and the worker, which has to lie at the root."""
    static = settings.templates / "static"
    for path in sorted(static.rglob("*")):
        if path.is_file() and path.parent.name != modules.FOLDER:
            name = path.relative_to(static).as_posix()
            output.write(
                urls.WORKER if name == urls.WORKER else f"static/{name}", path.read_bytes()
            )
    output.write(f"static/{modules.SCRIPT}", modules.joined(static))
    built = {"build": settings.build_id, "date": settings.build_date}
    output.write(urls.BUILT, f"window.KB_BUILT = {dumps(built, None)};\n")


def _offline(
    library: Library,
    table: FormTable,
    folder: Path,
    settings: SiteSettings,
    before: PreviousSite | None,
) -> Offline:
    """The browser's index."""
    if before:
        held = Before(before.made.index, before.table or table, before.contributions)
        return update_offline(library, table, folder, held)
    return write_offline(library, table, folder)


def _languages(library: Library, settings: SiteSettings) -> list[str]:
    known = interface_languages(settings.templates)
    missing = [lang for lang in settings.interfaces if lang not in known]
    if missing:
        raise KbError(
            f"no words of the interface in {', '.join(missing)}; there are {', '.join(known)}"
        )
    languages = list(dict.fromkeys(("en", *(settings.interfaces or known))))
    taken = [lang for lang in languages if lang in library.games]
    if taken:
        raise KbError(
            f"the game {taken[0]} has the address of the pages in that language; leave the language out or rename it"
        )
    return languages


def _languages_of(address: str, languages: Sequence[str]) -> Sequence[str]:
    """The languages of the interface that a page is there in."""
    return ["en"] if address == urls.NOT_FOUND else languages


def _files(page: PlannedPage, languages: Sequence[str]) -> Iterator[str]:
    """The files that a page may have."""
    yield from (
        urls.localized(page.address, lang) for lang in _languages_of(page.address, languages)
    )
    yield urls.data_address(page.address)


def _render(
    library: Library,
    pages: Sequence[PlannedPage],
    output: Output,
    settings: SiteSettings,
    common: dict[str, Any],
    languages: Sequence[str],
    progress: Progress | None,
) -> None:
    """Writes pages in every language of the interface, on all cores, with the data beside them."""
    values = {
        lang: _values(library, settings, common, read_words(settings.templates, lang))
        for lang in languages
    }
    environments = {
        lang: environment(settings.templates, read_words(settings.templates, lang))
        for lang in languages
    }

    def some(part: Sequence[PlannedPage]) -> dict[str, Written]:
        here = Output(output.folder, output.before)
        for one in part:
            page = one.make()
            for lang in _languages_of(one.address, languages):
                text = render(
                    environments[lang], one.template, one.address, {**values[lang], "page": page}
                )
                here.write(urls.localized(one.address, lang), text)
            beside = page_data.beside(page, library)
            if beside is not None:
                here.write(
                    urls.data_address(one.address),
                    orjson.dumps(beside, option=orjson.OPT_APPEND_NEWLINE),
                )
        return here.files

    done, total = 0, len(pages) * len(languages)
    for files in parallel_map(some, [pages[at : at + _PART] for at in range(0, len(pages), _PART)]):
        output.take(files)
        done += sum(address.endswith(".html") for address in files)
        if progress:
            progress(min(done, total), total)


def _values(
    library: Library, settings: SiteSettings, common: dict[str, Any], words: Catalog
) -> dict[str, Any]:
    """What every page needs in one language of the interface."""
    return {
        **common,
        "search_words": search_words(library, words),
        "script_words": {key: words(text) for key, text in SCRIPT.items()},
        "question": partial(page_data.question, base_url=settings.base_url),
        "terms": page_data.terms,
        "code": _code,
    }


def _common(
    library: Library, output: Output, settings: SiteSettings, languages: list[str]
) -> dict[str, Any]:
    """What every page needs in every language; the assets' addresses carry a hash of their content."""
    assets = {name: f"{name}?{output.files[name][0][:10]}" for name in STATIC}
    games = list(library.games.values())
    return {
        "assets": assets,
        "games": games,
        "settings": settings,
        "search_base": f"{SEARCH}/base.js",
        "interfaces": languages,
    }


def _code(url: str) -> str:
    """A QR code of a URL as SVG, for the printed page."""
    import segno

    made = segno.make(url, micro=False, error="m", mask=_MASK)
    return str(made.svg_inline(scale=3, border=2, svgclass=None, lineclass=None))


def _shared(
    library: Library, settings: SiteSettings, common: Mapping[str, Any], languages: Sequence[str]
) -> str:
    """What all pages are made of."""
    base = f"{SEARCH}/base.js"
    return fingerprint(
        settings.inputs,
        settings.base_url,
        settings.report,
        languages,
        [(game.id, game.header.name, game.header.language) for game in library.games.values()],
        [asset for name, asset in common["assets"].items() if name != base],
    )


def _since(before: PreviousSite | None, past: Mapping[str, str]) -> Callable[[str], Since | None]:
    """What is known of a game's pages since the site before."""
    if before is None:
        return lambda game: None
    was = before.made.past
    turned = {key for key in past.keys() | was.keys() if past.get(key) != was.get(key)}
    since = Since(
        before.made.made_of, before.changed | turned, before.was, before.table is not None
    )
    return lambda game: None if game in before.games else since


def _whole_pages(
    library: Library, fronts: Sequence[GamePage], settings: SiteSettings, base: str
) -> Iterator[PlannedPage]:
    """The pages that are no game's own; `base` is the address of the browser's index."""
    home, errata = HomePage(tuple(fronts)), ErrataPage(tuple(fronts))
    built = (settings.build_id, settings.build_date)
    shown = [front.parts() for front in fronts]
    changed, untranslated = changes_page(library, settings.past), translations_page(library)
    topics = [(game.id, game.header) for game in library.games.values()]
    stale = [(game.id, *lists) for game, *lists in untranslated.games]
    for address, template, page, *made_of in (
        (urls.HOME, "home.html", home, shown, built),
        (urls.GLOSSARY, "glossaries.html", home, shown),
        (urls.ERRATA, "errata.html", errata, shown),
        (urls.CHANGES, "changes.html", changed, changed),
        (urls.TRANSLATIONS, "translations.html", untranslated, stale, topics),
        (urls.SEARCH, "search.html", home, shown, base, topics),
        (urls.OFFLINE, "offline.html", home, shown, built),
        (urls.NOT_FOUND, "404.html", home, shown),
    ):
        yield PlannedPage(address, template, fingerprint(*made_of), partial(_same, page))


def _same(page: Any) -> Any:
    return page


def _redirects(
    library: Library,
    output: Output,
    settings: SiteSettings,
    common: dict[str, Any],
    languages: Sequence[str],
) -> int:
    """The pages at former addresses; how many there are."""
    moved = [
        (urls.ruling(ruling.game, former), urls.ruling(ruling.game, ruling.id))
        for ruling in library.rulings.values()
        for former in ruling.header.formerly
    ]
    for lang in languages if moved else ():
        words = read_words(settings.templates, lang)
        env, values = (
            environment(settings.templates, words),
            _values(library, settings, common, words),
        )
        for address, target in moved:
            output.write(
                urls.localized(address, lang),
                render(env, "moved.html", address, {**values, "target": target}),
            )
    return len(moved) * len(languages)


def _bulk(library: Library, before: PreviousSite | None, output: Output) -> bytes:
    """All rulings, one a line; lines of rulings that stay are taken from the file of before, where that is as it was written."""
    held: dict[str, bytes] = {}
    if before:
        lines = output.read(urls.BULK).split(b"\n")
        held = {
            key: line
            for key, line in zip(before.made.keys, lines, strict=False)
            if key not in before.changed
        }
    made = [
        held.get(key) or dumps(ruling_to_json(one, library), None).encode("utf-8", "replace")
        for key, one in library.rulings.items()
    ]
    return b"\n".join([*made, b""])


def _conventions(
    library: Library,
    addresses: list[str],
    output: Output,
    settings: SiteSettings,
    languages: list[str],
    before: PreviousSite | None,
) -> None:
    """Everything that is not a page."""
    output.write(urls.BULK, _bulk(library, before, output))
    output.write(urls.SCHEMA, dumps(schema()) + "\n")
    found = feeds.entries(library, settings.changed, settings.build_date)
    output.write(
        urls.FEED, feeds.feed(found, settings.base_url, "Card-game rulings", settings.build_date)
    )
    output.write(urls.MANIFEST, feeds.manifest())
    if settings.base_url:
        shown = [one for one in addresses if one not in (urls.NOT_FOUND, urls.SEARCH, urls.OFFLINE)]
        output.write(urls.SITEMAP, feeds.sitemap(shown, settings.base_url, languages))
        for lang in languages:
            told = feeds.opensearch(read_words(settings.templates, lang), settings.base_url)
            output.write(urls.localized(urls.OPENSEARCH, lang), told)
    stamp = {"build": settings.build_id, "date": settings.build_date}
    for name, text in feeds.offline_lists(output.files, list(library.games), languages, stamp):
        output.write(name, text)
