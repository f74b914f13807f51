"""The whole site, written into an empty folder on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from kb.core import urls
from kb.core.json import compact, dumps
from kb.core.parallel import parallel_map
from kb.decks.base import base_of_library, deck_data
from kb.language import FormTable
from kb.language.registry import reading_order
from kb.records.model import Game
from kb.records.text import plain_text
from kb.search.browser import BASE, write_index
from kb.search.document import Document
from kb.serialize.ruling import jsonl_lines
from kb.site.cards import facts_of_others
from kb.site.context import page_words
from kb.site.embed import embed_data
from kb.site.feeds import feed_files
from kb.site.i18n import OFFER, search_words
from kb.site.markdown import beginning
from kb.site.offline import ArchiveParts, Archiver, write_archives
from kb.site.output import Files, Written, note, versioned, write_site_files
from kb.site.pages import Page
from kb.site.site_pages import SitePages

Progress = Callable[[int, int], None]
# A part of a build; returns the files of the site that it has written.
Work = Callable[[], Mapping[str, Written]]
_INDEX = f"{urls.SEARCH_INDEX}/{BASE}"
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


def build_site(
    pages: SitePages,
    table: FormTable,
    documents: Sequence[Document],
    folder: Path,
    beside: Sequence[Work] = (),
    progress: Progress | None = None,
) -> dict[str, Written]:
    """Write the whole site into `folder`, which is empty; return its files by address.

    The same library and settings give the same bytes. `documents`: its rulings, analysed.
    `beside`: other work of the build, to be done on the same cores.
    """
    # First, so that all processes inherit the catalogues.
    files = write_site_files(folder, [*pages.static.items(), *_words(pages)])
    sources = [*pages.sources.values()]
    chunks = [sources[start : start + _CHUNK] for start in range(0, len(sources), _CHUNK)]
    # What takes longest begins first.
    work: list[Work] = [*beside, partial(_write_index, pages, table, documents, folder)]
    data = (_decks(pages, table), _embeds(pages), _lists(pages))
    work += [partial(write_site_files, folder, part) for part in data]
    archived: dict[int, ArchiveParts] = {}

    def run(number: int) -> tuple[int, Mapping[str, Written], ArchiveParts]:
        if number < len(work):
            return number, work[number](), {}
        return number, *_write_pages(folder, pages, chunks[number - len(work)])

    numbers = range(len(work) + len(chunks))
    for number, written, parts in parallel_map(run, numbers):
        files |= written
        archived[number] = parts
        if progress:
            progress(len(sources) * len(archived) // len(numbers), len(sources))

    def address(name: str) -> str:
        return versioned(name, files[name][0])

    naming = [*_naming_pages(pages, address)]
    written, archived[len(numbers)] = _write_pages(folder, pages, naming)
    files |= written
    files |= write_site_files(folder, feed_files(pages, [*sources, *naming]))
    files |= write_site_files(folder, [(urls.BUILD_SCRIPT, _build_script(pages, address))])
    in_order = [archived[number] for number in sorted(archived)]
    return files | write_archives(folder, files, pages, in_order)


def _write_pages(
    folder: Path, pages: SitePages, chunk: Sequence[Page]
) -> tuple[dict[str, Written], ArchiveParts]:
    """Write some pages with their data; return their files, and their parts of the archives."""
    archiver = Archiver(pages)
    files = write_site_files(folder, archiver.kept(pages.files(chunk)))
    return files, archiver.finish()


def _write_index(
    pages: SitePages, table: FormTable, documents: Sequence[Document], folder: Path
) -> dict[str, Written]:
    write_index(pages.library, table, documents, folder / urls.SEARCH_INDEX)
    paths = sorted((folder / urls.SEARCH_INDEX).rglob("*.js"))
    return {path.relative_to(folder).as_posix(): note(path.read_bytes()) for path in paths}


def _decks(pages: SitePages, table: FormTable) -> Files:
    """What the deck page loads of each game, as the search's files are written."""
    library = pages.library
    numbers = {key: number for number, key in enumerate(library.rulings)}
    for collector in pages.collectors:
        game, card_pages = collector.game.id, collector.card_pages()
        data = deck_data(base_of_library(game, library, table), numbers, card_pages)
        yield urls.deck_data(game), f'KB_SHARD("deck-{game}",{compact(data)});\n'
        language = collector.link.card_language
        facts = compact(facts_of_others(collector.game, language, card_pages))
        yield urls.card_facts(game), f'KB_SHARD("cards-{game}",{facts});\n'


