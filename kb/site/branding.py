"""What a webmaster says of the site, as pages show it: name, colours, footer, own pages."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import quote

from kb.core import urls
from kb.core.json import bytes_hash
from kb.core.urls import media_type
from kb.records.colours import dark_shade
from kb.records.model import Game
from kb.records.site_config import SiteFiles
from kb.records.text import Text
from kb.site.markdown import LinkTargets, render
from kb.site.output import versioned
from kb.site.pages import Link, Page

# The colours that static/kb.css and pages have without a site.yaml, on light and on dark pages.
ACCENT = "#1d4f73"
DARK_ACCENT = "#9fc6e4"
# The interface's messages that a site.yaml replaces.
NAME = "Card-game rulings"
SHORT_NAME = "Rulings"
DESCRIPTION = (
    "Rulings of trading card games: what was ruled, by whom, and whether it is still in force."
)

# Characters that a data URL in double quotes may have as they are.
_IN_URL = " '=/:.,-"
ByLanguage = Mapping[str, str]


@dataclass(frozen=True)
class Branding:
    """What pages show of site.yaml and pages/."""

    files: SiteFiles = field(default_factory=SiteFiles)

    @property
    def contact(self) -> str:
        return self.files.config.contact

    @property
    def accent(self) -> str:
        return self.files.config.accent or ACCENT

    @property
    def dark_accent(self) -> str:
        config = self.files.config
        return config.dark_accent if config.accent else DARK_ACCENT

    @property
    def logo_file(self) -> str:
        return f"{urls.STATIC}/logo{PurePosixPath(self.files.config.logo).suffix}"

    @property
    def logo(self) -> str:
        """The address of the logo; empty without one."""
        data = self.files.logo
        return versioned(self.logo_file, bytes_hash(data)) if data else ""

    @property
    def logo_data(self) -> str:
        """The logo as a URL that contains it, for a page that needs no other file."""
        data = b64encode(self.files.logo).decode()
        return f"data:{media_type(self.logo_file)};base64,{data}" if data else ""

    @property
    def pages(self) -> list[Link]:
        return [
            Link(urls.page(name), tuple((text.lang, text.title) for text in sections))
            for name, sections in self.files.pages.items()
        ]

    def own_pages(self) -> Iterator[Page]:
        """Yield the webmaster's own pages, such as an imprint."""
        for name, sections in self.files.pages.items():
            page = partial(OwnPage, {text.lang: text for text in sections})
            yield Page(urls.page(name), "page.html", page)

    def short_name(self, lang: str) -> str:
        """The name for narrow screens; empty for the whole one."""
        return choose(self.files.config.short_name, lang)[1]

    def footers(self, lang: str) -> list[tuple[str, str]]:
        """The footer and the legal notice in the nearest language: its code and the HTML."""
        config = self.files.config
        chosen = [choose(texts, lang) for texts in (config.footer, config.legal)]
        return [(code, _markdown(text)) for code, text in chosen if text]

    def introduction(self, game: str, lang: str) -> tuple[str, str]:
        """A game's introduction in the nearest language: its code and the HTML."""
        code, text = choose(self.files.config.introductions.get(game, {}), lang)
        return code, _markdown(text)

    def messages(self, lang: str) -> dict[str, str]:
        """The interface's messages that the site's own name and description stand for."""
        config = self.files.config
        own = {NAME: choose(config.name, lang)[1], DESCRIPTION: choose(config.description, lang)[1]}
        return {message: text for message, text in own.items() if text}

    def accents(self, game: Game) -> tuple[str, str]:
        """A game's colour, else the site's, on light and on dark pages."""
        colour = game.header.colour
        return (colour, dark_shade(colour)) if colour else (self.accent, self.dark_accent)

    def colours(self, style_sheet: str, games: Iterable[Game]) -> str:
        """Return a style sheet with the accent colours of the site and its games."""
        own = style_sheet.replace(ACCENT, self.accent).replace(DARK_ACCENT, self.dark_accent)
        return own + "".join(map(_game_style, games))


@dataclass(frozen=True)
class OwnPage:
    """A page of the webmaster's own, by language."""

    texts: Mapping[str, Text]

    def text(self, lang: str) -> Text:
        """The text in a language, else in English, else the first; its body is HTML."""
        text = self.texts.get(lang) or self.texts.get("en") or next(iter(self.texts.values()))
        return replace(text, body=_markdown(text.body))


def _game_style(game: Game) -> str:
    """The rules for what belongs to a game: the front page that opens as it, colours, glyph."""
    place, colour, glyph = f'[data-game="{game.id}"]', game.header.colour, game.header.glyph
    home = f'[data-home="{game.id}"]'
    controls = f".to-all, .sections{place}"
    rules = [
        f"{home} .opened{place} {{ display: block !important; }}",
        f"@media screen {{ {home} :is({controls}) {{ display: block !important; }} }}",
        f"{home} :is(.everything, .tile{place}, .tile > p) {{ display: none; }}",
    ]
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


def _markdown(text: str) -> str:
    return render(text, LinkTargets(card=lambda label: None, term=lambda term: ("", "")))
