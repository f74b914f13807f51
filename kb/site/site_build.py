"""The whole site, written into an empty folder on all cores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from kb.core import urls
from kb.core.json import compact, dumps
from kb.core.parallel import parallel_map
from kb.decks.answer import deck_data
from kb.decks.base import base_of_library
from kb.language import FormTable
from kb.records.library import Library
from kb.records.marks import plain_text
from kb.records.model import Game, Term
from kb.search.browser import BASE, write_index
from kb.search.document import Document
from kb.serialize.export import jsonl_lines
from kb.serialize.markdown import rulings_to_llms_txt, site_to_llms_txt
from kb.serialize.ruling import text_in
from kb.site import feeds
from kb.site.branding import NAME, branding
from kb.site.collect import MOVED_TEMPLATE
from kb.site.embed import embed_data
from kb.site.i18n import OFFER, SOURCE, STATUSES, Catalog, search_words
from kb.site.offline import write_archives
from kb.site.output import Output, Written
from kb.site.overview import naming_pages, searched_games
from kb.site.pages import DeckPage, PageSource, RulingLink, SearchPage
from kb.site.site_pages import SitePages

Progress = Callable[[int, int], None]
# A part of a build; returns the files of the site that it has written.
Work = Callable[[], Mapping[str, Written]]
_INDEX = f"{urls.SEARCH_INDEX}/{BASE}"
_NOT_IN_SITEMAP = (urls.NOT_FOUND, urls.SEARCH, urls.OFFLINE, urls.GO, urls.PROPOSE)
# Pages that one process renders at a time.
_CHUNK = 50
# The files of templates/static that the search loads when it is first used.
SEARCH_FILES = {
    "client": "static/search-client.js",
    "box": "static/search-box.js",
    "core": "static/search-core.js",
    "worker": "static/search-worker.js",
}
_MEANING = 160


@dataclass(frozen=True)
class Site:
    """A site as it was written: its files by address, and how many of them are HTML pages."""

    files: Mapping[str, Written]
    html_pages: int


def build_site(
    pages: SitePages,
    table: FormTable,
    documents: Sequence[Document],
    folder: Path,
    beside: Sequence[Work] = (),
    progress: Progress | None = None,
) -> Site:
    """Write the whole site into `folder`, which is empty.

    The same library and settings give the same bytes. `documents`: its rulings, analysed.
    `beside`: other work of the build, which is done on the same cores.
    """
    output = Output(folder)
    for address, data in pages.static.items():
        output.write(address, data)
    words = _write_words(pages, output)
    sources = [*pages.sources.values()]
    # What takes longest begins first.
    work: list[Work] = [*beside, partial(_write_index, pages, table, documents, folder)]
    work += [partial(write, pages, table, folder) for write in (_write_decks, _write_embed)]
    work.append(partial(_write_lists, pages, folder))
    chunks = [sources[start : start + _CHUNK] for start in range(0, len(sources), _CHUNK)]
    work += [partial(_write_pages, pages, chunk, folder) for chunk in chunks]
    for number, files in enumerate(parallel_map(_call, work), 1):
        output.take(files)
        if progress:
            progress(len(sources) * number // len(work), len(sources))
    naming = [*naming_pages(_search_page(output, words["words"]), _deck_page(pages, output))]
    output.take(_write_pages(pages, naming, folder))
    _write_feeds(pages, [*sources, *naming], output)
    _write_build_script(pages, output, words)
    stamp = {"build": pages.settings.build_id, "date": pages.settings.build_date}
    english = {lang: pages.context.only_english(lang) for lang in pages.languages}
    write_archives(output, [*pages.library.games], english, stamp)
    return Site(output.files, sum(address.endswith(".html") for address in output.files))


def _call(work: Work) -> Mapping[str, Written]:
    return work()


def _write_pages(
    pages: SitePages, sources: Sequence[PageSource], folder: Path
) -> Mapping[str, Written]:
    output = Output(folder)
    for address, data in pages.files(sources):
        output.write(address, data)
    return output.files


def _write_index(
    pages: SitePages, table: FormTable, documents: Sequence[Document], folder: Path
) -> Mapping[str, Written]:
    """Write the browser's index."""
    output = Output(folder)
    write_index(pages.library, table, documents, folder / urls.SEARCH_INDEX)
    output.scan(urls.SEARCH_INDEX)
    return output.files


