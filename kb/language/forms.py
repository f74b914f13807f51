"""Writes the table of forms with the analysers; `lookup` reads it without them.

The table has every form of every lemma that a word of a text, a term or a card name can mean.
Index, query, card finder and browser read it, so that they agree.

Czech and Slovak players read each other's rulings: the table also has the words of a sister
language that mean a lemma of the texts, so that queries find the lemma by them. A word that the
language has itself keeps its own meaning.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from pathlib import Path

from kb.core.parallel import parallel_map
from kb.language.answers import Answers
from kb.language.base import Language, Rules, Sister
from kb.language.lookup import CORPUS, INFLECTED, LAYOUT, SISTER, StoredRow
from kb.language.registry import ENGLISH, language_of, sisters
from kb.language.words import fold, fold_all, owner, parts

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE form (
    lang TEXT, folded TEXT, form TEXT, lemmas TEXT, origin INTEGER,
    PRIMARY KEY (lang, folded, form)
) WITHOUT ROWID;
"""
_INDEX = f"CREATE INDEX form_corpus ON form (lang, folded, form, lemmas) WHERE origin = {CORPUS}"
Meanings = Mapping[str, Collection[str]]
Lemmas = dict[str, set[str]]
# A term's word is declined from this many letters on, and if a dictionary has fewer forms of it.
_SHORTEST_DECLINED, _FEW_FORMS = 3, 4


@dataclass
class Words:
    """The words of a language for the table of forms, in any case.

    `texts`: of texts and terms; `names`: of card names; `terms`: of the names of terms, which are
    declined as card names are if no dictionary does; `asked`: of questions, which have no other
    forms than those of the texts; `groups`: two or more words with one meaning, without spaces.
    """

    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    terms: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)
    groups: list[Sequence[str]] = field(default_factory=list)


def build_form_table(path: Path, words: Mapping[str, Words]) -> None:
    """Write the table of forms of some words, by language, into a new file.

    The same input gives the same rows.
    """
    answers = Answers()

    def rows_of(lang: str) -> tuple[str, list[StoredRow]]:
        return lang, language_rows(lang, words[lang], answers)

    # Languages with sisters start first: they need two dictionaries and take longest.
    order = sorted(words, key=lambda lang: (not sisters(lang), lang))
    rows = dict(parallel_map(rows_of, order))
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(_SCHEMA)
        for lang in sorted(rows):
            db.executemany("INSERT INTO form VALUES (?, ?, ?, ?, ?)", rows[lang])
        db.commit()
        db.execute(_INDEX)
        db.execute(f"PRAGMA user_version = {LAYOUT}")


def language_rows(code: str, given: Words, answers: Answers) -> list[StoredRow]:
    """The rows of a language, in order."""
    language = language_of(code)
    words = {*_pieces(given.texts), *map(str.lower, chain(*given.groups))}
    names, asked = sorted({*_pieces(given.names)}), {*_pieces(given.asked)}
    terms = words.intersection(_pieces(given.terms))
    meanings = _meanings(language, words, names, terms, asked, answers)
    joined = _joined(meanings, given.groups)
    for form, lemmas in meanings.items():
        if not joined.keys().isdisjoint(lemmas):
            meanings[form] = set(lemmas).union(*(joined.get(lemma, ()) for lemma in lemmas))
    origins = {form: CORPUS if form in words or form in asked else INFLECTED for form in meanings}
    if sisters(code):
        related = sister_forms(language, meanings, names, answers)
        meanings.update(related)
        origins.update(dict.fromkeys(related, SISTER))
    folded = fold_all(meanings)
    return sorted(
        (code, folded[form], form, " ".join(sorted(lemmas)), origins[form])
        for form, lemmas in meanings.items()
    )


