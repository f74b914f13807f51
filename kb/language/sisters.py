"""Words of a sister language, for queries in it about texts of the other language.

Czech and Slovak players read each other's rulings. The table of forms gets the words of the sister
language that mean a lemma of the texts, so that queries find the lemma by them. A word that the
language has itself keeps its own meaning.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

from kb.language.answers import Answers
from kb.language.base import Language, Rules, Sister
from kb.language.registry import sisters
from kb.language.words import fold

Forms = Mapping[str, Collection[str]]
Lemmas = dict[str, set[str]]


def common_spellings(word: str, rules: Rules) -> set[str]:
    """The folded spellings that a word may share with its counterpart in a sister language."""
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
    """Compile a rule; for tens of thousands of words the cache of `re` is slower."""
    return re.compile(pattern)


def sister_forms(
    language: Language, forms: Forms, names: Collection[str], answers: Answers
) -> Lemmas:
    """Return the words of sister languages, each with the lemmas of the language that it means.

    `forms`: the forms of the language with their lemmas; `names`: words of card names.
    """
    meant: Lemmas = defaultdict(set)
    for sister, correspondence in sisters(language.code):
        by_lemma = _by_spelling(sister, forms, correspondence, answers)
        for words, sister_words in correspondence.words:
            lemmas = set().union(*(forms.get(word, ()) for word in words.split()))
            for word in sister_words.split():
                by_lemma[word] |= lemmas
        for word, lemmas in _inflected(sister, by_lemma, answers).items():
            meant[word] |= lemmas
        for word, lemmas in _by_ending(forms, correspondence.endings):
            meant[word] |= lemmas
        for name, name_forms in answers.name_forms(sister, names).items():
            for form in name_forms:
                meant[form].add("^" + fold(name))
    own = set(map(fold, forms))
    return {form: lemmas for form, lemmas in meant.items() if lemmas and fold(form) not in own}


def _ordinary(forms: Forms) -> Iterator[tuple[str, set[str]]]:
    """Yield the forms of dictionary words, not of names and unknown words."""
    for form, lemmas in forms.items():
        ordinary = {lemma for lemma in lemmas if lemma[0] not in "^~"}
        if ordinary and len(form) > 2:
            yield form, ordinary


def _by_ending(forms: Forms, endings: Iterable[tuple[str, str]]) -> Iterator[tuple[str, set[str]]]:
    """Guess the sister's forms by their endings, since many are in no dictionary."""
    for form, lemmas in _ordinary(forms):
        for own, theirs in endings:
            if form.endswith(own) and len(form) > len(own) + 2:
                yield form.removesuffix(own) + theirs, lemmas


def _by_spelling(
    sister: Language, forms: Forms, correspondence: Sister, answers: Answers
) -> Lemmas:
    """The lemmas of the sister's dictionary that share a common spelling with own forms."""
    index: Lemmas = defaultdict(set)
    for form, lemmas in _ordinary(forms):
        for spelling in common_spellings(form, correspondence.spelling):
            index[spelling] |= lemmas
    meant: Lemmas = defaultdict(set)
    for entry in _spellings(sister, correspondence, answers):
        spelling, _, lemma = entry.partition("\t")
        if spelling in index:
            meant[lemma] |= index[spelling]
    return meant


def _spellings(sister: Language, correspondence: Sister, answers: Answers) -> list[str]:
    """The lemmas of the sister's dictionary, each after a common spelling and a tab.

    One cached answer has all of them, because each build needs different ones.
    """

    def analyse(_: Collection[str]) -> Forms:
        lemmas = sister.dictionary.lemmas() if sister.dictionary else ()
        entries = [
            f"{spelling}\t{lemma}"
            for lemma in lemmas
            for spelling in common_spellings(lemma.lower(), correspondence.sister_spelling)
        ]
        return {"": entries}

    return answers.ask(f"{sister.code} spellings {correspondence.code}", [""], analyse)[""]


def _inflected(sister: Language, by_lemma: Lemmas, answers: Answers) -> Lemmas:
    """The forms of some words, with their meanings; unknown words are inflected as names."""

    def analyse(words: Collection[str]) -> Forms:
        dictionary = sister.dictionary
        lemmas = {word: dictionary.lemma(word) if dictionary else None for word in words}
        return {
            word: dictionary.forms(lemma) if dictionary and lemma else sister.name_forms(word)
            for word, lemma in lemmas.items()
        }

    meant: Lemmas = defaultdict(set)
    for word, forms in answers.ask(f"{sister.code} spelt forms", by_lemma, analyse).items():
        for form in (word, *forms):
            meant[form.lower()] |= by_lemma[word]
    return meant