def _write_decks(pages: SitePages, table: FormTable, folder: Path) -> Mapping[str, Written]:
    """Write what the deck page loads of each game, as the search's files are written."""
    output, library = Output(folder), pages.library
    numbers = {key: number for number, key in enumerate(library.rulings)}
    for collector in pages.collectors:
        game = collector.game.id
        data = deck_data(base_of_library(game, library, table), numbers, collector.card_pages())
        output.write(urls.deck_data(game), f'KB_SHARD("deck-{game}",{compact(data)});\n')
        facts = compact(collector.facts_of_others())
        output.write(urls.card_facts(game), f'KB_SHARD("cards-{game}",{facts});\n')
    return output.files


def _write_embed(pages: SitePages, table: FormTable, folder: Path) -> Mapping[str, Written]:
    """Write what `embed.js` loads of each game in each of its languages; "" is the game's own."""
    output, settings = Output(folder), pages.settings
    build = {"build": settings.build_id, "date": settings.build_date}
    for collector in pages.collectors:
        game = collector.game
        for lang in collector.languages:
            data = compact({**build, **embed_data(pages, collector, lang, table)})
            for name in (lang, "") if lang == game.language else (lang,):
                address = urls.embed_data(game.id, name)
                output.write(address, f'KB_EMBED("{game.id}-{name}",{data});\n')
    return output.files


def _write_lists(pages: SitePages, folder: Path) -> Mapping[str, Written]:
    """Write all rulings as JSON, one a line, and what programs for language models read."""
    output, library = Output(folder), pages.library
    lines = (f"{line}\n".encode("utf-8", "replace") for line in jsonl_lines(library))
    output.write(urls.BULK, b"".join(lines))
    output.write(urls.SCHEMA, _schema())
    for address, text in _llms_texts(pages):
        output.write(address, text)
    return output.files


def _search_page(output: Output, words: Mapping[str, str]) -> SearchPage:
    """The search page, which has its browser ask for the index and its words at once."""
    return SearchPage(_versioned(_INDEX, output), words)


def _deck_page(pages: SitePages, output: Output) -> DeckPage:
    """The page for decks, which names the browser's index and each game's data."""
    decks = {game: _versioned(urls.deck_data(game), output) for game in pages.library.games}
    facts = {game: _versioned(urls.card_facts(game), output) for game in pages.library.games}
    return DeckPage(_versioned(_INDEX, output), decks, facts)


def _versioned(name: str, output: Output) -> str:
    """The address of a file with a hash of its content, so that browsers never mix two builds."""
    return f"{name}?{output.files[name][0][:10]}"


def _write_words(pages: SitePages, output: Output) -> dict[str, dict[str, str]]:
    """Write the words and the terms of the search; return their addresses, by language."""
    addresses = {}
    for name, scripts in search_scripts(pages.library, pages.words).items():
        for address, text in scripts.values():
            output.write(address, text)
        addresses[name] = {lang: _versioned(one, output) for lang, (one, _) in scripts.items()}
    return addresses


def _write_feeds(pages: SitePages, sources: Sequence[PageSource], output: Output) -> None:
    """Write what feed readers, browsers and search engines look for."""
    settings, own = pages.settings, branding(pages.settings.own)
    for lang in pages.languages:
        catalog = pages.words[lang].with_messages(own.messages(lang))
        for channel, changed in _channels(pages, catalog):
            text = feeds.feed(changed, channel, settings.base_url, settings.build_date)
            output.write(channel.address, text)
        output.write(urls.localized(urls.MANIFEST, lang), feeds.manifest(catalog, own))
        if settings.base_url:
            description = feeds.opensearch(catalog, settings.base_url)
            output.write(urls.localized(urls.OPENSEARCH, lang), description)
    if settings.base_url:
        languages_of = pages.context.languages_of
        listed = [
            source.address
            for source in sources
            if source.address not in _NOT_IN_SITEMAP and source.template != MOVED_TEMPLATE
        ]
        output.write(urls.ROBOTS, feeds.robots(settings.base_url))
        output.write(urls.SITEMAP, feeds.sitemap(listed, settings.base_url, languages_of))


