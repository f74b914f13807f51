"""Translations of the interface: gettext catalogues beside the templates, read with Babel.

The English messages are in the templates and here, translations in `templates/locale/<lang>.po`.
Names of topics, terms and cards are records and not here.
"""

from __future__ import annotations

import gettext
from collections.abc import Mapping, Sequence
from datetime import date as Date
from functools import cache

from babel import Locale, UnknownLocaleError
from babel.core import get_global
from babel.dates import format_date, format_skeleton

from kb.decks.parse import BROKEN, JSON_LIST, LONG_LIST
from kb.language import text_in
from kb.language.registry import reading_order
from kb.records.fields import FACETS, HEADER_FIELDS
from kb.records.values import VERDICTS
from kb.site.pages import GameLink
from kb.site.po_files import read_catalogue
from kb.site.templates import Templates

SOURCE = "en"
KINDS = {
    "ruling": "Ruling",
    "errata": "Erratum",
    "definition": "Definition",
    "example": "Example",
    "note": "Note",
    "question": "Question",
}
AUTHORITIES = {
    "official": "Official",
    "translator": "Translator’s, not official",
    "community": "Community’s, not official",
}
STATUSES = {
    "current": "In force",
    "superseded": "Superseded",
    "reversed": "Reversed",
    "withdrawn": "Withdrawn",
    "disputed": "Disputed",
    "unanswered": "Unanswered",
    "ended": "No longer in force",
    "upcoming": "Not yet in force",
}
BANNERS = {
    "superseded": "This ruling is no longer in force.",
    "reversed": "This ruling is no longer in force.",
    "withdrawn": "This ruling is no longer in force.",
    "ended": "This ruling is no longer in force.",
    "upcoming": "This ruling is not yet in force.",
    "disputed": "This ruling is disputed.",
    "unanswered": "This question has no official answer yet.",
}
FACTS = {
    "author": "Author",
    "translator": "Translator",
    "publisher": "Publisher",
    "published": "Published",
    "edition": "Edition",
    "licence": "Licence",
    **{field.name: field.label for field in HEADER_FIELDS if field.of == "ruling"},
    "examples": "Examples",
    "superseded_by": "Superseded by",
    "original": "original",
    "translation": "translation",
}
CHANGES = {
    "created": "new",
    "changed": "changed",
    "moved": "moved",
    "removed": "removed",
    "dated": "dated",
    "title": "title changed",
    "text": "text changed",
    "translation": "translation changed",
    "translated": "translation added",
}
# The names of values by field; a choice of another field is its own name.
CHOICES = {"kind": KINDS, "authority": AUTHORITIES, "status": STATUSES}
SEARCH = {
    "waiting": "Type a question, a card’s name or a rule’s number.",
    "failed": "The search could not be loaded."
    " Reload the page; a newer edition may have taken its place.",
    "offline": "You are offline, and the search is not on this device.",
    "slow": "The search is still loading…",
    "again": "Try again",
    "nothing": "Nothing found.",
    "unmatched": "No ruling has “{filter}”.",
    "unfit": "No ruling passes all of these filters.",
    "nothingfor": "Nothing found for “{query}”",
    "elsewhere": "“{words}”: in {game}, not in {own}",
    "absent": "Not in these rulings: “{words}”.",
    "fewer": "Try fewer words, or other ones.",
    "howto": "How to search",
    "answer": "Answer",
    "close": "Closest rulings",
    "none": "No ruling decides this; the nearest:",
    "named": "Rulings on cards with this name",
    "partial": "Rulings with only some of the words",
    "searched": "Searched for:",
    "cards": "Cards",
    "glossary": "Glossary",
    "noruling": "no ruling",
    "nocard": "No ruling names this card.",
    "filtered": "The filters leave out the rulings on this card.",
    "ended": "The rulings on this card are no longer in force.",
    "excluded": "The words after a minus leave out every ruling that has all the others.",
    "ask": "Ask for a ruling on this",
    "foundin": "found in: {language}",
    "undated": "date unknown",
    "results": "Results",
    "numbers": "Rule numbers",
    "others": "More rulings",
    "terms": "Terms",
    "recent": "Recent searches",
    "all": "Show all results",
    "allgames": "All games",
    "clear": "Clear all",
    "drop": "Remove: {filter}",
    "unfiltered": "Search without the filters",
    "browse": "Topics of {game}",
    "nolonger": "Include rulings no longer in force",
    "asof": "Rulings in force on",
}
FOUND = ("%(num)s ruling", "%(num)s rulings")
SHOW = ("Show %(num)s ruling", "Show %(num)s rulings")
DECK = {
    "failed": "The rulings could not be loaded."
    " Reload the page; a newer edition may have taken its place.",
    "empty": "Paste a deck list above.",
    "nogame": "No line names a card of these games.",
    "broken": BROKEN,
    "json": JSON_LIST,
    "long": LONG_LIST,
    "norulings": "No rulings on these cards.",
    "contents": "Contents",
    "rules": "Rules that the cards bring in",
    "because": "Because of:",
    "above": "see above",
    "answer": "Answer",
    "unknown": "Lines that name no card",
    "meant": "Did you mean:",
    "readas": "read from “%(text)s”",
}
DECK_FOUND = ("%(num)s ruling for this deck", "%(num)s rulings for this deck")
DECK_WITHOUT = ("%(num)s card without rulings", "%(num)s cards without rulings")
# What a text for the curators says.
REPORT = {
    "correction": "My correction and its source:",
}
SCRIPT = {
    "copied": "Copied",
    "take": "Downloading: %(done)s of %(all)s files",
    "ready": "Ready for offline use, as of %(date)s",
    "newer": "A newer edition is available.",
    "reload": "Show it",
    "full": "There is not enough space on this device.",
    "private": (
        "This browser cannot store anything for offline use here (private mode, or no HTTPS)."
    ),
    "broken": "The download was interrupted; try again.",
    "kept": "The previous copy still works.",
    "offline": "You are offline.",
    "failed": SEARCH["failed"],
    "unsaved": SEARCH["offline"],
    "files": "These pages are opened from files, so everything already works without a network.",
    "removed": "Nothing is stored on this device.",
    "missing": "This page is not stored on this device, or there is no such page: %(page)s",
    "indexed": (
        "This page is not stored on this device."
        " Its text comes from the search, without its source."
    ),
    "card": "The card’s page",
    "versions": "All versions",
    "close": "Close",
    "term": "Glossary",
}
# What a reader of each language is offered on a page in another one.
OFFER = ("These pages are also in English.", "Read in English", "No, thanks")


