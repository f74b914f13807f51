"""What the browser knows of the languages, from the registry."""

from __future__ import annotations

from collections.abc import Iterable

from kb.language import LANGUAGES, language_of
from kb.language.fold import SPECIAL
from kb.language.registry import query_keyboards
from kb.search.expansion import LEMMAS, stop_words
from kb.search.query import OR_WORDS


def language_data(used: Iterable[str]) -> dict[str, object]:
    """The `languages` of base.js: `known` by code, and what is the same in all of them.

    `used`: codes that the records have, perhaps without a module. `keyboards` are all layouts,
    `meant` those of a language and its sisters.
    """
    known = {
        lang: {
            "suffixes": language_of(lang).suffixes,
            "respellings": language_of(lang).respellings,
            "stop": sorted(stop_words(lang)),
            "meant": query_keyboards(lang),
        }
        for lang in dict.fromkeys((*LANGUAGES, *used))
    }
    keyboards = dict.fromkeys(language.keyboard for language in LANGUAGES.values())
    return {
        "known": known,
        "or": sorted(OR_WORDS),
        "letters": SPECIAL,
        "keyboards": list(keyboards),
        "weights": LEMMAS,
    }