def _channels(
    pages: SitePages, words: Catalog
) -> Iterator[tuple[feeds.Channel, list[feeds.Entry]]]:
    """The feeds in one language: of all games, and of each game whose pages are in it."""
    settings, lang = pages.settings, words.lang

    def channel(address: str, page: str, title: str) -> feeds.Channel:
        return feeds.Channel(
            urls.localized(address, lang),
            urls.localized(page, lang),
            title,
            lang,
            words.table(STATUSES),
        )

    rulings = pages.library.rulings.values()
    changed = feeds.entries(rulings, settings.changed, settings.build_date)
    yield channel(urls.FEED, urls.HOME, words(NAME)), changed
    for game in pages.context.games:
        page = urls.game(game.id)
        if lang in pages.context.languages_of(page):
            of_game = pages.library.of_game(game.id)
            changed = feeds.entries(of_game, settings.changed, settings.build_date)
            title = f"{game.title(lang)} – {words(NAME)}"
            yield channel(urls.feed(game.id), page, title), changed


def _write_build_script(
    pages: SitePages, output: Output, words: Mapping[str, Mapping[str, str]]
) -> None:
    """Write what changes with every build: its id and date, and the addresses that pages load."""
    settings = pages.settings
    search: dict[str, object] = {**words}
    for name, address in {**SEARCH_FILES, "base": _INDEX}.items():
        search[name] = _versioned(address, output)
    stamp = {
        "build": settings.build_id,
        "date": settings.build_date,
        "languages": {lang: list(map(catalog, OFFER)) for lang, catalog in pages.words.items()},
        "search": search,
    }
    output.write(urls.BUILD_SCRIPT, f"window.KB_BUILT = {dumps(stamp, None)};\n")


@cache
def _schema() -> str:
    from kb.serialize.schema import schema

    return dumps(schema()) + "\n"


def _llms_texts(pages: SitePages) -> Iterator[tuple[str, str]]:
    """Yield address and text of `llms.txt`: the site's, and one for each game."""
    sizes = Counter(ruling.game for ruling in pages.library.rulings.values())
    collectors = pages.collectors
    rows = ((one.game.id, one.link.title("en"), sizes[one.game.id]) for one in collectors)
    yield urls.llms(), site_to_llms_txt(rows)
    for collector in collectors:
        topics = map(collector.topic_links, collector.game.header.topics)
        listed = ((text_in(dict(titles), "en"), map(_listed, links)) for titles, links in topics)
        here = urls.llms(collector.game.id)
        yield here, rulings_to_llms_txt(collector.link.title("en"), listed, here)


def _listed(ruling: RulingLink) -> tuple[str, str, str]:
    titles = " / ".join(title for _, title in ruling.titles)
    return ruling.address, titles, f"{ruling.kind}, {ruling.authority}, {ruling.status}"


def search_scripts(
    library: Library, catalogs: Mapping[str, Catalog]
) -> dict[str, dict[str, tuple[str, str]]]:
    """Address and text of the scripts with words and, loaded after an answer, terms.

    By kind and language of the interface.
    """
    games = searched_games(library)
    words = {lang: compact(search_words(games, catalog)) for lang, catalog in catalogs.items()}
    terms = {
        lang: compact([row for game in library.games.values() for row in _terms(game, lang)])
        for lang in catalogs
    }
    return {
        "words": {
            lang: (urls.search_words(lang), f"window.KB_WORDS = {text};\n")
            for lang, text in words.items()
        },
        "terms": {
            lang: (urls.search_terms(lang), f"window.KB_TERMS = {text};\n")
            for lang, text in terms.items()
        },
    }


def _terms(game: Game, lang: str) -> Iterator[tuple[str, str, Sequence[str], str, Sequence[str]]]:
    """Game, id, names and meaning of each term, those in the language first, then English.

    Last the names that only find it.
    """
    for term in game.terms:
        languages = dict.fromkeys((lang, SOURCE, *term.names))
        names = [name for code in languages for name in term.names.get(code, ())]
        also = [name for names in term.also.values() for name in names]
        yield game.id, term.id, tuple(dict.fromkeys(names)), _meaning(term, languages), also


def _meaning(term: Term, languages: Mapping[str, None]) -> str:
    """The beginning of a term's meaning in the first language that has one."""
    text = plain_text(next((term.meaning[one] for one in languages if one in term.meaning), ""))
    return text if len(text) <= _MEANING else text[:_MEANING].rsplit(" ", 1)[0] + "…"
