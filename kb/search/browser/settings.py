"""The browser's search script: its modules joined, and the program's constants and word lists.

The modules are classic scripts that register on one object, in any order: a page opened from a
file cannot load ES modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from kb.core.json import compact, data_hash
from kb.language import language_of
from kb.language.fold import DROPPED, JOINED, JOINERS, SPACES, SPECIAL
from kb.language.registry import query_stop_words
from kb.language.spelling import allowed
from kb.language.tokens import APOSTROPHES, HYPHENS
from kb.records.fields import FILTERS
from kb.records.validity import EVER, NO_LONGER
from kb.search import (
    candidates,
    cards,
    document,
    expansion,
    keyboards,
    query,
    ranking,
    snippets,
    vocabulary,
)
from kb.search.browser.rows import PACKED_DIGITS

# Words of this many letters and more may hold the same number of slips.
_LONGEST = 8
FACETS = ("game", "topic", "kind", "authority", "lang")
# The folder of the modules below templates/static, and the script that they make.
SCRIPT_FOLDER = "search-core"
SCRIPT = f"{SCRIPT_FOLDER}.js"


def settings(languages: Iterable[str]) -> dict[str, object]:
    """The settings of the browser's modules, by module; `languages`: those of the rulings."""
    return {
        "text": {
            "special": SPECIAL,
            "spaces": _escaped(SPACES),
            "dropped": _escaped(DROPPED),
            "joined": _escaped(f"[{JOINED}][{JOINERS}]"),
            "apostrophes": APOSTROPHES,
            "hyphens": HYPHENS,
            "slips": [allowed("a" * length) for length in range(_LONGEST + 1)],
        },
        "languages": {code: _language(code) for code in dict.fromkeys((*languages, "en"))},
        "query": _query(),
        "postings": {"digits": PACKED_DIGITS},
        "vocabulary": {"gram": vocabulary.GRAM},
        "expansion": _expansion(),
        "keyboards": _keyboards(),
        "ranking": _ranking(),
        "candidates": _candidates(),
        "cards": {
            "most": cards.MAX_CARDS,
            "shortQuery": cards.SHORT_QUERY,
            "minPrefix": cards.MIN_PREFIX,
        },
        "filters": {"ever": EVER, "noLonger": list(NO_LONGER), "facets": FACETS},
        "snippets": {
            "length": snippets.LENGTH,
            "margin": snippets.MARGIN,
            "nearStart": snippets.NEAR_START,
            "context": snippets.CONTEXT,
            "minName": snippets.MIN_NAME,
            "defaultLanguage": snippets.DEFAULT_LANGUAGE,
        },
    }


def _language(code: str) -> dict[str, object]:
    return {
        "suffixes": language_of(code).suffixes,
        "respellings": language_of(code).respellings,
        "stopWords": sorted(query_stop_words(code)),
    }


def _query() -> dict[str, object]:
    return {
        "maxLength": query.MAX_LENGTH,
        "maxTerms": query.MAX_TERMS,
        "maxDepth": query.MAX_DEPTH,
        "minPrefix": query.MIN_PREFIX,
        "filters": FILTERS,
        "orWords": sorted(query.OR_WORDS),
        "quotes": query.QUOTES,
    }


def _expansion() -> dict[str, object]:
    return {
        "exact": expansion.EXACT,
        "known": expansion.LEMMAS,
        "group": expansion.GROUP,
        "otherLanguage": expansion.OTHER_LANGUAGE,
        "joined": expansion.JOINED,
        "number": expansion.NUMBER_WEIGHT,
        "slips": _texts(expansion.SLIP),
        "swapped": expansion.SWAPPED,
        "idea": expansion.IDEA,
        "present": expansion.PRESENT,
        "alike": expansion.ALIKE,
        "alikeLeast": expansion.ALIKE_LEAST,
        "alikeMost": expansion.ALIKE_MOST,
        "maxExpansion": expansion.MAX_EXPANSION,
        "maxSlips": expansion.MAX_SLIPS,
        "familiar": expansion.FAMILIAR,
        "familiarStopWord": expansion.FAMILIAR_STOP_WORD,
        "familiarInTexts": expansion.FAMILIAR_IN_TEXTS,
        "margin": expansion.MARGIN,
    }