# English dates with the day first, as readers outside America write them.
_LOCALE = {"en": "en_GB"}


class Catalog:
    """The messages of one language of the interface.

    `replaced`: texts that stand for some messages, such as the site's own name.
    """

    def __init__(
        self,
        lang: str,
        translations: gettext.NullTranslations,
        replaced: Mapping[str, str] | None = None,
    ) -> None:
        self.lang, self.translations, self.replaced = lang, translations, replaced or {}

    def __call__(self, message: str) -> str:
        """A message of this module in the language."""
        return self.replaced.get(message) or self.translations.gettext(message)

    def table(self, messages: Mapping[str, str]) -> dict[str, str]:
        return {key: self(message) for key, message in messages.items()}

    def with_messages(self, replaced: Mapping[str, str]) -> Catalog:
        """Return the catalogue with other texts for some messages."""
        return Catalog(self.lang, self.translations, replaced)

    def plural(self, forms: tuple[str, str]) -> list[str]:
        """A message's forms for one, few and many, as many as the language has.

        The number in them is written {n}.
        """
        index = getattr(self.translations, "plural", lambda n: int(n != 1))
        by_index = {index(n): self.translations.ngettext(*forms, n) for n in (1, 2, 5)}
        return [by_index[key] % {"num": "{n}"} for key in sorted(by_index)]

    def date(self, date: str, *, in_phrase: bool = False) -> str:
        """Return a date of a record (a year, a month or a day) as the language writes it.

        `in_phrase`: after words such as "since", where Slavic months stand in the genitive.
        """
        year, _, rest = date.partition("-")
        month, _, day = rest.partition("-")
        try:
            if day:
                return format_date(
                    Date(int(year), int(month), int(day)),
                    "long",
                    locale=_LOCALE.get(self.lang, self.lang),
                )
            if month:
                first = Date(int(year), int(month), 1)
                if in_phrase:
                    return format_date(first, "MMMM y", locale=self.lang)
                return format_skeleton("yMMMM", first, locale=self.lang)
        except (ValueError, UnknownLocaleError):
            pass
        return date


def read_words(templates: Templates, lang: str) -> Catalog:
    """The catalogue of a language. Raises KbError for a missing or broken catalogue."""
    if lang == SOURCE:
        return Catalog(lang, gettext.NullTranslations())
    return Catalog(lang, read_catalogue(templates / f"locale/{lang}.po", lang))


def interface_languages(templates: Templates) -> list[str]:
    """The languages of the interface, English first."""
    names = (name.removesuffix(".po") for name in templates.files("locale") if name[-3:] == ".po")
    return [SOURCE, *names]


@cache
def language_name(lang: str) -> str:
    """A language's name in itself, else its code."""
    name = language_in_words(lang, lang)
    return lang if name == lang else name[:1].upper() + name[1:]


@cache
def language_in_words(lang: str, ui: str) -> str:
    """A language's name in the language of the interface, else its code: polski, Polish."""
    try:
        return Locale.parse(lang).get_display_name(ui) or lang
    except (ValueError, UnknownLocaleError):
        return lang


@cache
def locale_code(lang: str) -> str:
    """A language with the country where most readers are, as link previews want it: pl_PL."""
    likely = get_global("likely_subtags").get(lang, "")
    return _LOCALE.get(lang) or (f"{lang}_{likely.rpartition('_')[2]}" if likely else lang)


def search_words(games: Sequence[GameLink], words: Catalog) -> dict[str, object]:
    """What the search page says: messages, and names of games, topics, kinds and languages."""
    languages = [lang for game in games for lang in (game.language, *game.languages)]
    return {
        **words.table(SEARCH),
        "found": words.plural(FOUND),
        "show": words.plural(SHOW),
        "fields": words.table(FACETS),
        **_names_of_marks(words),
        "languages": {lang: language_name(lang) for lang in languages},
        "games": {game.id: game.title(words.lang) for game in games},
        "sections": {
            game.id: [name for name in ("cards", "glossary") if name in game.sections]
            for game in games
        },
        "topics": {
            game.id: {
                topic: text_in(titles, *reading_order(words.lang))
                for topic, titles in game.topics.items()
            }
            for game in games
        },
    }


def deck_words(words: Catalog) -> dict[str, object]:
    """What the deck page says."""
    return {
        **words.table(DECK),
        "found": words.plural(DECK_FOUND),
        "without": words.plural(DECK_WITHOUT),
        **_names_of_marks(words),
    }


def _names_of_marks(words: Catalog) -> dict[str, object]:
    return {name: words.table(names) for name, names in {**CHOICES, "verdict": VERDICTS}.items()}
