"""The whole site: collect all pages, render those whose data differ, write what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path

from kb.core import urls
from kb.core.derived_data import DerivedData
from kb.core.json import data_hash, dumps
from kb.core.memo import Memo
from kb.core.parallel import run_in_child
from kb.core.problems import KbError
from kb.language import FormTable
from kb.language.lookup import Changes
from kb.records.history import RevisionDiff
from kb.records.library import Library
from kb.records.site_config import SiteFiles
from kb.search.browser import ALWAYS, Before, Offline, modules, update_offline, write_offline
from kb.search.browser.rows import Contribution
from kb.serialize.markdown import ListedRuling, rulings_to_llms_txt, site_to_llms_txt
from kb.serialize.ruling import text_in
from kb.site import feeds, search_data
from kb.site.branding import NAME, branding, logo_file, own_pages
from kb.site.bulk import write_bulk
from kb.site.collect import MOVED_TEMPLATE, RULING_TEMPLATE, PageCollector, game_link
from kb.site.context import ASSETS, SEARCH, PageRenderer, SiteContext
from kb.site.early import EarlyPages, show_early
from kb.site.game_scripts import script_hashes, scripts_of, write_scripts
from kb.site.i18n import OFFER, interface_languages, read_words
from kb.site.output import Output, Written
from kb.site.overview import overview_pages
from kb.site.page_writer import PageWriter, WrittenPage
from kb.site.pages import DeckPage, PageSource, RulingLink, SearchPage
from kb.site.templates import Templates
from kb.site.tracking import differing

Progress = Callable[[int, int], None]
_STYLE_SHEET = "kb.css"
_INDEX = f"{SEARCH}/base.js"
# Pages that name the browser's index and the data of games by what is in them.
_NAMING_SCRIPTS = (urls.SEARCH, urls.DECK, urls.GO)
_NOT_IN_SITEMAP = (urls.NOT_FOUND, urls.SEARCH, urls.OFFLINE, urls.GO, urls.PROPOSE)


@dataclass(frozen=True)
class SiteSettings:
    """What a site is built with, besides the records.

    `forms`: the table of forms of the same build. `changed`: when each record was last changed, by
    its path below the folder of records; `past`: its last changes, by key. `own`: what the
    webmaster says of the site. `program`: a hash of the program and the templates. `meanings`,
    `contents`: see PageCollector. `memo`: keeps what the next site can use again. `early`: pages
    that are wanted before the rest, where the output holds a site already. `form_changes`: how the
    table of forms differs from earlier ones. `prepare`: makes the folder a copy of the previous
    site, where it is not one yet, and raises SiteChanged where that is not as its build left it;
    called when early pages are shown. `derived`: what builds from nothing take over from each
    other.
    """

    templates: Templates
    forms: Path
    build_id: str
    build_date: str
    base_url: str = ""
    report: str = ""
    interfaces: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    past: Mapping[str, tuple[RevisionDiff, ...]] = field(default_factory=dict)
    own: SiteFiles = field(default_factory=SiteFiles)
    program: str = ""
    meanings: Mapping[str, str] = field(default_factory=dict)
    contents: Mapping[str, str] = field(default_factory=dict)
    memo: Memo = field(default_factory=lambda: Memo(keep=False))
    early: EarlyPages | None = None
    form_changes: Changes | None = None
    prepare: Callable[[], object] | None = None
    derived: DerivedData | None = None


class SiteChanged(Exception):
    """The site that the output holds is not as its build left it: nothing of it can stay."""


@dataclass(frozen=True)
class Site:
    """A site as it was written: its pages by address, its other files, the browser's index.

    `inputs`: hashes of all that its pages can read, by name; none where contents had no hashes.
    """

    pages: dict[str, WrittenPage]
    others: dict[str, Written]
    index: Offline
    inputs: Mapping[str, str] = field(default_factory=dict)

    @cached_property
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
    contributions: Callable[[], Mapping[str, Contribution]]


def build_site(
    library: Library,
    folder: Path,
    settings: SiteSettings,
    progress: Progress | None = None,
    previous: PreviousSite | None = None,
) -> Site:
    """Write the whole site into `folder`, which is empty or holds the previous site.

    The same library and settings give the same bytes, whatever was there. Raises KbError for an
    unknown language of the interface, or a game whose id is one; SiteChanged, see SiteSettings.
    """
    languages = _interfaces(library, settings)
    before = previous.site.files if previous else None
    output = Output(folder, before, held=bool(previous and settings.prepare))
    _write_static(output, settings)
    # Where a process builds again and again, little of an index has changed.
    apart = not (settings.memo.keep and previous)
    with (
        FormTable.open(settings.forms, settings.form_changes) as table,
        # It takes the longest: it begins first.
        run_in_child(
            partial(_write_index, library, table, output, settings, previous), apart=apart
        ) as finished_index,
    ):
        words = _write_words(library, output, settings, languages)
        collectors = [
            PageCollector(
                game,
                library,
                table,
                settings.past,
                settings.meanings,
                settings.contents,
                settings.memo,
            )
            for game in library.games.values()
        ]
        context = _context(library, output, settings, languages)
        inputs = _inputs(collectors, settings, context)
        if settings.contents:
            inputs |= script_hashes(library, collectors, table, inputs)
        unchanged = _unchanged_games(library, inputs, previous)
        writer = _page_writer(output, settings, context, inputs, previous)
        pages = [page for collector in collectors for page in collector.pages()]
        pages += overview_pages(
            library,
            collectors,
            settings.past,
            (settings.build_id, settings.build_date),
            partial(_search_page, output, words["words"]),
            partial(_deck_page, library, output),
        )
        pages += [page.source() for page in own_pages(settings.own)]
        if previous:
            _begin(pages, writer, output, settings)
        scripts_job = partial(
            write_scripts,
            output,
            library,
            collectors,
            table,
            lambda lang: read_words(settings.templates, lang if lang in languages else "en"),
            {"build": settings.build_id, "date": settings.build_date},
            settings.memo,
            unchanged,
        )
        with run_in_child(scripts_job, apart=apart) as finished_scripts:

            def finish_scripts() -> None:
                output.take(finished_index()[1])
                output.take(finished_scripts())

            written, lines = _write_pages(pages, collectors, writer, finish_scripts, progress)
            index, _ = finished_index()
    for page in written.values():
        output.take(page.files)
    write_bulk(library, output, lines, previous.site.index.keys if previous else ())
    del lines
    _write_others(library, collectors, pages, output, settings, languages, unchanged)
    _write_build_script(output, settings, languages, words)
    _write_offline_lists(library, output, settings, languages)
    output.finish()
    own = {address for page in written.values() for address in page.files}
    others = {address: file for address, file in output.files.items() if address not in own}
    return Site(written, others, index, inputs)


def _begin(
    pages: Sequence[PageSource], writer: PageWriter, output: Output, settings: SiteSettings
) -> None:
    """Show early pages, then let files be written."""
    if settings.early:
        show_early(settings.early, pages, _NAMING_SCRIPTS, writer, output)
    if settings.prepare:
        settings.prepare()
        output.begin()


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
    """Everything below static/ but the search's; the worker and `embed.js` lie at the root."""
    own = branding(settings.own)
    for name, path in settings.templates.files(urls.STATIC).items():
        if path.parent.name != modules.FOLDER:
            at_root = name in (urls.WORKER, urls.EMBED)
            address = name if at_root else f"{urls.STATIC}/{name}"
            data = path.read_bytes()
            if name == _STYLE_SHEET:
                data = modules.bare_sheet(own.colours(data.decode("utf-8"))).encode()
            elif address in ASSETS and path.suffix == ".js":
                data = modules.bare(data.decode("utf-8")).encode()
            output.write(address, data)
    core = (settings.templates / f"{urls.STATIC}/{modules.FOLDER}").parent
    output.write(f"{urls.STATIC}/{modules.SCRIPT}", modules.joined(core))
    if settings.own.logo:
        output.write(logo_file(settings.own), settings.own.logo)


