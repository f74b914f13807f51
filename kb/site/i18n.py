"""The site's own words in the languages of its pages: gettext catalogues beside the templates, read with Babel.

English stands in the templates and here; `templates/locale/<lang>.po` holds what translators write. Games' words (topics,
terms, cards) are records and not here.
"""

from __future__ import annotations

import gettext
import io
from datetime import date as Date
from functools import cache
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_skeleton
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from kb.core.problems import KbError
from kb.records.library import Library

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
    "current": "Stands",
    "superseded": "Superseded",
    "reversed": "Reversed",
    "withdrawn": "Withdrawn",
    "disputed": "Disputed",
    "unanswered": "Unanswered",
}
BANNERS = {
    "superseded": "This ruling no longer stands.",
    "reversed": "This ruling no longer stands.",
    "withdrawn": "This ruling no longer stands.",
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
    "example_of": "Example of",
    "examples": "Examples",
    "supersedes": "Supersedes",
    "superseded_by": "Superseded by",
    "related": "Related rulings",
    "original": "original",
    "translation": "translation",
}
CHANGES = {
    "created": "new",
    "changed": "changed",
    "moved": "moved",
    "removed": "removed",
    "dated": "dated",
}
MARKED = (KINDS, AUTHORITIES, STATUSES, BANNERS, FACTS, CHANGES)
SEARCH = {
    "waiting": "Type a question, a card’s name or a rule’s number.",
    "failed": "The search could not be loaded. Reload the page; a newer edition may have taken its place.",
    "nothing": "Nothing found.",
    "relaxed": "None has every word; those with most of them:",
    "near": "No ruling has these words; the nearest:",
    "meant": "Did you mean:",
    "searched": "Searched for:",
    "cards": "Cards",
    "noruling": "no ruling",
    "filters": "Filters",
    "nolonger": "Also what no longer stands",
    "asof": "What stood on",
}
FIELDS = {"topic": "Topic", "kind": "Kind", "authority": "Authority", "lang": "Language"}
FOUND = ("%(num)s ruling", "%(num)s rulings")
SCRIPT = {
    "copied": "Copied",
    "take": "Taking in: %(done)s of %(all)s files",
    "ready": "Ready for offline use, as of %(date)s",
    "newer": "A newer edition is here.",
    "reload": "Show it",
    "full": "There is not enough room on this device. What was there before still works.",
    "private": "This browser keeps nothing for offline use here (private mode, or not served over HTTPS).",
    "broken": "The download was interrupted. What was there before still works; try again.",
    "files": "These pages are opened from files: everything works without a network as it is.",
    "removed": "Nothing is kept on this device.",
}


# English dates with the day first, as readers outside America write them.
_LOCALE = {"en": "en_GB"}


class Catalog:
    """The words of one language of the interface."""

    def __init__(self, lang: str, translations: gettext.NullTranslations) -> None:
        self.lang, self.translations = lang, translations

    def __call__(self, message: str) -> str:
        """A message of this module in the language."""
        return self.translations.gettext(message)

    def plural(self, forms: tuple[str, str]) -> list[str]:
        """A message's forms for one, few and many, with the number as {n}: as many as the language tells apart."""
        made = dict.fromkeys(
            self.translations.ngettext(*forms, n) % {"num": "{n}"} for n in (1, 2, 5)
        )
        return list(made)

    def date(self, date: str) -> str:
        """A date of a record (a year, a month or a day) as the language writes it."""
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
                return format_skeleton("yMMMM", Date(int(year), int(month), 1), locale=self.lang)
        except (ValueError, UnknownLocaleError):
            pass
        return date


def read_words(templates: Path, lang: str) -> Catalog:
    """The words of a language. Raises KbError when there is no catalogue for it or it cannot be read."""
    if lang == SOURCE:
        return Catalog(lang, gettext.NullTranslations())
    path = templates / "locale" / f"{lang}.po"
    try:
        with path.open("rb") as file:
            catalog = read_po(file, locale=lang, abort_invalid=True)
    except (OSError, ValueError, UnknownLocaleError) as error:
        raise KbError(
            f"{path}: the words of the interface in {lang!r} cannot be read ({error})"
        ) from None
    made = io.BytesIO()
    write_mo(made, catalog)
    made.seek(0)
    return Catalog(lang, gettext.GNUTranslations(made))


def interface_languages(templates: Path) -> list[str]:
    """The languages that the site's own words are in, English first."""
    return [SOURCE, *sorted(path.stem for path in (templates / "locale").glob("*.po"))]


@cache
def language_name(lang: str) -> str:
    """A language's name in itself, else its code."""
    try:
        name = Locale.parse(lang).get_display_name() or lang
    except (ValueError, UnknownLocaleError):
        return lang
    return name[:1].upper() + name[1:]


def search_words(library: Library, words: Catalog) -> dict[str, object]:
    """What the search page says: messages, and the names of games, topics, kinds and languages."""

    def told(table: dict[str, str]) -> dict[str, str]:
        return {key: words(text) for key, text in table.items()}

    games = library.games.values()
    return {
        **told(SEARCH),
        "found": words.plural(FOUND),
        "fields": told(FIELDS),
        "kind": told(KINDS),
        "authority": told(AUTHORITIES),
        "status": told(STATUSES),
        "languages": {
            lang: language_name(lang)
            for game in games
            for lang in (game.language, *game.header.languages)
        },
        "games": {game.id: game.title(words.lang) for game in games},
        "topics": {
            game.id: {topic.id: _title(topic.title, words.lang) for topic in game.header.topics}
            for game in games
        },
    }


def _title(titles: dict[str, str], lang: str) -> str:
    return titles.get(lang) or titles.get(SOURCE) or next(iter(titles.values()))
