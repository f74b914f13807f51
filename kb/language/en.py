"""English: simplemma's dictionary, then the Snowball stemmer on the lemma (39 of 40 groups; either alone 34 and 29)."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache, partial

from kb.language.common import longest_first, strip
from kb.language.dictionary import Dictionary

STOP = frozenset(
    "a about am an and are as at be been but by can could did do does for from had has have he her him his how i if "
    "in into is it "
    "its itself may me might must my no not of on or our shall she should so some than that the their them then "
    "there these they this those to "
    "too was we were what when where which while who whom whose why will with would you your".split()
)
SUFFIXES = longest_first("s es ed ing ings er ers ly ation ations ment ments ness")
RESPELLINGS = (
    (r"is(e|ed|es|ing|ation|ations|er|ers)$", "iz$1"),
    (r"our(s|ed|ing|able)?$", "or$1"),
)
_BRITISH = tuple((re.compile(pattern), made.replace("$", "\\")) for pattern, made in RESPELLINGS)


def _replacement(template: str, match: re.Match[str]) -> str:
    return match.expand(template.replace(r"\1", match[1] or ""))


def american(word: str) -> str:
    """A word in American spelling, by its ending (neutralise -> neutralize, honour -> honor)."""
    if len(word) > 5:
        for pattern, made in _BRITISH:
            word = pattern.sub(partial(_replacement, made), word)
    return word


_DICTIONARY = Dictionary("en", "english", american)


@cache
def lemmas(word: str) -> frozenset[str]:
    """See `Language.lemmas`; a lemma is the stem of the dictionary's lemma. A possessive belongs to its owner."""
    bare = re.sub(r"['’‘ʼ`´]s?$", "", word)
    found = set()
    for one in (bare, american(bare), bare.capitalize()):
        lemma = _DICTIONARY.lemma(one)
        if lemma:
            found.add(_DICTIONARY.key(lemma))
    return frozenset(found)


def forms(wanted: Collection[str]) -> dict[str, frozenset[str]]:
    """See `Language.forms`, in both spellings."""
    found: dict[str, set[str]] = {key: set() for key in wanted}
    heads = {key[:3] for key in wanted}
    short = {key[:2] for key in wanted if len(key) <= 3}
    owners: dict[str, str] = {}
    for lemma in _DICTIONARY.lemmas():
        # A stem shares three letters with its lemma, but for try -> tri: most lemmas need not be stemmed.
        if lemma[:3].lower() in heads or (len(lemma) <= 6 and lemma[:2].lower() in short):
            key = _DICTIONARY.key(lemma)
            if key in found:
                found[key].add(lemma.lower())
                owners[lemma] = key
    for form, lemma in _DICTIONARY.forms(owners):
        found[owners[lemma]].add(form.lower())
    return {
        key: frozenset(form for one in made for form in (one, american(one)))
        for key, made in found.items()
    }


def name_forms(name: str) -> frozenset[str]:
    """See `Language.name_forms`: the plural and the possessive."""
    return frozenset({name, f"{name}s", f"{name}'s"}) if name[-1:].isalpha() else frozenset({name})


def stem(folded: str) -> str:
    """See `Language.stem`."""
    return strip(american(folded), SUFFIXES)