def _write_index(
    library: Library,
    table: FormTable,
    output: Output,
    settings: SiteSettings,
    previous: PreviousSite | None,
) -> tuple[Offline, dict[str, Written]]:
    """Write the browser's index; return what it was made of, and its files."""
    own = Output(output.folder, output.before)
    folder, memo = output.folder / SEARCH, settings.memo
    if previous:
        before = Before(
            previous.site.index, previous.table or table, previous.contributions(), memo
        )
        index = update_offline(library, table, folder, before)
    else:
        index = write_offline(library, table, folder, memo, settings.derived)
    own.scan(SEARCH)
    return index, own.files


def _search_page(output: Output, words: Mapping[str, str]) -> SearchPage:
    """The search page, which has its browser ask for the index and its words at once."""
    (always,) = (name for name in output.files if name.startswith(f"{SEARCH}/{ALWAYS}-"))
    return SearchPage(_versioned(_INDEX, output), always, words)


def _deck_page(library: Library, output: Output) -> DeckPage:
    """The page for decks, which names the browser's index and each game's data."""
    decks = {game: _versioned(urls.deck_data(game), output) for game in library.games}
    return DeckPage(_versioned(_INDEX, output), decks)


def _versioned(name: str, output: Output) -> str:
    """The address of a file with a hash of its content, so that browsers never mix two builds."""
    return f"{name}?{output.files[name][0][:10]}"


