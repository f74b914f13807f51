"""The table of forms, made by a build with the dictionaries and read by everything else without.

For every lemma that a word of the texts, a term or a card name can mean it has every form, so
that index, query, card finder and browser agree. `lookup` reads it.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kb.language.base import Language
from kb.language.fold import fold
from kb.language.lookup import CORPUS, INFLECTED, LAYOUT, SISTER, open_table
from kb.language.registry import ENGLISH, language_of
from kb.language.sisters import sister_forms
from kb.language.tokens import owner, parts

_SCHEMA = """
CREATE TABLE form (
    lang TEXT, form TEXT, folded TEXT, lemmas TEXT, origin INTEGER, PRIMARY KEY (lang, form)
) WITHOUT ROWID;
CREATE TABLE vocabulary (lang TEXT PRIMARY KEY, key TEXT);
"""
# Created last: sorting once is quicker than inserting in order, and leaves no page half full.
_INDEX = "CREATE INDEX form_folded ON form (lang, folded, origin, lemmas)"
# Where a larger part of a language's rows has changed, the table is written from nothing.
_MOST_UPDATED = 0.1
Group = tuple[str, Sequence[str]]
Row = tuple[str, str, str, str, int]
Forms = dict[str, set[str]]


class _Vocabulary(NamedTuple):
    """The words of one language that the table is made for."""

    lang: str
    words: Collection[str]
    names: Collection[str]
    groups: Sequence[Sequence[str]]

    def key(self) -> str:
        """A hash of all that the rows of the language depend on."""
        digest = hashlib.sha256(_code().encode())
        for words in (sorted(self.words), sorted(self.names), *self.groups):
            digest.update("\n".join(words).encode("utf-8", "replace") + b"\0")
        return digest.hexdigest()


def build_form_table(
    path: Path,
    vocabulary: Mapping[str, Collection[str]],
    names: Mapping[str, Collection[str]],
    groups: Sequence[Group],
    before: Path | None = None,
) -> list[str]:
    """Write the table of forms into a new file; return the languages that had to be analysed.

    `vocabulary`: the words of texts and terms by language; `names`: the words of card names by
    the language that declines them; `groups`: words of one language that belong together. The
    same input gives the same rows. Rows of a language whose words are those of the table at
    `before` are copied from it.
    """
    old_keys = _keys(before)
    vocabularies = {
        lang: _Vocabulary(
            lang,
            vocabulary.get(lang, ()),
            names.get(lang, ()),
            [words for group_lang, words in groups if group_lang == lang],
        )
        for lang in sorted({*vocabulary, *names})
    }
    keys = {lang: words.key() for lang, words in vocabularies.items()}
    changed = [words for lang, words in vocabularies.items() if old_keys.get(lang) != keys[lang]]
    rows = _analysed(changed)
    if before and old_keys.keys() == keys.keys() and _update_copy(before, path, rows, keys):
        return list(rows)
    with sqlite3.connect(f"{path.absolute().as_uri()}", uri=True) as db:
        db.executescript(_SCHEMA)
        if old_keys and before:
            db.execute("ATTACH ? AS old", (before.absolute().as_uri() + "?mode=ro&immutable=1",))
        for lang, key in keys.items():
            if lang in rows:
                db.executemany("INSERT INTO form VALUES (?, ?, ?, ?, ?)", rows.pop(lang))
            else:
                sql = "INSERT INTO form SELECT * FROM old.form WHERE lang = ? ORDER BY form"
                db.execute(sql, (lang,))
            db.execute("INSERT INTO vocabulary VALUES (?, ?)", (lang, key))
        db.execute(_INDEX)
        db.execute(f"PRAGMA user_version = {LAYOUT}")
    db.close()
    return [words.lang for words in changed]


def _update_copy(
    before: Path, path: Path, rows: Mapping[str, Collection[Row]], keys: Mapping[str, str]
) -> bool:
    """Write a table as a copy of an earlier one with the rows of some languages changed.

    Return whether so little has changed that this is less work than a new table.
    """
    with closing(open_table(before)) as db:
        sql = "SELECT * FROM form WHERE lang = ?"
        old = {lang: set(db.execute(sql, (lang,))) for lang in rows}
    new = {lang: set(several) for lang, several in rows.items()}
    gone = [row for lang in rows for row in old[lang] - new[lang]]
    added = [row for lang in rows for row in new[lang] - old[lang]]
    if len(gone) + len(added) > _MOST_UPDATED * sum(map(len, new.values())):
        return False
    shutil.copyfile(before, path)
    with closing(sqlite3.connect(path)) as db, db:
        # Whoever is killed here never publishes the table.
        db.execute("PRAGMA synchronous = OFF")
        db.executemany("DELETE FROM form WHERE lang = ? AND form = ?", (row[:2] for row in gone))
        db.executemany("INSERT INTO form VALUES (?, ?, ?, ?, ?)", added)
        db.executemany(
            "UPDATE vocabulary SET key = ? WHERE lang = ?", ((keys[lang], lang) for lang in rows)
        )
    return True


def _analysed(vocabularies: Sequence[_Vocabulary]) -> dict[str, list[Row]]:
    """The rows of some languages, several on all cores."""
    from kb.core.parallel import parallel_map

    # Those with the most words take the longest: they start first.
    longest = sorted(vocabularies, key=lambda words: -len(words.words) - len(words.names))
    return dict(parallel_map(lambda words: (words.lang, list(_rows(words))), longest))


@cache
def _code() -> str:
    """A hash of this package and of the versions of the dictionaries."""
    from importlib.metadata import PackageNotFoundError, version

    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    for name in ("morfeusz2", "pymorphy3", "simplemma", "snowballstemmer", "PyStemmer"):
        try:
            digest.update(f"{name} {version(name)}".encode())
        except PackageNotFoundError:
            digest.update(name.encode())
    return digest.hexdigest()


def _keys(path: Path | None) -> dict[str, str]:
    """The key of each language's rows in a table; empty where there is no usable table."""
    if path is None or not path.is_file():
        return {}
    try:
        with closing(open_table(path)) as db:
            if (
                db.execute("PRAGMA user_version").fetchone()[0] != LAYOUT
                or db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok"
            ):
                return {}
            return dict(db.execute("SELECT lang, key FROM vocabulary"))
    except sqlite3.Error:
        return {}


