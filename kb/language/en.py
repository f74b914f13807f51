"""English: simplemma's dictionary, then the Snowball stemmer on the lemma.

Of 40 groups of inflected words this joins 39; either alone 34 and 29.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from kb.core.characters import APOSTROPHES
from kb.language.base import Dictionary, Language, longest_first, respell, words

_RESPELLINGS = (
    (r"is(e|ed|es|ing|ation|ations|er|ers)$", "iz$1"),
    (r"our(s|ed|ing|able)?$", "or$1"),
)


def american(word: str) -> str:
    """A word in American spelling, by its ending (neutralise -> neutralize, honour -> honor)."""
    return respell(word, _RESPELLINGS)


_DICTIONARY = Dictionary("en", "english", american)


def lemmas(word: str) -> frozenset[str]:
    """The stems of the dictionary's lemmas. A possessive belongs to its owner."""
    bare = re.sub(rf"[{APOSTROPHES}]s?$", "", word)
    return _DICTIONARY.stems(bare, american(bare))


def forms(wanted: Collection[str]) -> dict[str, frozenset[str]]:
    """Every form of some lemmas, in British and American spelling."""
    by_key = _DICTIONARY.forms_of_stems(wanted)
    return {key: frozenset({*spelt, *map(american, spelt)}) for key, spelt in by_key.items()}


def name_forms(name: str) -> frozenset[str]:
    """A name, its plural and its possessive."""
    return frozenset({name, f"{name}s", f"{name}'s"}) if name[-1:].isalpha() else frozenset({name})


LANGUAGE = Language(
    code="en",
    first_titles=("General", "Rulebook"),
    note_words=frozenset("Note Notes".split()),
    pointing_words=frozenset("this that these those such".split()),
    alphabet="abcdefghijklmnopqrstuvwxyz",
    lemmas=lemmas,
    forms=forms,
    name_forms=name_forms,
    dictionary=_DICTIONARY,
    suffixes=longest_first("s es ed ing ings er ers ly ation ations ment ments ness"),
    respellings=_RESPELLINGS,
    function_words=words(
        "a about am an and are as at be been but by could did do does for from had has have he her "
        "him his i if in into is it its itself me my no not of on or our she so some than that the "
        "their them then there these they this those to too was we were will with would you your "
        "can may might must shall should aren't can't cannot couldn't didn't doesn't don't hasn't "
        "haven't isn't shouldn't wasn't won't wouldn't he's i'm i've it's she's that's there's "
        "they're what's who's you're"
    ),
    question_words=words("how what when where which while who whom whose why"),
    asking_words=words(
        "anybody anyone anything everybody everyone everything somebody someone something "
        "define explain mean meaning means question questions rule rules work "
        "working works "
        "hello hey hi please pls sorry thank thanks thx"
    ),
    or_words=("OR",),
    rule_words=words("rule rules no section sec paragraph para article art cr"),
    version_stem="version",
    abbreviations=r"e\.?g|i\.?e|cf|vs|mr|dr|st|no",
)