def _context(
    library: Library, output: Output, settings: SiteSettings, languages: tuple[str, ...]
) -> SiteContext:
    return SiteContext(
        games=tuple(map(game_link, library.games.values())),
        assets={name: _versioned(name, output) for name in ASSETS},
        interfaces=languages,
        base_url=settings.base_url,
        report=settings.report,
        branding=branding(settings.own),
    )


def _inputs(
    collectors: Sequence[PageCollector], settings: SiteSettings, context: SiteContext
) -> dict[str, str]:
    """Hashes of all that pages can read, by name; that of what all of them share has no name."""
    inputs = {"": data_hash([settings.program, context])}
    for collector in collectors if settings.contents else ():
        inputs |= collector.log.hashes()
    return inputs


def _unchanged_games(
    library: Library, inputs: Mapping[str, str], previous: PreviousSite | None
) -> list[str]:
    """The ids of games of which the previous site had the same records, names and forms."""
    old = previous.site.inputs if previous else {}
    names = {game: scripts_of(game) for game in library.games}
    return [game for game, name in names.items() if name in old and old[name] == inputs.get(name)]


def _page_writer(
    output: Output,
    settings: SiteSettings,
    context: SiteContext,
    inputs: Mapping[str, str],
    previous: PreviousSite | None,
) -> PageWriter:
    memo, templates = settings.memo, settings.templates
    old_inputs = previous.site.inputs if previous and settings.contents else {}
    is_comparable = old_inputs.get("") == inputs[""]
    return PageWriter(
        output,
        {
            lang: memo.call(lang, renderer_for, settings.program, templates, lang, context)
            for lang in context.interfaces
        },
        context,
        inputs[""],
        previous.site.pages if previous else {},
        differing(old_inputs, inputs) if is_comparable else None,
        apart=not (memo.keep and previous),
    )


def renderer_for(
    program: str, templates: Templates, lang: str, context: SiteContext
) -> PageRenderer:
    """A renderer; `program` tells one state of the templates from another."""
    return PageRenderer(templates, read_words(templates, lang), context)


def _write_pages(
    sources: Sequence[PageSource],
    collectors: Sequence[PageCollector],
    writer: PageWriter,
    finish_scripts: Callable[[], None],
    progress: Progress | None,
) -> tuple[dict[str, WrittenPage], dict[str, bytes]]:
    """Write all pages; return them, and the lines of the list of all rulings by their keys.

    Those of rulings come first, so that the lists of other pages can show the same answers.
    `finish_scripts` is called before the last ones, which name the scripts that it awaits.
    """
    by_game = {collector.game.id: collector for collector in collectors}
    written: dict[str, WrittenPage] = {}
    lines: dict[str, bytes] = {}
    groups: tuple[list[PageSource], ...] = ([], [], [])
    for source in sources:
        last = source.address in _NAMING_SCRIPTS
        groups[0 if source.template == RULING_TEMPLATE else 2 if last else 1].append(source)
    for number, group in enumerate(groups):
        if number == len(groups) - 1:
            finish_scripts()
        for results in writer.write_all(group):
            for address, page, ruling in results:
                written[address] = page
                if ruling:
                    game, _, ruling_id = ruling.key.partition("/")
                    lines[ruling.key] = ruling.line
                    by_game[game].answers[ruling_id] = ruling.answers
            if progress:
                progress(len(written), len(sources))
    return {source.address: written[source.address] for source in sources}, lines


