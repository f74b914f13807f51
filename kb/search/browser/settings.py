"""The constants and word lists of the browser's search script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from types import ModuleType

from kb.core.characters import APOSTROPHES, DROPPED, JOINED, JOINERS, SPACES
from kb.core.json import data_hash
from kb.language import language_of
from kb.language.registry import LANGUAGES, query_stop_words, reading_order
from kb.language.spelling import allowed
from kb.language.words import HYPHENS
from kb.records.fields import FACETS, FILTERS
from kb.records.validity import ENDED, EVER, NO_LONGER, UPCOMING
from kb.search import (
    cards,
    expansion,
    keyboards,
    query,
    ranked_query,
    ranking,
    snippets,
)
from kb.search.browser.rows import PACKED_DIGITS

# All words of this many letters and more may have the same number of slips.
_LONGEST = 8


def settings(languages: Iterable[str]) -> dict[str, object]:
    """The settings of the browser's modules, by module; `languages`: those of the rulings."""
    return {
        "text": {
            "spaces": _escaped(SPACES),
            "dropped": _escaped(DROPPED),
            "joined": _escaped(f"[{JOINED}][{JOINERS}]"),
            "apostrophes": APOSTROPHES,
            "hyphens": HYPHENS,
            "slips": [allowed("a" * length) for length in range(_LONGEST + 1)],
        },
        "languages": {code: _language(code) for code in dict.fromkeys((*languages, "en"))},
        "query": {
            **_constants(query, "MAX_LENGTH MAX_TERMS MAX_DEPTH MIN_PREFIX QUOTES NOT_WORD"),
            "filters": FILTERS,
            "orWords": sorted(query.OR_WORDS),
            "ruleWords": sorted(query.RULE_WORDS),
        },
        "postings": {"digits": PACKED_DIGITS},
        "expansion": {
            **_constants(expansion, "EXACT FORM READING OTHER_LANGUAGE IDEA"),
            **_constants(expansion, "PRESENT MAX_EXPANSION MAX_SLIPS SWAPPED COUNT_DIGITS"),
            "slip": {str(slips): weight for slips, weight in expansion.SLIP.items()},
        },
        "keyboards": {
            **_constants(keyboards, "MAX_SPELLINGS SHORT SHORT_WEIGHT END_MARKS MEANT_MARKS"),
            **_constants(keyboards, "MAX_PIECES BETTER_PART BETTER_MOST"),
            "keyboards": [
                {**asdict(keyboard), "table": _letters(keyboard.table)}
                for keyboard in keyboards.KEYBOARDS
            ],
        },
        "ranking": {
            **_constants(ranking, "FIELDS SATURATION COVERAGE LINE NEAR PRECISION WINDOW"),
            **_constants(ranking, "KINDS LINES PASSAGES STATING NAMES NAMED"),
        },
        "confidence": {
            **_constants(ranking, "STATED APART WORDS MOST_APART"),
            **_constants(ranking, "SURE UNLIKELY NEARLY AS_WELL"),
        },
        "rankedQuery": {
            **_constants(ranked_query, "CANDIDATES PHRASE_CANDIDATES FEW OF_BEST"),
            **_constants(ranked_query, "MOST_PARTIAL CERTAIN BESIDE_OPEN"),
        },
        "cards": _constants(cards, "MAX_CARDS SHORT_QUERY MIN_PREFIX MAX_JOINED MAX_NAME"),
        "filters": {
            "ever": EVER,
            "noLonger": list(NO_LONGER),
            "facets": list(FACETS),
            "ended": ENDED,
            "upcoming": UPCOMING,
        },
        "snippets": {
            **_constants(snippets, "LENGTH MARGIN NEAR_START CONTEXT MIN_NAME"),
            "readingOrder": {code: reading_order(code) for code in ("", *LANGUAGES)},
        },
    }


def _constants(module: ModuleType, names: str) -> dict[str, object]:
    """Some constants of a module by their names in JavaScript: MAX_TERMS is maxTerms."""
    constants = {}
    for name in names.split():
        first, *others = name.lower().split("_")
        constants[first + "".join(map(str.capitalize, others))] = getattr(module, name)
    return constants


def _language(code: str) -> dict[str, object]:
    return {
        "suffixes": language_of(code).suffixes,
        "respellings": language_of(code).respellings,
        "stopWords": sorted(query_stop_words(code)),
    }


def _escaped(pattern: str) -> str:
    """A part of a pattern for JavaScript, without control characters, which pages must not have."""
    shown = (char if " " <= char <= "~" else f"\\u{{{ord(char):x}}}" for char in pattern)
    return "".join(shown)


def _letters(table: Mapping[int, str]) -> dict[str, str]:
    """A table of str.maketrans as JSON holds it."""
    return {chr(typed): meant for typed, meant in table.items()}


@lru_cache(maxsize=1)
def version() -> str:
    """A hash of the code and settings of the index, which scripts and index must share.

    While a site is copied, a browser may get the scripts of one build and the index of another.
    """
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return data_hash([settings(()), *(path.read_text(encoding="utf-8") for path in sources)])
