"""All pages of a site: what is on each, and its files. A build writes all, `--watch` one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import Any

import orjson
from jinja2 import Environment

from kb.core import urls
from kb.core.json import bytes_hash
from kb.core.problems import KbError, WrongUsage
from kb.language import FormTable, language_hint
from kb.language.registry import own_languages
from kb.records.library import Library
from kb.records.model import Game
from kb.records.pictures import PICTURE, picture_size
from kb.site.assets import static_assets
from kb.site.branding import Branding, card_styles
from kb.site.cards import CardPage
from kb.site.collect import PageCollector
from kb.site.context import Picture, SiteContext, page_environment
from kb.site.i18n import Catalog, interface_languages, read_words
from kb.site.output import encoded, versioned
from kb.site.overview import example_queries, overview_pages
from kb.site.pages import Page
from kb.site.render import render
from kb.site.settings import SiteSettings
from kb.site.templates import Templates

_STYLE_SHEET, _CARDS = "kb.css", "card.css"


class SitePages:
    """The pages of a site, without those that name the browser's index: `overview.NAMING_PAGES`.

    `library`: with card marks in its texts. `static`: scripts, styles and pictures, by address.
    """

    def __init__(self, library: Library, table: FormTable, settings: SiteSettings) -> None:
        """Raise KbError for an unknown language of the interface, or a game whose id is one."""
        self.library, self.settings = library, settings
        self.languages = _interfaces(library, settings)
        self.stamp = {"build": library.build_id, "date": settings.build_date}
        options = settings.options
        by_game = {} if options.interfaces else _game_interfaces(library, self.languages)
        brand, games = Branding(settings.own), library.games.values()
        self.static = static_files(settings.templates, brand, games)
        self.collectors = [
            PageCollector(game, library, table, settings.history.past) for game in games
        ]
        self.context = SiteContext(
            games=tuple(collector.link for collector in self.collectors),
            assets={name: _versioned(name, data) for name, data in self.static.items()},
            interfaces=self.languages,
            base_url=options.base_url,
            report=settings.own.config.report,
            branding=brand,
            pictures={
                game.id: Picture(
                    _versioned(_picture(game), game.picture), *picture_size(game.picture)
                )
                for game in games
                if game.picture
            },
            game_interfaces=by_game,
            examples=tuple(example_queries(game, library) for game in games),
        )
        self._environments: dict[str, Environment] = {}

    @cached_property
    def sources(self) -> dict[str, Page]:
        """The pages, yet to be collected, by address."""
        pages = [page for collector in self.collectors for page in collector.pages()]
        past = self.settings.history.past
        pages += overview_pages(self.library, self.collectors, past, self.stamp)
        pages += self.context.branding.own_pages()
        return {page.address: page for page in pages}

    @cached_property
    def words(self) -> dict[str, Catalog]:
        """The words of each language of the interface. Raises KbError for a broken catalogue."""
        templates, brand = self.settings.templates, self.context.branding
        return {
            lang: read_words(templates, lang).with_messages(brand.messages(lang))
            for lang in self.languages
        }

    @cached_property
    def text_words(self) -> dict[str, Catalog]:
        """The words of each language that a text may be in, if there is a catalogue of it."""
        templates = self.settings.templates
        return {
            lang: self.words.get(lang) or read_words(templates, lang)
            for lang in interface_languages(templates)
        }

    def files(self, pages: Sequence[Page]) -> Iterator[tuple[str, bytes]]:
        """The files of some pages, with their addresses.

        Each kind of work is done for all of them before the next kind, which takes a quarter less
        than page by page.
        """
        collected = [(page, page.collect()) for page in pages]
        for lang in self.languages:
            for page, data in collected:
                if lang in self.context.languages_of(page.address):
                    yield urls.localized(page.address, lang), self.html(page, data, lang)
        for page, data in collected:
            yield from self.beside(page.address, data)

    def html(self, page: Page, data: Any, lang: str) -> bytes:
        """A page in a language of the interface. Raises KbError for a broken template."""
        if lang not in self._environments:
            templates, words = self.settings.templates, self.words[lang]
            self._environments[lang] = page_environment(templates, words, self.context)
        values = {"page": data}
        return encoded(render(self._environments[lang], page.template, page.address, values))

    def beside(self, address: str, data: Any) -> Iterator[tuple[str, bytes]]:
        """The data beside a page."""
        if isinstance(data, CardPage):
            exported = orjson.dumps(data.exported(), option=orjson.OPT_APPEND_NEWLINE)
            yield urls.data_address(address), exported


def _versioned(address: str, data: bytes) -> str:
    return versioned(address, bytes_hash(data))


def static_files(
    templates: Templates, brand: Branding, games: Collection[Game]
) -> dict[str, bytes]:
    """Everything below static/ but the search index; the worker and `embed.js` lie at the root."""
    assets = static_assets(templates)
    assets[_STYLE_SHEET] = brand.colours(assets[_STYLE_SHEET].decode(), games).encode()
    assets[_CARDS] += "".join(map(card_styles, games)).encode()
    at_root = (urls.WORKER, urls.EMBED)
    files = {
        name if name in at_root else f"{urls.STATIC}/{name}": data for name, data in assets.items()
    }
    files |= {_picture(game): game.picture for game in games if game.picture}
    if brand.logo:
        files[brand.logo_file] = brand.files.logo
    return files


def _picture(game: Game) -> str:
    return f"{game.id}/{PICTURE}"


def _interfaces(library: Library, settings: SiteSettings) -> tuple[str, ...]:
    """The languages of the interface, English first; by default those that games are read in."""
    known = interface_languages(settings.templates)
    wanted = settings.options.interfaces
    missing = [lang for lang in wanted if lang not in known]
    if missing:
        hint = language_hint(missing[0]) or f"; there are {', '.join(known)}"
        raise WrongUsage(f"no words of the interface in {', '.join(missing)}{hint}")
    spoken = {lang for game in library.games.values() for lang in _read_in(game)}
    chosen = wanted or [lang for lang in known if lang in spoken]
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
    """The languages of a game's texts, and of their other readers, as Czech for Slovak texts."""
    return {own for lang in game.languages for own in own_languages(lang)}
