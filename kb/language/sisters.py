"""Words of a sister language, for readers who ask in it about texts of the other.

Czech and Slovak players read each other's rulings. A build adds the words of the sister language
that mean a lemma of the texts to the table of forms, so that queries find them as they find the
language's own forms. Words that the language itself has are never added.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

from kb.language.base import Language, Rules, Sister
from kb.language.dictionary import dictionary_version
from kb.language.fold import fold
from kb.language.registry import sisters
from kb.language.sorted_map import SortedMap, cached_map, line, map_path

Forms = Mapping[str, Collection[str]]
Lemmas = dict[str, set[str]]


def common_spellings(word: str, rules: Rules) -> set[str]:
    """The spellings, folded, that a word may share with its counterpart in a sister language."""
    spellings = {word}
    for pattern, alternatives in rules:
        expression = _compiled_rule(pattern)
        if expression.search(word):
            spellings = {
                expression.sub(alternative, spelling)
                for spelling in spellings
                for alternative in alternatives
            }
    return {fold(spelling) for spelling in spellings}


@cache
def _compiled_rule(pattern: str) -> re.Pattern[str]:
    """Quicker than the cache of `re`, for tens of thousands of words."""
    return re.compile(pattern)


def sister_forms(language: Language, forms: Forms, names: Iterable[str]) -> Lemmas:
    """Words of sister languages, each with the lemmas that it means.

    `forms`: the language's own forms with their lemmas; `names`: words of card names. Words that
    fold to an own form are left out.
    """
    meant: Lemmas = defaultdict(set)
    known = {lemma for lemmas in forms.values() for lemma in lemmas}
    for sister, correspondence in sisters(language.code):
        by_lemma = _by_pairs(language, forms, correspondence.words)
        for lemma, lemmas in _by_spelling(sister, forms, correspondence).items():
            by_lemma[lemma] |= lemmas
        for word, lemmas in _inflected(sister, by_lemma).items():
            meant[word] |= lemmas & known
        for word, lemmas in _by_ending(forms, correspondence.endings):
            meant[word] |= lemmas
        for name in names:
            for form in sister.name_forms(name):
                meant[form].add("^" + fold(name))
    own = set(map(fold, forms))
    return {form: lemmas for form, lemmas in meant.items() if lemmas and fold(form) not in own}


def _by_pairs(language: Language, forms: Forms, pairs: Iterable[tuple[str, str]]) -> Lemmas:
    """Words of the sister language that are listed with their meaning."""
    meant: Lemmas = defaultdict(set)
    for words, sister_words in pairs:
        lemmas = {
            lemma for word in words.split() for lemma in forms.get(word) or language.lemmas(word)
        }
        for word in sister_words.split():
            meant[word] |= lemmas
    return meant


def _ordinary(forms: Forms) -> Iterator[tuple[str, set[str]]]:
    """Forms of words of the dictionary, not of names and unknown words."""
    for form, lemmas in forms.items():
        ordinary = {lemma for lemma in lemmas if lemma[0] not in "^~"}
        if ordinary and len(form) > 2:
            yield form, ordinary


def _by_ending(forms: Forms, endings: Iterable[tuple[str, str]]) -> Iterator[tuple[str, set[str]]]:
    """What the sister's forms of the same words would be: many are in no dictionary."""
    for form, lemmas in _ordinary(forms):
        for own, theirs in endings:
            if form.endswith(own) and len(form) > len(own) + 2:
                yield form.removesuffix(own) + theirs, lemmas


def _by_spelling(sister: Language, forms: Forms, correspondence: Sister) -> Lemmas:
    """Lemmas of the sister's dictionary that are spelt as an own form is, but for the rules."""
    index: Lemmas = defaultdict(set)
    for form, lemmas in _ordinary(forms):
        for spelling in common_spellings(form, correspondence.spelling):
            index[spelling] |= lemmas
    meant: Lemmas = defaultdict(set)
    for spelling, counterparts in _spellings(sister, correspondence).items():
        if spelling in index:
            for lemma in counterparts:
                meant[lemma] |= index[spelling]
    return meant


def _spellings(sister: Language, correspondence: Sister) -> SortedMap:
    """The lemmas of the sister's dictionary by the spellings that they may share."""

    def lines() -> Iterator[bytes]:
        by_spelling: dict[str, list[str]] = defaultdict(list)
        for lemma in sister.dictionary.lemmas() if sister.dictionary else ():
            for spelling in common_spellings(lemma.lower(), correspondence.sister_spelling):
                by_spelling[spelling].append(lemma)
        yield from (line(spelling, lemmas) for spelling, lemmas in by_spelling.items())

    return cached_map(*_spellings_place(sister, correspondence), lines)


def make_spellings(sister: Language, correspondence: Sister) -> None:
    """Make the file of the spellings that the lemmas of a sister may share, where it is missing."""
    if sister.dictionary and not map_path(*_spellings_place(sister, correspondence)).exists():
        _spellings(sister, correspondence)


def _spellings_place(sister: Language, correspondence: Sister) -> tuple[str, str]:
    """The name and version of the map of spellings."""
    version = dictionary_version(sister.code) + repr(correspondence.sister_spelling)
    return f"{sister.code}-spellings", version


def _inflected(sister: Language, by_lemma: Lemmas) -> Lemmas:
    """The words and their forms, of those that the dictionary lacks as of a name."""
    meant: Lemmas = defaultdict(set)
    by_dictionary: Lemmas = defaultdict(set)
    for word, lemmas in by_lemma.items():
        meant[word.lower()] |= lemmas
        lemma = sister.dictionary.lemma(word) if sister.dictionary else None
        if lemma:
            by_dictionary[lemma] |= lemmas
        else:
            for form in sister.name_forms(word):
                meant[form.lower()] |= lemmas
    if sister.dictionary:
        for lemma, lemmas in by_dictionary.items():
            for form in sister.dictionary.forms(lemma):
                meant[form.lower()] |= lemmas
    return meant