def _rows(vocabulary: _Vocabulary) -> Iterator[Row]:
    """The rows of one language in order."""
    lang, vocabulary_words, vocabulary_names, groups = vocabulary
    language = language_of(lang)
    words = {low for word in vocabulary_words for low in _with_parts(word)}
    words |= {piece for group in groups for word in group for piece in word.lower().split()}
    names = sorted({low for word in vocabulary_names for low in _with_parts(word)})
    forms, name_forms = _inflected(language, words), _declined(language, names)
    for form, lemmas in name_forms.items():
        forms[form] |= lemmas
    by_folded: Forms = defaultdict(set)
    for form, lemmas in name_forms.items():
        by_folded[fold(form)] |= lemmas
    for word in words:
        if not forms[word]:
            named = by_folded.get(fold(word)) or by_folded.get(fold(owner(word)))
            forms[word] |= named or _unknown(word, language)
    _join(forms, groups)
    related = sister_forms(language, forms, names)
    for form in sorted({*forms, *related}):
        origin = SISTER if form in related else CORPUS if form in words else INFLECTED
        lemmas = related[form] if form in related else forms[form]
        yield lang, form, fold(form), " ".join(sorted(lemmas)), origin


def _with_parts(word: str) -> tuple[str, ...]:
    return (word.lower(), *(piece.lower() for piece in parts(word)))


def _inflected(language: Language, words: Collection[str]) -> Forms:
    """Some words, and every form of each of their lemmas."""
    forms: Forms = defaultdict(set)
    for word in sorted(words):
        forms[word] |= language.lemmas(word)
    lemmas = {lemma for known in forms.values() for lemma in known}
    for lemma, inflected in language.forms(lemmas).items():
        for form in inflected:
            forms[form].add(lemma)
    return forms


def _declined(language: Language, names: Sequence[str]) -> Forms:
    """The forms of the words of card names."""
    forms: Forms = defaultdict(set)
    for name in names:
        for form in language.name_forms(name):
            forms[form].add("^" + fold(name))
    return forms


def _unknown(word: str, language: Language) -> set[str]:
    """What a word that the language does not know may mean: an English word, and its stem."""
    english = ENGLISH.lemmas(word) if language is not ENGLISH and word.isascii() else frozenset()
    return {*english, "~" + language.stem(fold(word))}


def _join(forms: Forms, groups: Sequence[Sequence[str]]) -> None:
    """Add a common lemma to the words of each group."""
    by_lemma: dict[str, list[set[str]]] = defaultdict(list)
    for lemmas in forms.values() if groups else ():
        for lemma in lemmas:
            by_lemma[lemma].append(lemmas)
    for group in groups:
        single = [word.lower() for word in group if " " not in word]
        wanted = {
            lemma for word in single for lemma in forms.get(word, ()) if not lemma.startswith("+")
        }
        if len(single) < 2 or not wanted:
            continue
        key = "+" + fold(single[0])
        for lemma in wanted:
            for lemmas in by_lemma[lemma]:
                lemmas.add(key)


def same_forms(old: Path, new: Path) -> bool:
    """Whether two tables were made of the same words in the same way, so that they are equal."""
    keys = _keys(old)
    return bool(keys) and keys == _keys(new)
