"""The registry of languages: each module of this package that a language's code names."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    """The language of a code; for one without a module English, whose rules do least harm."""
    return LANGUAGES.get(code, ENGLISH)


def language_order(code: str) -> tuple[bool, str]:
    """Sort languages: those with a module first, each part by code."""
    return code not in LANGUAGES, code


def language_hint(code: str, choices: Iterable[str] = ()) -> str:
    """Return `; did you mean cs?` for a country's code, as cz, that stands for a language's.

    For another code the hint lists the choices, if there are any.
    """
    choice = f"; choose one of {', '.join(choices)}" if choices else ""
    from babel import localedata
    from babel.core import get_global

    if code in LANGUAGES or not _CODE.fullmatch(code) or localedata.exists(code):
        return choice
    likely: str = get_global("likely_subtags").get(f"und_{code.upper()}", "")
    language = likely.partition("_")[0]
    return f"; did you mean {language}?" if language else choice


def valid_language(code: str) -> str:
    """Return the code of a language. Raises ValueError for any other text."""
    if not _CODE.fullmatch(code):
        raise ValueError(f"{code!r} is not a language code such as pl, sk, ru or en")
    if hint := language_hint(code):
        raise ValueError(f"unknown language {code}{hint}")
    return code


def sisters(code: str) -> list[tuple[Language, Sister]]:
    """The sisters of a language and how words correspond; either of the two declares it."""
    related = []
    for language in LANGUAGES.values():
        for sister in language.sisters:
            if language.code == code and sister.code in LANGUAGES:
                related.append((LANGUAGES[sister.code], sister))
            elif sister.code == code:
                related.append((language, sister.reverse(language.code)))
    return related


def query_stop_words(code: str) -> frozenset[str]:
    """The stop words of a language and its sisters, for queries."""
    return language_of(code).stop_words.union(*(sister.stop_words for sister, _ in sisters(code)))
