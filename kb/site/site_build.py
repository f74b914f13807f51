"""The whole site: collect all pages, render those whose data differ, write what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import orjson

from kb.core import urls
from kb.core.hashing import data_hash
from kb.core.json import dumps
from kb.core.parallel import parallel_map, run_in_child
from kb.core.problems import KbError
from kb.language import FormTable
from kb.records.history import RevisionDiff
from kb.records.library import Library
from kb.search.browser import Before, Offline, modules, update_offline, write_offline
from kb.search.browser.rows import Contribution
from kb.serialize.schema import schema
from kb.site import feeds, search_data
from kb.site.collect import PageCollector, game_link
from kb.site.context import ASSETS, SEARCH, PageRenderer, SiteContext
from kb.site.i18n import interface_languages, read_words
from kb.site.output import Output, Written
from kb.site.overview import overview_pages
from kb.site.pages import MovedPage, Page, RulingPage

Progress = Callable[[int, int], None]
_INDEX = f"{SEARCH}/base.js"
# Pages that one process renders before it reports back.
_CHUNK = 100
_NOT_IN_SITEMAP = (urls.NOT_FOUND, urls.SEARCH, urls.OFFLINE)


@dataclass(frozen=True)
class SiteSettings:
    """What a site is built with, besides the records.

    `forms`: the table of forms of the same build. `changed`: when each record was last changed, by
    its path below the folder of records; `past`: its last changes, by key. `program`: a hash of
    the program and the templates. `meanings`: see PageCollector.
    """

    templates: Path
    forms: Path
    build_id: str
    build_date: str
    base_url: str = ""
    report: str = ""
    interfaces: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    past: Mapping[str, tuple[RevisionDiff, ...]] = field(default_factory=dict)
    program: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class WrittenPage:
    """A page of a site: the hash of its data, and its files."""

    key: str
    files: dict[str, Written]


@dataclass(frozen=True)
class Site:
    """A site as it was written: its pages by address, its other files, the browser's index."""

    pages: dict[str, WrittenPage]
    others: dict[str, Written]
    index: Offline

    @property
    def files(self) -> dict[str, Written]:
        """Every file of the site."""
        files = dict(self.others)
        for page in self.pages.values():
            files.update(page.files)
        return files

    @property
    def html_pages(self) -> int:
        """How many HTML pages there are, in all languages of the interface."""
        files = (address for page in self.pages.values() for address in page.files)
        return sum(address.endswith(".html") for address in files)


@dataclass(frozen=True)
class PreviousSite:
    """The site that the output folder holds already.

    `table` is its table of forms, None where the new one has the same rows; `contributions` as in
    `kb.search.browser.Before`.
    """

    site: Site
    table: FormTable | None
    contributions: Mapping[str, Contribution]


def build_site(
    library: Library,
    folder: Path,
    settings: SiteSettings,
    progress: Progress | None = None,
    previous: PreviousSite | None = None,
) -> Site:
    """Write the whole site into `folder`, which is empty or holds the previous site.

    The same library and settings give the same bytes, whatever was there. Raises KbError for an
    unknown language of the interface, or a game whose id is one.
    """
    languages = _interfaces(library, settings)
    output = Output(folder, previous.site.files if previous else None)
    with FormTable.open(settings.forms) as table:
        index_job = partial(_write_index, library, table, folder / SEARCH, settings, previous)
        with run_in_child(index_job) as finished_index:
            _write_static(output, settings)
            collectors = [
                PageCollector(game, library, table, settings.past, settings.meanings)
                for game in library.games.values()
            ]
            pages = [page for collector in collectors for page in collector.pages()]
            index = finished_index()
        output.scan(SEARCH)
        pages += overview_pages(
            library,
            collectors,
            settings.past,
            (settings.build_id, settings.build_date),
        )
        context = SiteContext(
            games=tuple(map(game_link, library.games.values())),
            assets={name: _versioned(name, output) for name in ASSETS},
            interfaces=languages,
            base_url=settings.base_url,
            report=settings.report,
        )
        written = _write_pages(pages, output, settings, context, previous, progress)
    _write_others(library, pages, output, settings, languages)
    output.finish()
    own = {address for page in written.values() for address in page.files}
    others = {address: file for address, file in output.files.items() if address not in own}
    return Site(written, others, index)


def _interfaces(library: Library, settings: SiteSettings) -> tuple[str, ...]:
    """The languages of the interface, English first."""
    known = interface_languages(settings.templates)
    missing = [lang for lang in settings.interfaces if lang not in known]
    if missing:
        raise KbError(
            f"no words of the interface in {', '.join(missing)}; there are {', '.join(known)}"
        )
    languages = tuple(dict.fromkeys(("en", *(settings.interfaces or known))))
    for lang in languages:
        if lang in library.games:
            raise KbError(
                f"the game {lang} has the address of the pages in that language;"
                " leave the language out or rename it"
            )
    return languages


def _write_static(output: Output, settings: SiteSettings) -> None:
    """Everything below static/ but the search's, and the worker, which has to lie at the root."""
    static = settings.templates / "static"
    for path in sorted(static.rglob("*")):
        if path.is_file() and path.parent.name != modules.FOLDER:
            name = path.relative_to(static).as_posix()
            address = urls.WORKER if name == urls.WORKER else f"static/{name}"
            output.write(address, path.read_bytes())
    output.write(f"static/{modules.SCRIPT}", modules.joined(static))