def _meanings(
    language: Language,
    words: Collection[str],
    names: Collection[str],
    terms: Collection[str],
    asked: Collection[str],
    answers: Answers,
) -> dict[str, Collection[str]]:
    """The lemmas of every form of some words, among them those of terms, and names.

    Other words of questions have only their stems: with all forms of theirs, the table would be a
    quarter larger, and find no more.
    """
    lemmas = answers.lemmas(language, words)
    meanings: dict[str, set[str]] = defaultdict(set)
    forms_of_lemmas = answers.forms(language, set(chain(*lemmas.values())))
    for lemma, forms in forms_of_lemmas.items():
        for form in forms:
            meanings[form].add(lemma)
    named: dict[str, set[str]] = defaultdict(set)
    forms_of = answers.name_forms(language, names)
    folded = fold_all(chain(*forms_of.values()))
    for name, forms in forms_of.items():
        lemma = "^" + fold(name)
        for form in forms:
            meanings[form].add(lemma)
            named[folded[form]].add(lemma)
    for word, word_lemmas in lemmas.items():
        if word_lemmas:
            meanings[word].update(word_lemmas)
    unknown = [word for word in {*words, *asked} if meanings.keys().isdisjoint((word, owner(word)))]
    known = {**meanings, **_meanings_of_unknown(language, unknown, named, answers)}
    for word in sorted({*words}.intersection(unknown)):
        for form in language.adjective_forms(word):
            known.setdefault(form, known[word])

    def is_undeclined(word: str) -> bool:
        listed = {*chain(*(forms_of_lemmas.get(lemma, ()) for lemma in lemmas[word]))}
        is_declinable = word.isalpha() and len(word) >= _SHORTEST_DECLINED
        return is_declinable and word not in language.stop_words and len(listed) < _FEW_FORMS

    undeclined = [*filter(is_undeclined, sorted(terms))]
    for word, forms in answers.name_forms(language, undeclined).items():
        for form in forms:
            known.setdefault(form, known[word])
    return known


def _meanings_of_unknown(
    language: Language, words: Collection[str], named: Meanings, answers: Answers
) -> Meanings:
    """The lemmas of words that a language does not know.

    A card name with the same folded form, or its owner (`named`: lemmas by folded form); else the
    lemmas in English, and the stem.
    """
    by_name = {word: named.get(fold(word)) or named.get(fold(owner(word))) for word in words}
    rest = [word for word, lemmas in by_name.items() if not lemmas]
    ascii_words = [word for word in rest if word.isascii() and language is not ENGLISH]
    english = answers.lemmas(ENGLISH, ascii_words)
    stems = {word: {*english.get(word, ()), "~" + language.stem(fold(word))} for word in rest}
    return {word: by_name[word] or stems[word] for word in words}


def _joined(meanings: Meanings, groups: Iterable[Sequence[str]]) -> Meanings:
    """The common lemmas of groups, by the lemmas of their words."""
    joined: dict[str, set[str]] = defaultdict(set)
    for group in groups:
        for lemma in chain.from_iterable(meanings.get(word.lower(), ()) for word in group):
            joined[lemma].add("+" + fold(group[0]))
    return joined


def _pieces(words: Iterable[str]) -> Iterator[str]:
    """Words in lower case with their parts."""
    return (piece.lower() for word in words for piece in (word, *parts(word)))


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
    language: Language, forms: Meanings, names: Collection[str], answers: Answers
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


def _ordinary(forms: Meanings) -> Iterator[tuple[str, set[str]]]:
    """Yield the forms of dictionary words, not of names and unknown words."""
    for form, lemmas in forms.items():
        ordinary = {lemma for lemma in lemmas if lemma[0] not in "^~"}
        if ordinary and len(form) > 2:
            yield form, ordinary


def _by_ending(
    forms: Meanings, endings: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, set[str]]]:
    """Guess the sister's forms by their endings, since many are in no dictionary."""
    for form, lemmas in _ordinary(forms):
        for own, theirs in endings:
            if form.endswith(own) and len(form) > len(own) + 2:
                yield form.removesuffix(own) + theirs, lemmas


def _by_spelling(
    sister: Language, forms: Meanings, correspondence: Sister, answers: Answers
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

    def analyse(_: Collection[str]) -> Meanings:
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

    def analyse(words: Collection[str]) -> Meanings:
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
