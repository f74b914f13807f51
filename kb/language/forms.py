"""The table of forms: written by a build with the analysers, read by everything else without.

For every lemma that a word of the texts, a term or a card name can mean it has every form, so
that index, query, card finder and browser agree. `inflection` computes its rows, `lookup` reads it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from kb.core.parallel import parallel_map
from kb.language.answers import Answers
from kb.language.inflection import Row, Vocabulary, language_rows
from kb.language.lookup import CORPUS, LAYOUT
from kb.language.registry import language_of, sisters

_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE form (
    lang TEXT, form TEXT, folded TEXT, lemmas TEXT, origin INTEGER, PRIMARY KEY (lang, form)
) WITHOUT ROWID;
"""
# Created last: sorting once is quicker than inserting in order, and leaves no page half full.
_INDEXES = f"""
CREATE INDEX form_folded ON form (lang, folded, origin, lemmas);
CREATE INDEX form_corpus ON form (lang, origin, form, folded, lemmas) WHERE origin = {CORPUS};
"""
Group = tuple[str, Sequence[str]]


def build_form_table(
    path: Path,
    vocabulary: Mapping[str, Collection[str]],
    names: Mapping[str, Collection[str]],
    groups: Sequence[Group],
) -> None:
    """Write the table of forms into a new file.

    `vocabulary`: the words of texts and terms by language; `names`: the words of card names by
    the language that declines them; `groups`: words of one language that belong together. The
    same input gives the same rows.
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

    def rows_of(lang: str) -> tuple[str, list[Row]]:
        return lang, language_rows(lang, language_of(lang), vocabularies[lang], answers)

    # Languages with sisters need two dictionaries, and take the longest: they start first.
    order = sorted(vocabularies, key=lambda lang: (not sisters(lang), lang))
    rows = dict(parallel_map(rows_of, order))
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(_SCHEMA)
        for lang in sorted(rows):
            db.executemany("INSERT INTO form VALUES (?, ?, ?, ?, ?)", rows[lang])
        db.commit()
        db.executescript(_INDEXES)
        db.execute(f"PRAGMA user_version = {LAYOUT}")