def _keyboards() -> dict[str, object]:
    return {
        "keyboards": [
            {
                "languages": keyboard.languages,
                "kind": keyboard.kind,
                "table": _letters(keyboard.table),
                "sounds": keyboard.sounds,
                "whole": keyboard.whole,
            }
            for keyboard in keyboards.KEYBOARDS
        ],
        "swap": _letters(keyboards.SWAP),
        "maxSpellings": keyboards.MAX_SPELLINGS,
        "short": keyboards.SHORT,
        "shortWeight": keyboards.SHORT_WEIGHT,
        "endMarks": keyboards.END_MARKS,
        "meantMarks": keyboards.MEANT_MARKS,
        "maxPieces": keyboards.MAX_PIECES,
        "betterPart": keyboards.BETTER_PART,
        "betterMost": keyboards.BETTER_MOST,
    }


def _ranking() -> dict[str, object]:
    return {
        "fields": ranking.FIELDS,
        "lines": [document.TITLE, document.ASKED],
        "question": document.ASKED,
        "quoted": document.QUOTED,
        "quotedLeast": ranking.QUOTED_LEAST,
        "passages": [document.ANSWER, document.BODY],
        "saturation": ranking.SATURATION,
        "coverage": ranking.COVERAGE,
        "line": ranking.LINE,
        "near": ranking.NEAR,
        "precision": ranking.PRECISION,
        "window": ranking.WINDOW,
        "ownLanguage": ranking.OWN_LANGUAGE,
        "kinds": ranking.KINDS,
    }


def _candidates() -> dict[str, object]:
    return {
        "limit": candidates.CANDIDATES,
        "phraseLimit": candidates.PHRASE_CANDIDATES,
        "few": candidates.FEW,
        "ofBest": candidates.OF_BEST,
        "leastScore": candidates.LEAST_SCORE,
        "mostPartial": candidates.MOST_PARTIAL,
        "certain": candidates.CERTAIN,
        "ahead": candidates.AHEAD,
    }


def _escaped(pattern: str) -> str:
    """A part of a pattern as JavaScript reads it; a page must not have control characters."""
    shown = (char if " " <= char <= "~" else f"\\u{{{ord(char):x}}}" for char in pattern)
    return "".join(shown)


def _letters(table: Mapping[int, str]) -> dict[str, str]:
    """A table of str.maketrans as JSON holds it."""
    return {chr(typed): meant for typed, meant in table.items()}


def _texts(table: Mapping[int, float]) -> dict[str, float]:
    return {str(key): value for key, value in table.items()}


@lru_cache(maxsize=1)
def version() -> str:
    """What the scripts and an index must have in common: a hash of all that makes the index.

    While a site is copied, a browser may get the scripts of one build and the index of another.
    """
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return data_hash([settings(()), *(path.read_text(encoding="utf-8") for path in sources)])


def joined(static: Path) -> str:
    """The modules below `static` as one script, without comments and indentation."""
    paths = sorted((static / SCRIPT_FOLDER).glob("*.js"))
    text = "".join(bare(path.read_text(encoding="utf-8")) for path in paths)
    return f"{text}globalThis.KBSearchModules.version = {compact(version())};\n"


def bare(script: str) -> str:
    """A script without comments on lines of their own and indentation: a sixth of its gzip."""
    return _without(script, lambda line: line.startswith("//"))


def bare_sheet(sheet: str) -> str:
    """The same of a style sheet: a fourteenth."""
    return _without(sheet, lambda line: line[:2] == "/*" and line.find("*/", 2) == len(line) - 2)


def _without(text: str, is_comment: Callable[[str], bool]) -> str:
    lines = map(str.strip, text.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not is_comment(line))
