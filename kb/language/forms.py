"""Writes the table of forms with the analysers; `lookup` reads it without them.

The table has every form of every lemma that a word of a text, a term or a card name can mean.
Index, query, card finder and browser read it, so that they agree.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from kb.core.parallel import parallel_map
from kb.language.answers import Answers
from kb.language.base import Language
from kb.language.fold import fold, fold_all
from kb.language.lookup import CORPUS, INFLECTED, LAYOUT, SISTER, StoredRow
from kb.language.registry import ENGLISH, language_of, sisters
from kb.language.sisters import sister_forms
from kb.language.tokens import owner, parts

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE form (
    lang TEXT, folded TEXT, form TEXT, lemmas TEXT, origin INTEGER,
    PRIMARY KEY (lang, folded, form)
) WITHOUT ROWID;
"""
_INDEX = f"CREATE INDEX form_corpus ON form (lang, folded, form, lemmas) WHERE origin = {CORPUS}"
Group = tuple[str, Sequence[str]]
Meanings = Mapping[str, Collection[str]]
_NOTHING: frozenset[str] = frozenset()


def build_form_table(
    path: Path,
    vocabulary: Mapping[str, Collection[str]],
    names: Mapping[str, Collection[str]],
    groups: Sequence[Group],
) -> None:
    """Write the table of forms into a new file.

    `vocabulary`: the words of texts and terms, by language; `names`: the words of card names, by
    the language that declines them; `groups`: words of a language with one meaning. The same input
    gives the same rows.
    """
    vocabularies = {
        lang: Vocabulary(
            vocabulary.get(lang, ()),
            names.get(lang, ()),
            [words for group_lang, words in groups if group_lang == lang],
        )
        for lang in {*vocabulary, *names}
    }
    answers = Answers()

    def rows_of(lang: str) -> tuple[str, list[StoredRow]]:
        return lang, language_rows(lang, vocabularies[lang], answers)

    # Languages with sisters start first: they need two dictionaries and take longest.
    order = sorted(vocabularies, key=lambda lang: (not sisters(lang), lang))
    rows = dict(parallel_map(rows_of, order))
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(_SCHEMA)
        for lang in sorted(rows):
            db.executemany("INSERT INTO form VALUES (?, ?, ?, ?, ?)", rows[lang])
        db.commit()
        db.execute(_INDEX)
        db.execute(f"PRAGMA user_version = {LAYOUT}")


class Vocabulary(NamedTuple):
    """The words of a language for the table.

    `words`: of texts and terms; `names`: of card names; `groups`: words with one meaning.
    """

    words: Collection[str] = _NOTHING
    names: Collection[str] = _NOTHING
    groups: Sequence[Sequence[str]] = ()


def language_rows(code: str, vocabulary: Vocabulary, answers: Answers) -> list[StoredRow]:
    """The rows of a language, in order."""
    language = language_of(code)
    words = set(chain(_pieces(vocabulary.words), _group_words(vocabulary.groups)))
    names = sorted(set(_pieces(vocabulary.names)))
    meanings = _meanings(language, words, names, answers)
    joined = _joined(meanings, vocabulary.groups)
    for form, lemmas in meanings.items():
        if not joined.keys().isdisjoint(lemmas):
            meanings[form] = set(lemmas).union(*(joined.get(lemma, ()) for lemma in lemmas))
    origins = {form: CORPUS if form in words else INFLECTED for form in meanings}
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
    language: Language, words: Collection[str], names: Collection[str], answers: Answers
) -> dict[str, Collection[str]]:
    """The lemmas of every form of some words and names."""
    lemmas = answers.lemmas(language, words)
    meanings: dict[str, set[str]] = defaultdict(set)
    for lemma, forms in answers.forms(language, set(chain(*lemmas.values()))).items():
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
    unknown = [word for word in words if word not in meanings]
    return {**meanings, **_meanings_of_unknown(language, unknown, named, answers)}


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


def _joined(meanings: Meanings, groups: Iterable[Iterable[str]]) -> Meanings:
    """The common lemmas of groups, by the lemmas of their words."""
    joined: dict[str, set[str]] = defaultdict(set)
    for group in groups:
        single = [word.lower() for word in group if " " not in word]
        if len(single) > 1:
            for lemma in chain.from_iterable(meanings.get(word, ()) for word in single):
                joined[lemma].add("+" + fold(single[0]))
    return joined


def _pieces(words: Iterable[str]) -> Iterator[str]:
    """Words in lower case with their parts."""
    return (piece.lower() for word in words for piece in (word, *parts(word)))


def _group_words(groups: Iterable[Iterable[str]]) -> Iterator[str]:
    return (piece for group in groups for word in group for piece in word.lower().split())