def _embeds(pages: SitePages) -> Files:
    """What `embed.js` loads of each game in each of its languages; "" is the game's own."""
    for collector in pages.collectors:
        game = collector.game
        for lang in collector.languages:
            data = compact({**pages.stamp, **embed_data(pages, collector, lang)})
            for name in (lang, "") if lang == game.language else (lang,):
                address = urls.embed_data(game.id, name)
                yield address, f'KB_EMBED("{address}",{data});\n'


def _lists(pages: SitePages) -> Files:
    """All rulings as JSON, one a line, and what programs for language models read."""
    from kb.serialize.schema import schema

    lines = (f"{line}\n".encode("utf-8", "replace") for line in jsonl_lines(pages.library))
    yield urls.BULK, b"".join(lines)
    yield urls.SCHEMA, dumps(schema()) + "\n"


def _words(pages: SitePages) -> Files:
    """The scripts with the words of pages, of the search and, loaded after an answer, the terms."""
    games = pages.library.games.values()
    for lang, catalog in pages.words.items():
        words = compact(search_words(pages.context.games, catalog))
        yield urls.page_words(lang), page_words(catalog)
        yield urls.search_words(lang), f"window.KB_WORDS = {words};\n"
        terms = compact([row for game in games for row in _terms(game, lang)])
        yield urls.search_terms(lang), f"window.KB_TERMS = {terms};\n"


def _naming_pages(pages: SitePages, address: Callable[[str], str]) -> Iterator[Page]:
    """The pages of `overview.NAMING_PAGES`, whose browser asks for these files at once."""
    games = pages.library.games
    index = address(_INDEX)
    words = {lang: address(urls.search_words(lang)) for lang in pages.languages}
    yield Page(urls.SEARCH, "search.html", partial(SimpleNamespace, index=index, words=words))
    deck = partial(
        SimpleNamespace,
        index=index,
        data={game: address(urls.deck_data(game)) for game in games},
        facts={game: address(urls.card_facts(game)) for game in games},
    )
    yield Page(urls.DECK, "deck.html", deck)
    yield Page(urls.GO, "go.html", deck)


def _build_script(pages: SitePages, address: Callable[[str], str]) -> str:
    """What changes with every build: its id and date, and the addresses that pages load."""
    search = {
        "words": {lang: address(urls.search_words(lang)) for lang in pages.languages},
        "terms": {lang: address(urls.search_terms(lang)) for lang in pages.languages},
        **{name: address(file) for name, file in {**SEARCH_FILES, "base": _INDEX}.items()},
    }
    languages = {lang: list(map(catalog, OFFER)) for lang, catalog in pages.words.items()}
    dates = {lang: words.date(pages.stamp["date"]) for lang, words in pages.words.items()}
    downloads = pages.context.assets["static/downloads.js"]
    stamp = {
        **pages.stamp,
        "dates": dates,
        "downloads": downloads,
        "languages": languages,
        "search": search,
    }
    return f"window.KB_BUILT = {dumps(stamp, None)};\n"


def _terms(game: Game, lang: str) -> Iterator[tuple[str, str, Sequence[str], str, Sequence[str]]]:
    """Game, id, names and meaning of each term, in the order in which a reader of a language reads.

    Last the names that only find it.
    """
    for term in game.terms:
        languages = dict.fromkeys((*reading_order(lang), *term.names))
        names = [name for code in languages for name in term.names.get(code, ())]
        also = [name for names in term.also.values() for name in names]
        meaning = next((term.meaning[lang] for lang in languages if lang in term.meaning), "")
        about = beginning(plain_text(meaning), _MEANING)
        yield game.id, term.id, tuple(dict.fromkeys(names)), about, also
