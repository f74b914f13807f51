"""What every page can show besides its own data, and what it says in the words of schema.org."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from jinja2 import Environment

from kb.core import urls
from kb.core.json import Json, bytes_hash, compact
from kb.language.registry import reading_order
from kb.records.site_config import filled_report
from kb.records.values import VERDICTS
from kb.site.branding import Branding
from kb.site.i18n import KINDS, REPORT, SCRIPT, Catalog, deck_words, language_name
from kb.site.markdown import RulingText, beginning
from kb.site.output import encoded, versioned
from kb.site.pages import GameLink, RulingPage
from kb.site.render import add_macros, environment
from kb.site.templates import Templates

# The pattern laid over every QR code. Readers read any of the eight, and choosing the best one
# takes longer than all else about a page.
_MASK = 0
# Bytes of an answer in a report: programs for mail take addresses of 2,000 characters, in which a
# Russian letter has six.
_REPORTED = 400
# More example queries would push the games below the fold of a phone.
_EXAMPLES = 5


class Picture(NamedTuple):
    """A game's picture: its address and its size in pixels."""

    address: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class SiteContext:
    """What every page can show. `assets`: addresses of the files below static/, with their hashes.

    `branding`: what the webmaster says of the site. `base_url`: where the site will be served.
    `report`: where readers report, with placeholders; empty if nowhere. `interfaces`: the
    languages of the site's own words; `game_interfaces`: those that a game's pages are in.
    `pictures`: of the games. `examples`: each game's queries by language.
    """

    games: tuple[GameLink, ...]
    assets: Mapping[str, str]
    interfaces: tuple[str, ...] = ("en",)
    base_url: str = ""
    report: str = ""
    branding: Branding = field(default_factory=Branding)
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    game_interfaces: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    examples: tuple[Mapping[str, tuple[str, ...]], ...] = ()

    def queries(self, lang: str) -> list[tuple[str, str]]:
        """Example queries for a reader with their languages, of each game in turn.

        They are in the reader's most preferred language that has examples.
        """
        given = {code for queries in self.examples for code in queries}
        code = next((code for code in reading_order(lang) if code in given), "")
        ranked = [each for queries in self.examples for each in enumerate(queries.get(code, ()))]
        ranked.sort(key=lambda example: example[0])
        return [(code, query) for _, query in ranked[:_EXAMPLES]]

    def languages_of(self, address: str) -> tuple[str, ...]:
        """The languages of the interface that a page is in, by its address below the language."""
        return self.game_interfaces.get(address.partition("/")[0], self.interfaces)

    def only_english(self, lang: str) -> list[str]:
        """The games whose pages are not in a language of the interface, but in English."""
        return [game for game, languages in self.game_interfaces.items() if lang not in languages]


def page_environment(templates: Templates, words: Catalog, context: SiteContext) -> Environment:
    """The templates' environment for pages in one language of the interface."""
    env = environment(templates, words, context.only_english(words.lang))
    script = page_words(words)
    env.globals |= {
        "site": context,
        "page_words": versioned(urls.page_words(words.lang), bytes_hash(encoded(script))),
        "deck_words": partial(deck_words, words=words),
        "question": partial(question, base_url=context.base_url),
        "correction": partial(correction, words=words),
        "filled_report": filled_report,
        "kinds": tuple(KINDS),
        "code": qr_code,
    }
    add_macros(env)
    return env


def page_words(words: Catalog) -> str:
    """The script with what the scripts of every page say."""
    messages = {**words.table(SCRIPT), "verdict": words.table(VERDICTS)}
    return f"window.KB_SAID = {compact(messages)};\n"


def qr_code(url: str) -> str:
    """A QR code of a URL as SVG, for the printed page."""
    import segno

    code = segno.make(url, micro=False, error="m", mask=_MASK)
    return str(code.svg_inline(border=2, omitsize=True, svgclass=None, lineclass=None))


def question(page: RulingPage, lang: str, spoken: str, base_url: str) -> Json:
    """A ruling in the words of schema.org: a question with its answer, as it is read out."""
    text = page.text(lang)
    here = urls.absolute(urls.localized(urls.ruling(*page.key.split("/")), lang), base_url)
    answer: Json = {"@type": "Answer", "text": spoken, "inLanguage": text.lang}
    if page.header.date:
        answer["dateCreated"] = page.header.date
    names = (page.game.title(lang), *(card.link.titles[0][1] for card in page.about))
    data: Json = {
        "@context": "https://schema.org",
        "@type": "Question",
        "name": text.title,
        "inLanguage": text.lang,
        "identifier": page.key,
        "about": [{"@type": "Thing", "name": name} for name in names],
        "acceptedAnswer": answer,
    }
    return {**data, "url": here} if here else data


def correction(page: RulingPage, text: RulingText, url: str, words: Catalog) -> dict[str, str]:
    """What a reader reports who corrects a text of a ruling, by the placeholders of `report`."""
    share = len(text.plain) / (len(text.plain.encode()) or 1)
    lines = [
        f"{page.key}, {language_name(text.lang)}",
        url,
        "",
        text.title,
        f"> {beginning(text.plain, int(_REPORTED * share))}",
        "",
        words(REPORT["correction"]),
        "",
    ]
    return {"title": text.title, "id": page.key, "url": url, "text": "\n".join(lines)}
