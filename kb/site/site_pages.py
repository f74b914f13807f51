"""All pages of a site: what is on each, and its files. A build writes all, `--watch` one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import orjson

from kb.core import urls
from kb.core.json import dumps
from kb.core.problems import KbError, WrongUsage
from kb.language import FormTable, language_hint
from kb.language.registry import sisters
from kb.records.history import RevisionDiff
from kb.records.identity import PICTURE, picture_size
from kb.records.library import Library
from kb.records.model import Game
from kb.records.site_config import SiteFiles
from kb.search.browser.settings import SCRIPT, SCRIPT_FOLDER, bare, bare_sheet, joined
from kb.site.branding import branding, card_styles, logo_file, own_pages
from kb.site.collect import PageCollector
from kb.site.context import ASSETS, PageRenderer, Picture, SiteContext, oembed
from kb.site.i18n import Catalog, interface_languages, read_words
from kb.site.output import encoded, written
from kb.site.overview import example_queries, overview_pages
from kb.site.pages import Page, PageSource, RulingPage
from kb.site.templates import Templates

_STYLE_SHEET, _FIGURES = "kb.css", "figures.css"


@dataclass(frozen=True)
class SiteSettings:
    """What a site is built with, besides the records.

    `changed`: when each record was last changed, by its path below the folder of records; `past`:
    its last changes, by key. `own`: what the webmaster says of the site.
    """

    templates: Templates
    build_id: str
    build_date: str
    base_url: str = ""
    report: str = ""
    interfaces: tuple[str, ...] = ()
    changed: Mapping[str, str] = field(default_factory=dict)
    past: Mapping[str, tuple[RevisionDiff, ...]] = field(default_factory=dict)
    own: SiteFiles = field(default_factory=SiteFiles)


class SitePages:
    """The pages of a site but those that name the browser's index: see `overview.naming_pages`.

    `library`: its texts link the cards that they name. `static`: the files of the look by address.
    """

    def __init__(self, library: Library, table: FormTable, settings: SiteSettings) -> None:
        """Raise KbError for an unknown language of the interface, or a game whose id is one."""
        self.library, self.settings = library, settings
        self.languages = _interfaces(library, settings)
        by_game = {} if settings.interfaces else _game_interfaces(library, self.languages)
        self.static = static_files(settings, library.games.values())
        self.collectors = [
            PageCollector(game, library, table, settings.past) for game in library.games.values()
        ]
        self.context = SiteContext(
            games=tuple(collector.link for collector in self.collectors),
            assets={name: versioned(name, self.static[name]) for name in ASSETS},
            interfaces=self.languages,
            base_url=settings.base_url,
            report=settings.report,
            branding=branding(settings.own),
            pictures={
                game.id: Picture(
                    versioned(_picture(game), game.picture), *picture_size(game.picture)
                )
                for game in library.games.values()
                if game.picture
            },
            game_interfaces=by_game,
            examples=tuple(example_queries(game, library) for game in library.games.values()),
        )
        self._renderers: dict[str, PageRenderer] = {}

    @cached_property
    def sources(self) -> dict[str, PageSource]:
        """The pages, yet to be collected, by address."""
        settings = self.settings
        build = (settings.build_id, settings.build_date)
        sources = [page for collector in self.collectors for page in collector.pages()]
        sources += overview_pages(self.library, self.collectors, settings.past, build)
        sources += own_pages(settings.own)
        return {source.address: source for source in sources}

    @cached_property
    def words(self) -> dict[str, Catalog]:
        """The catalogue of each language of the interface. Raises KbError for a broken one."""
        return {lang: read_words(self.settings.templates, lang) for lang in self.languages}

    def take_renderers(self, other: SitePages) -> None:
        """Render with the compiled templates of another site, which has the same templates."""
        if self.context == other.context:
            self._renderers = other._renderers

    def files(self, sources: Sequence[PageSource]) -> Iterator[tuple[str, bytes]]:
        """The files of some pages, with their addresses.

        Each kind of work is done for all of them before the next kind, which takes a quarter less
        than page by page.
        """
        pages = [source.page() for source in sources]
        for lang in self.languages:
            for page in pages:
                is_missing = lang != "en" and page.address == urls.NOT_FOUND
                if lang in self.context.languages_of(page.address) and not is_missing:
                    yield urls.localized(page.address, lang), self.html(page, lang)
        for page in pages:
            yield from self.beside(page)

    def html(self, page: Page, lang: str) -> bytes:
        """A page in a language of the interface. Raises KbError for a broken template."""
        return encoded(self._renderer(lang).html(page))

    def _renderer(self, lang: str) -> PageRenderer:
        if lang not in self._renderers:
            words, templates = self.words[lang], self.settings.templates
            self._renderers[lang] = PageRenderer(templates, words, self.context)
        return self._renderers[lang]

    def beside(self, page: Page) -> Iterator[tuple[str, bytes]]:
        """The data beside a page."""
        base_url = self.context.base_url
        if hasattr(page.data, "beside"):
            data = orjson.dumps(page.data.beside(), option=orjson.OPT_APPEND_NEWLINE)
            yield urls.data_address(page.address), data
        if base_url and isinstance(page.data, RulingPage):
            for lang in self.context.languages_of(page.address):
                own = self.context.branding.messages(lang)
                answer = oembed(page.data, self.words[lang].with_messages(own), base_url)
                address = urls.localized(urls.oembed(page.address), lang)
                yield address, encoded(dumps(answer) + "\n")
        if hasattr(page.data, "markdown"):
            yield urls.markdown_address(page.address), encoded(page.data.markdown(base_url))


def versioned(name: str, data: bytes) -> str:
    """The address of a file with a hash of its content, so that browsers never mix two builds."""
    return f"{name}?{written(data)[0][:10]}"


def static_files(settings: SiteSettings, games: Iterable[Game]) -> dict[str, bytes]:
    """Everything below static/ but the search's; the worker and `embed.js` lie at the root."""
    templates, own = settings.templates, branding(settings.own)
    files: dict[str, bytes] = {}
    for name, path in templates.files(urls.STATIC).items():
        if path.parent.name == SCRIPT_FOLDER:
            continue
        at_root = name in (urls.WORKER, urls.EMBED)
        address = name if at_root else f"{urls.STATIC}/{name}"
        data = path.read_bytes()
        if name == _STYLE_SHEET:
            data = own.colours(data.decode("utf-8"), games).encode()
        elif name == _FIGURES:
            data += "".join(map(card_styles, games)).encode()
        elif address in ASSETS and path.suffix == ".js":
            data = bare(data.decode("utf-8")).encode()
        if path.suffix == ".css":
            data = bare_sheet(data.decode("utf-8")).encode()
        files[address] = data
    core = (templates / f"{urls.STATIC}/{SCRIPT_FOLDER}").parent
    files[f"{urls.STATIC}/{SCRIPT}"] = joined(core).encode()
    for game in games:
        if game.picture:
            files[_picture(game)] = game.picture
    if settings.own.logo:
        files[logo_file(settings.own)] = settings.own.logo
    return files


