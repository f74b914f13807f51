"""What the browser's code needs to know of the program: base.js carries every constant and word list."""

from __future__ import annotations

from kb.language import LANGUAGES, STOP, fold
from kb.language.fold import SPECIAL
from kb.language.spelling import allowed
from kb.language.tokens import APOSTROPHES, HYPHENS
from kb.records.validity import NO_LONGER
from kb.search import expansion, query, scoring, searcher, snippets

# Words of this many letters and more may hold the same number of slips.
_LONGEST = 8
FACETS = ("game", "topic", "kind", "authority", "lang")


def settings() -> dict[str, object]:
    """The settings of the browser's modules, by module."""
    return {
        "text": {
            "special": SPECIAL,
            "apostrophes": APOSTROPHES,
            "hyphens": HYPHENS,
            "slips": [allowed("a" * length) for length in range(_LONGEST + 1)],
        },
        "languages": _languages(),
        "query": _query(),
        "expansion": _expansion(),
        "scoring": _scoring(),
        "filters": {"noLonger": list(NO_LONGER), "facets": FACETS},
        "snippets": _snippets(),
    }


def _languages() -> dict[str, object]:
    return {
        code: {
            "suffixes": language.SUFFIXES,
            "respellings": getattr(language, "RESPELLINGS", ()),
            "stopWords": sorted({fold(word) for word in STOP[code]}),
        }
        for code, language in LANGUAGES.items()
    }


def _query() -> dict[str, object]:
    return {
        "maxLength": query.MAX_LENGTH,
        "maxTerms": query.MAX_TERMS,
        "maxDepth": query.MAX_DEPTH,
        "minPrefix": query.MIN_PREFIX,
        "filters": query.FILTERS,
        "orWords": sorted(query.OR_WORDS),
        "quotes": query.QUOTES,
    }


def _expansion() -> dict[str, object]:
    return {
        "weights": {
            "exact": expansion.LEMMA,
            "folded": expansion.FOLDED,
            "stem": expansion.STEM,
        },
        "exact": expansion.EXACT,
        "group": expansion.GROUP,
        "slips": {str(slips): weight for slips, weight in expansion.SLIP.items()},
        "number": expansion.RULE_NUMBER,
        "piece": expansion.PIECE,
        "limit": expansion.MAX_EXPANSION,
        "familiar": expansion.FAMILIAR,
        "inTextsBonus": expansion.IN_TEXTS,
        "margin": expansion.MARGIN,
    }


def _scoring() -> dict[str, object]:
    return {
        "k1": scoring.K1,
        "b": scoring.B,
        "few": scoring.FEW,
        "exactBonus": scoring.EXACT_BONUS,
        "least": scoring.LEAST,
        "ofBest": scoring.OF_BEST,
        "phraseWeight": scoring.PHRASE_WEIGHT,
        "coverageWeight": scoring.COVERAGE_WEIGHT,
        "reranked": searcher.RERANKED,
        "titleBonus": searcher.TITLE_BONUS,
        "nearBonus": searcher.NEAR_BONUS,
        "kinds": searcher.KIND,
    }


def _snippets() -> dict[str, object]:
    return {
        "length": snippets.LENGTH,
        "margin": snippets.MARGIN,
        "before": snippets.NEAR_START,
        "context": snippets.CONTEXT,
        "window": snippets.WINDOW,
        "near": snippets.NEAR,
        "far": snippets.FAR,
    }
