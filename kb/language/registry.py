"""The registry of languages: each module of this package that a language's code names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
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


def is_language(code: str) -> bool:
    """Whether a code of two or three letters names a language: of ISO 639, as Babel knows it."""
    from babel import Locale, localedata
    from babel.core import get_global

    return bool(_CODE.fullmatch(code)) and (
        code in LANGUAGES
        or localedata.exists(code)
        or code in get_global("likely_subtags")
        or code in Locale("en").languages
    )


def language_hint(code: str, choices: Iterable[str] = ()) -> str:
    """Return `; did you mean cs?` for a code that stands for a language's: a country's, as cz, or
    a longer one, as ces.

    For another code the hint lists the choices, if there are any.
    """
    choice = f"; choose one of {', '.join(choices)}" if choices else ""
    if is_language(code) or not _CODE.fullmatch(code):
        return choice
    from babel.core import get_global

    likely: str = get_global("likely_subtags").get(f"und_{code.upper()}", "")
    likely = get_global("language_aliases").get(code, likely)
    language = likely.partition("_")[0]
    return f"; did you mean {language}?" if language else choice


def valid_language(code: str) -> str:
    """Return the code of a language. Raises ValueError for any other text."""
    if not _CODE.fullmatch(code):
        raise ValueError(f"{code!r} is not a language code such as pl, sk, ru or en")
    if not is_language(code):
        raise ValueError(f"unknown language {code}{language_hint(code)}")
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


def own_languages(code: str) -> tuple[str, ...]:
    """Return a language and its sisters, which its readers read as well."""
    return (code, *(sister.code for sister, _ in sisters(code)))


def reading_order(code: str) -> tuple[str, ...]:
    """Return what a reader of a language reads, best first: it, its sisters, then English."""
    return tuple(dict.fromkeys((*own_languages(code), ENGLISH.code)))


def text_in(texts: Mapping[str, str], *languages: str) -> str:
    """Return the text in the first of some languages that has one, else in any language."""
    for lang in languages:
        if lang in texts:
            return texts[lang]
    return next(iter(texts.values()), "")


def query_stop_words(code: str) -> frozenset[str]:
    """The words of a query that say nothing about its subject, in a language and its sisters."""
    languages = (language_of(code), *(sister for sister, _ in sisters(code)))
    return frozenset().union(*(each.stop_words | each.asking_words for each in languages))


_WORD = re.compile(r"[^\W\d_]+")
# Its s is a word in Czech and Slovak.
_POSSESSIVE = re.compile(r"['’]s\b")
# Characters of a text that are looked at.
_BEGINNING = 200_000
# The part of a text's words, at least, that are frequent in its language.
_FREQUENT = 0.15


def guess_language(text: str, default: str = "en", languages: Collection[str] = LANGUAGES) -> str:
    """Guess which of some languages a text is in; `default` if nothing tells, or several tie.

    By its letters and most frequent words. If some of the languages have no module, a text is in
    one of these, `default` or the first, unless enough of its words are frequent in a known one.
    """
    unknown = [lang for lang in (default, *languages) if lang not in LANGUAGES]
    lower = text[:_BEGINNING].lower()
    words = Counter(_WORD.findall(lower))
    score: Counter[str] = Counter()
    for lang, known in LANGUAGES.items():
        if lang not in languages:
            continue
        letters = sum(lower.count(char) for char in known.telling_letters)
        # Every letter of a Russian word is telling, but only one in ten of a Polish word.
        weight = 0.25 if len(known.telling_letters) > 26 else 2
        score[lang] = int(weight * letters) + 5 * sum(words[word] for word in known.stop_words)
    most = max(score.values(), default=0)
    best = [lang for lang in score if score[lang] == most]
    if not most or len(best) > 1:
        return default
    frequent = sum(words[word] for word in LANGUAGES[best[0]].stop_words)
    return unknown[0] if unknown and frequent < _FREQUENT * words.total() else best[0]


# Words of another language, at least, and their part of all words: code has such words too.
_MIN_FOREIGN, _FOREIGN_PART = 3, 0.2


def other_language(text: str, lang: str, languages: Collection[str]) -> str:
    """Return in which of some languages a text surely is, if it is not in `lang`; else empty.

    It has frequent words of the other language, and none of its own that the other lacks.
    """
    if lang not in LANGUAGES:
        return ""
    own = LANGUAGES[lang].stop_words
    words = _WORD.findall(_POSSESSIVE.sub("", text.lower()))
    for code in languages:
        other = LANGUAGES[code].stop_words if code in LANGUAGES and code != lang else frozenset()
        if other.isdisjoint(words) or not own.difference(other).isdisjoint(words):
            continue
        foreign = sum(len(word) > 1 and word in other and word not in own for word in words)
        if foreign >= max(_MIN_FOREIGN, _FOREIGN_PART * len(words)):
            return code
    return ""