def _write_others(
    library: Library,
    collectors: Sequence[PageCollector],
    pages: Sequence[PageSource],
    output: Output,
    settings: SiteSettings,
    languages: Sequence[str],
    unchanged: Collection[str],
) -> None:
    """Everything that is not a page. `unchanged`: ids of games with the same records as before."""
    own = branding(settings.own)
    words = read_words(settings.templates, "en").with_messages(own.messages("en"))
    # The same program has written the same schema.
    output.take(_known_files(output, [urls.SCHEMA, *map(urls.llms, unchanged)]))
    if urls.SCHEMA not in output.files:
        output.write(urls.SCHEMA, _schema())
    changed = [one for one in collectors if urls.llms(one.game.id) not in output.files]
    for address, text in _llms_texts(library, collectors, changed):
        output.write(address, text)
    entries = feeds.entries(library, settings.changed, settings.build_date)
    output.write(
        urls.FEED, feeds.feed(entries, settings.base_url, words(NAME), settings.build_date)
    )
    for lang in languages:
        catalog = read_words(settings.templates, lang).with_messages(own.messages(lang))
        output.write(urls.localized(urls.MANIFEST, lang), feeds.manifest(catalog, own))
    if settings.base_url:
        listed = [
            page.address
            for page in pages
            if page.address not in _NOT_IN_SITEMAP and page.template != MOVED_TEMPLATE
        ]
        output.write(urls.SITEMAP, feeds.sitemap(listed, settings.base_url, languages))
        for lang in languages:
            catalog = read_words(settings.templates, lang).with_messages(own.messages(lang))
            description = feeds.opensearch(catalog, settings.base_url)
            output.write(urls.localized(urls.OPENSEARCH, lang), description)


def _write_offline_lists(
    library: Library, output: Output, settings: SiteSettings, languages: Sequence[str]
) -> None:
    """Write which files browsers store for offline use: the last of all, as they name the rest."""
    stamp = {"build": settings.build_id, "date": settings.build_date}
    lists = feeds.offline_lists(output.files, list(library.games), languages, stamp, settings.memo)
    for address, listed_files in lists:
        output.write(address, listed_files)


@cache
def _schema() -> str:
    from kb.serialize.schema import schema

    return dumps(schema()) + "\n"


def _write_words(
    library: Library, output: Output, settings: SiteSettings, languages: Sequence[str]
) -> dict[str, dict[str, str]]:
    """Write the words and the terms of the search; return their addresses, by language."""
    catalogs = {lang: read_words(settings.templates, lang) for lang in languages}
    addresses = {}
    for name, scripts in search_data.scripts(library, catalogs).items():
        for address, text in scripts.values():
            output.write(address, text)
        addresses[name] = {lang: _versioned(one, output) for lang, (one, _) in scripts.items()}
    return addresses


def _write_build_script(
    output: Output,
    settings: SiteSettings,
    languages: Sequence[str],
    words: Mapping[str, Mapping[str, str]],
) -> None:
    """Write what changes with every build: its id and date, and the addresses that pages load."""
    catalogs = {lang: read_words(settings.templates, lang) for lang in languages}
    search: dict[str, object] = {**words}
    for name, address in {**search_data.FILES, "base": _INDEX}.items():
        search[name] = _versioned(address, output)
    stamp = {
        "build": settings.build_id,
        "date": settings.build_date,
        "languages": {lang: list(map(catalog, OFFER)) for lang, catalog in catalogs.items()},
        "search": search,
    }
    output.write(urls.BUILD_SCRIPT, f"window.KB_BUILT = {dumps(stamp, None)};\n")


def _known_files(output: Output, addresses: Iterable[str]) -> dict[str, Written]:
    """Those of some files that the previous site has."""
    before = output.before
    return {address: before[address] for address in addresses if address in before}


def _llms_texts(
    library: Library, collectors: Sequence[PageCollector], changed: Sequence[PageCollector]
) -> Iterator[tuple[str, str]]:
    """Yield address and text of `llms.txt`: the site's, and one for each game that has changed."""
    sizes = Counter(ruling.game for ruling in library.rulings.values())
    rows = ((one.game.id, one.link.title("en"), sizes[one.game.id]) for one in collectors)
    yield urls.llms(), site_to_llms_txt(rows)
    for collector in changed:
        topics = map(collector.topic_links, collector.game.header.topics)
        listed = ((text_in(dict(titles), "en"), map(_listed, links)) for titles, links in topics)
        here = urls.llms(collector.game.id)
        yield here, rulings_to_llms_txt(collector.link.title("en"), listed, here)


def _listed(ruling: RulingLink) -> ListedRuling:
    titles = " / ".join(title for _, title in ruling.titles)
    return ListedRuling(ruling.address, titles, ruling.kind, ruling.authority, ruling.status)
