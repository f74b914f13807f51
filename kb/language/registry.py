"""The languages there are: every module of this package whose name is a language's code."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

from kb.language.base import Language, Sister

_CODE = re.compile(r"[a-z]{2,3}")


def _discover() -> dict[str, Language]:
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    return {
        name: import_module(f"kb.language.{name}").LANGUAGE
        for name in names
        if _CODE.fullmatch(name)
    }


LANGUAGES: dict[str, Language] = _discover()
ENGLISH = LANGUAGES["en"]


def language_of(code: str) -> Language:
    """The language of a code; of one that has no module, English, whose rules harm least."""
    return LANGUAGES.get(code, ENGLISH)


def country_language(code: str) -> str:
    """The language of a country, where somebody took its code for a language's: cz -> cs.

    Empty for the code of a language.
    """
    from babel import localedata
    from babel.core import get_global

    if localedata.exists(code):
        return ""
    likely: str = get_global("likely_subtags").get(f"und_{code.upper()}", "")
    return likely.partition("_")[0]


def sisters(code: str) -> list[tuple[Language, Sister]]:
    """The sister languages of a language, whichever of the two declares it."""
    found = []
    for language in LANGUAGES.values():
        for sister in language.sisters:
            if language.code == code and sister.code in LANGUAGES:
                found.append((LANGUAGES[sister.code], sister))
            elif sister.code == code:
                found.append((language, sister.reverse(language.code)))
    return found


def query_stop_words(code: str) -> frozenset[str]:
    """Words that say nothing in a query of a language: its own, and those of its sisters."""
    return language_of(code).stop_words.union(*(sister.stop_words for sister, _ in sisters(code)))
