"""What a webmaster says of the site, as pages show it: name, colours, footer, own pages."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import quote

from kb.core import urls
from kb.core.json import bytes_hash
from kb.records.identity import dark_shade
from kb.records.model import Game
from kb.records.site_config import SiteFiles
from kb.site.markdown import Links, render
from kb.site.pages import Link, OwnPage, OwnText, PageSource

# The colours that static/kb.css and pages have without a site.yaml, on light and on dark pages.
ACCENT = "#1d4f73"
DARK_ACCENT = "#9fc6e4"
# The interface's messages that a site.yaml replaces.
NAME = "Card-game rulings"
SHORT_NAME = "Rulings"
DESCRIPTION = (
    "Rulings of trading card games: what was ruled, by whom, and whether it is still in force."
)

# By the ending of a logo.
_MEDIA_TYPES = {
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".jpg": "image/jpeg",
}
# Characters that a data URL in double quotes may have as they are.
_IN_URL = " '=/:.,-"
ByLanguage = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Branding:
    """What every page can show of site.yaml and pages/; texts are HTML by language.

    `logo`: its address; empty without one. `introductions`: by game. `messages`: by language, what
    stands for messages of the interface.
    """

    short_names: ByLanguage = field(default_factory=dict)
    logo: str = ""
    accent: str = ACCENT
    dark_accent: str = DARK_ACCENT
    contact: str = ""
    footer: ByLanguage = field(default_factory=dict)
    legal: ByLanguage = field(default_factory=dict)
    introductions: Mapping[str, ByLanguage] = field(default_factory=dict)
    pages: tuple[Link, ...] = ()
    names: ByLanguage = field(default_factory=dict)
    descriptions: ByLanguage = field(default_factory=dict)

    def short_name(self, lang: str) -> str:
        """The name for narrow screens; empty for the whole one."""
        return choose(self.short_names, lang)[1]

    def footers(self, lang: str) -> list[tuple[str, str]]:
        """The footer and the legal notice in the nearest language: its code and the HTML."""
        chosen = [choose(texts, lang) for texts in (self.footer, self.legal)]
        return [text for text in chosen if text[1]]

    def introduction(self, game: str, lang: str) -> tuple[str, str]:
        """A game's introduction in the nearest language: its code and the HTML."""
        return choose(self.introductions.get(game, {}), lang)

    def messages(self, lang: str) -> dict[str, str]:
        """The interface's messages that the site's own name and description stand for."""
        own = {NAME: choose(self.names, lang)[1], DESCRIPTION: choose(self.descriptions, lang)[1]}
        return {message: text for message, text in own.items() if text}

    def accents(self, game: Game) -> tuple[str, str]:
        """A game's colour, else the site's, on light and on dark pages."""
        colour = game.header.colour
        return (colour, dark_shade(colour)) if colour else (self.accent, self.dark_accent)

    def colours(self, style_sheet: str, games: Iterable[Game]) -> str:
        """Return a style sheet with the accent colours of the site and those of its games."""
        own = style_sheet.replace(ACCENT, self.accent).replace(DARK_ACCENT, self.dark_accent)
        return own + "".join(map(_game_style, games))


def _game_style(game: Game) -> str:
    """The rules for what belongs to a game: its colours on light and dark pages, its glyph."""
    place, colour, glyph = f'[data-game="{game.id}"]', game.header.colour, game.header.glyph
    rules = []
    if colour:
        both = f"light-dark({colour}, {dark_shade(colour)})"
        rules.append(f"{place} {{ --accent: {colour}; --deep: {colour}; }}")
        rules.append(
            f"@supports (color: light-dark(#000, #fff)) {{ {place} {{ --accent: {both}; }} }}"
        )
    if glyph:
        rules.append(f"{place} {{ --glyph: {_picture(glyph)}; }}")
    return "".join(f"{rule}\n" for rule in rules)


def card_styles(game: Game) -> str:
    """The rules for a game's drawn cards: their colours by side, their glyphs by type."""
    place, header = f'[data-game="{game.id}"]', game.header
    rules = [
        f"{place} [data-side={_quoted(side)}] {{ --deep: {colour}; }}\n"
        for side, colour in header.side_colours.items()
    ]
    rules += [
        f"{place} [data-type={_quoted(kind)}] {{ --glyph: {_picture(path)}; }}\n"
        for kind, path in header.type_glyphs.items()
    ]
    return "".join(rules)


def _picture(path: str) -> str:
    """A path as the URL of a picture."""
    svg = (
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24'>"
        f"<path d='{' '.join(path.split())}'/></svg>"
    )
    return f'url("data:image/svg+xml,{quote(svg, safe=_IN_URL)}")'


def _quoted(text: str) -> str:
    """A CSS string, which must not end a <style> element either."""
    return json.dumps(text, ensure_ascii=False).replace("<", "\\3c ")


def choose(texts: ByLanguage, lang: str) -> tuple[str, str]:
    """Return the text in a language, else in English, else the first, with its language."""
    for code in (lang, "en", *texts):
        if code in texts:
            return code, texts[code]
    return lang, ""


def branding(files: SiteFiles) -> Branding:
    """Return what pages show of a site's own files."""
    config = files.config
    colours = {"accent": config.accent, "dark_accent": config.dark_accent} if config.accent else {}
    return Branding(
        short_names=config.short_name,
        logo=logo_address(files),
        contact=config.contact,
        footer=_html(config.footer),
        legal=_html(config.legal),
        introductions={game: _html(texts) for game, texts in config.introductions.items()},
        pages=tuple(
            Link(urls.page(name), tuple((text.lang, text.title) for text in sections))
            for name, sections in files.pages.items()
        ),
        names=config.name,
        descriptions=config.description,
        **colours,
    )


def own_pages(files: SiteFiles) -> Iterator[PageSource]:
    """Yield the pages of the folder pages/."""
    for name, sections in files.pages.items():
        texts = tuple(OwnText(text.lang, text.title, _markdown(text.body)) for text in sections)
        yield PageSource(urls.page(name), "page.html", partial(OwnPage, texts))


def logo_address(files: SiteFiles) -> str:
    """The address of the logo, with a hash of its content; empty without one."""
    if not files.logo:
        return ""
    return f"{logo_file(files)}?{bytes_hash(files.logo)[:10]}"


def logo_file(files: SiteFiles) -> str:
    """The path of the logo in the site."""
    return f"{urls.STATIC}/logo{PurePosixPath(files.config.logo).suffix}"


def logo_data(files: SiteFiles) -> str:
    """The logo as a URL that contains it, for a page that needs no other file."""
    if not files.logo:
        return ""
    kind = _MEDIA_TYPES[PurePosixPath(files.config.logo).suffix]
    return f"data:{kind};base64,{b64encode(files.logo).decode()}"


def _html(texts: ByLanguage) -> dict[str, str]:
    return {lang: _markdown(text) for lang, text in texts.items()}


def _markdown(text: str) -> str:
    return render(text, Links(card=lambda label: None, term=lambda term: ("", "")))