def _picture(game: Game) -> str:
    return f"{game.id}/{PICTURE}"


def _interfaces(library: Library, settings: SiteSettings) -> tuple[str, ...]:
    """The languages of the interface, English first; by default those that games are read in."""
    known = interface_languages(settings.templates)
    missing = [lang for lang in settings.interfaces if lang not in known]
    if missing:
        hint = language_hint(missing[0]) or f"; there are {', '.join(known)}"
        raise WrongUsage(f"no words of the interface in {', '.join(missing)}{hint}")
    spoken = {lang for game in library.games.values() for lang in _read_in(game)}
    chosen = settings.interfaces or [lang for lang in known if lang in spoken]
    languages = tuple(dict.fromkeys(("en", *chosen)))
    for lang in languages:
        if lang in library.games:
            raise KbError(
                f"the game {lang} has the address of the pages in that language;"
                " leave the language out or rename it"
            )
    return languages


def _game_interfaces(library: Library, languages: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The languages of the interface that each game's pages are in, English first."""
    return {
        game.id: tuple(lang for lang in languages if lang == "en" or lang in _read_in(game))
        for game in library.games.values()
    }


def _read_in(game: Game) -> set[str]:
    """The languages of a game's texts, and those whose readers read them: Czech beside Slovak."""
    return {*game.languages} | {
        sister.code for lang in game.languages for sister, _ in sisters(lang)
    }