def _write_index(
    library: Library,
    table: FormTable,
    folder: Path,
    settings: SiteSettings,
    previous: PreviousSite | None,
) -> Offline:
    """The browser's index."""
    if previous:
        before = Before(previous.site.index, previous.table or table, previous.contributions)
        return update_offline(library, table, folder, before)
    return write_offline(library, table, folder)


def _versioned(name: str, output: Output) -> str:
    """The address of a file with a hash of its content, so that browsers never mix two builds."""
    return f"{name}?{output.files[name][0][:10]}"


def _write_pages(
    pages: Sequence[Page],
    output: Output,
    settings: SiteSettings,
    context: SiteContext,
    previous: PreviousSite | None,
    progress: Progress | None,
) -> dict[str, WrittenPage]:
    """Write the pages whose data differ from the previous site; the others stay."""
    shared = data_hash([settings.program, context])
    old = previous.site.pages if previous else {}
    written: dict[str, WrittenPage] = {}
    wanted: list[Page] = []
    for page in pages:
        key, known = page.key(shared), old.get(page.address)
        if known and known.key == key:
            written[page.address] = known
            output.take(known.files)
        else:
            written[page.address] = WrittenPage(key, {})
            wanted.append(page)
    for address, files in render_pages(wanted, output, settings.templates, context, progress):
        written[address].files.update(files)
    return written


def render_pages(
    pages: Sequence[Page],
    output: Output,
    templates: Path,
    context: SiteContext,
    progress: Progress | None = None,
) -> Iterator[tuple[str, dict[str, Written]]]:
    """Write pages in every language of the interface, on all cores, with the JSON beside them.

    Yields the address of each page and its files.
    """
    renderers = {
        lang: PageRenderer(templates, read_words(templates, lang), context)
        for lang in context.interfaces
    }

    def write(chunk: Sequence[Page]) -> list[tuple[str, dict[str, Written]]]:
        written = []
        for page in chunk:
            here = Output(output.folder, output.before)
            for lang in context.interfaces if page.address != urls.NOT_FOUND else ("en",):
                here.write(urls.localized(page.address, lang), renderers[lang].html(page))
            if hasattr(page.data, "beside"):
                data = orjson.dumps(page.data.beside(), option=orjson.OPT_APPEND_NEWLINE)
                here.write(urls.data_address(page.address), data)
            written.append((page.address, here.files))
        return written

    done = 0
    chunks = [pages[start : start + _CHUNK] for start in range(0, len(pages), _CHUNK)]
    for chunk in parallel_map(write, chunks):
        for address, files in chunk:
            output.take(files)
            yield address, files
        done += len(chunk)
        if progress:
            progress(done * len(context.interfaces), len(pages) * len(context.interfaces))


def _write_others(
    library: Library,
    pages: Sequence[Page],
    output: Output,
    settings: SiteSettings,
    languages: Sequence[str],
) -> None:
    """Everything that is not a page."""
    output.write(urls.BULK, _bulk(library, pages))
    output.write(urls.SCHEMA, dumps(schema()) + "\n")
    entries = feeds.entries(library, settings.changed, settings.build_date)
    output.write(
        urls.FEED, feeds.feed(entries, settings.base_url, "Card-game rulings", settings.build_date)
    )
    output.write(urls.MANIFEST, feeds.manifest())
    if settings.base_url:
        listed = [
            page.address
            for page in pages
            if page.address not in _NOT_IN_SITEMAP and not isinstance(page.data, MovedPage)
        ]
        output.write(urls.SITEMAP, feeds.sitemap(listed, settings.base_url, languages))
        for lang in languages:
            words = read_words(settings.templates, lang)
            description = feeds.opensearch(words, settings.base_url)
            output.write(urls.localized(urls.OPENSEARCH, lang), description)
    stamp = {"build": settings.build_id, "date": settings.build_date}
    search = _write_search_data(library, output, settings, languages)
    script = dumps({**stamp, "search": search}, None)
    output.write(urls.BUILD_SCRIPT, f"window.KB_BUILT = {script};\n")
    for name, text in feeds.offline_lists(output.files, list(library.games), languages, stamp):
        output.write(name, text)


def _write_search_data(
    library: Library, output: Output, settings: SiteSettings, languages: Sequence[str]
) -> dict[str, object]:
    """Write the words and terms of the search; return the addresses of all that it loads."""
    words, terms = {}, {}
    for lang in languages:
        catalog = read_words(settings.templates, lang)
        output.write(urls.search_words(lang), search_data.words_script(library, catalog))
        output.write(urls.search_terms(lang), search_data.terms_script(library, lang))
        words[lang] = _versioned(urls.search_words(lang), output)
        terms[lang] = _versioned(urls.search_terms(lang), output)
    scripts = {name: _versioned(file, output) for name, file in search_data.SCRIPTS.items()}
    return {**scripts, "base": _versioned(_INDEX, output), "words": words, "terms": terms}


def _bulk(library: Library, pages: Sequence[Page]) -> str:
    """All rulings as JSON, one a line."""
    lines = {
        page.data.key: dumps(page.data.exported, None)
        for page in pages
        if isinstance(page.data, RulingPage)
    }
    return "".join(f"{lines[key]}\n" for key in library.rulings)
