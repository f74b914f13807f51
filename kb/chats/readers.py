"""Who a reply is for: the language of their client, and the words of the interface in it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kb.site.i18n import SOURCE, Catalog, interface_languages, read_words
from kb.site.templates import Templates

_CODE = re.compile("[a-z]{2,3}")


@dataclass(frozen=True)
class Reader:
    """`lang` is the language of texts that they want, of which `words` need not be; "" if unknown.

    `words` are the interface's, in English where there are none in `lang`.
    """

    lang: str
    words: Catalog

    def count(self, forms: tuple[str, str], number: int) -> str:
        """Return a message with a number, in the form that the number needs."""
        return self.words.translations.ngettext(*forms, number) % {"num": number}


class Readers:
    """Finds readers by the locale of their client."""

    def __init__(self, templates: Templates) -> None:
        """Raises KbError where a catalogue is broken."""
        self.catalogs = {
            lang: read_words(templates, lang) for lang in interface_languages(templates)
        }

    def of_locale(self, locale: str) -> Reader:
        """Return the reader of a client with a locale such as `pl`, `en-GB` or `pt-br`."""
        code = re.split("[-_]", locale.lower())[0]
        lang = code if _CODE.fullmatch(code) else ""
        return Reader(lang, self.catalogs.get(lang, self.catalogs[SOURCE]))
