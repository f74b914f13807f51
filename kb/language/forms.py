"""The table of forms, made by a build with the dictionaries and read by everything else without.

For every lemma that a word of the texts, a term or a card name can mean it has every form, so
that index, query, card finder and browser agree. `inflection` makes its rows, `lookup` reads it.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

from kb.core.files import link_or_copy
from kb.language.analysis import AnyRows, ListedRows, analyse
from kb.language.inflection import LanguageRows, Row, Vocabulary
from kb.language.lookup import CORPUS, LAYOUT, RowsByFolded, StoredRow, open_table

_SCHEMA = """
CREATE TABLE form (
    lang TEXT, form TEXT, folded TEXT, lemmas TEXT, origin INTEGER, PRIMARY KEY (lang, form)
) WITHOUT ROWID;
CREATE TABLE vocabulary (lang TEXT PRIMARY KEY, key TEXT);
"""
# Created last: sorting once is quicker than inserting in order, and leaves no page half full.
_INDEXES = f"""
CREATE INDEX form_folded ON form (lang, folded, origin, lemmas);
CREATE INDEX form_corpus ON form (lang, origin, form, folded, lemmas) WHERE origin = {CORPUS};
"""
# Where a larger part of a language's rows has changed, the table is written from nothing.
_MOST_UPDATED = 0.1
# So many changes of a language are remembered.
_REMEMBERED = 100
Group = tuple[str, Sequence[str]]


class _Change(NamedTuple):
    """The forms whose rows differ between two states of a language's rows, by their keys."""

    old: str
    new: str
    forms: frozenset[str]


class FormSession:
    """What a process that makes table after table keeps: the rows, and how they have changed.

    `keeps_rows`: without it only the latter, for whoever makes a single table.
    """

    def __init__(self) -> None:
        self.keeps_rows = True
        self.languages: dict[str, LanguageRows] = {}
        # What tables that are read one after the other use again; see `FormTable.by_folded`.
        self.by_folded: dict[str, tuple[str, RowsByFolded]] = {}
        # By language, the key of rows and what another process goes on from; see `LanguageRows`.
        self.saved: dict[str, tuple[str, bytes]] = {}
        # Where the next table is there to get ready for those that follow: called after each
        # language, it may raise.
        self.prepares: Callable[[], None] | None = None
        self._changes: dict[str, list[_Change]] = defaultdict(list)

    def only_changes(self) -> FormSession:
        """What tells how tables differ, without the rows."""
        session = FormSession()
        session._changes = self._changes
        return session

    def update(self, rows: LanguageRows, vocabulary: Vocabulary, key: str) -> None:
        """Turn the rows of a language into those of another vocabulary, which `key` tells."""
        old = rows.key
        self.note(rows.lang, old, key, rows.update(vocabulary, key))

    def note(self, lang: str, old: str, new: str, forms: Iterable[str]) -> None:
        """Remember the forms whose rows differ between two keys of a language."""
        changes = self._changes[lang]
        changes.append(_Change(old, new, frozenset(forms)))
        del changes[:-_REMEMBERED]

    def differing(self, lang: str, old: str, new: str) -> frozenset[str] | None:
        """The forms whose rows may differ between two keys of a language; None where unknown."""
        if old == new:
            return frozenset()
        forms: set[str] = set()
        for change in reversed(self._changes[lang]):
            if forms or change.new == new:
                forms |= change.forms
            if change.old == old and (forms or change.new == new):
                return frozenset(forms)
        return None


def build_form_table(
    path: Path,
    vocabulary: Mapping[str, Collection[str]],
    names: Mapping[str, Collection[str]],
    groups: Sequence[Group],
    before: Path | None = None,
    session: FormSession | None = None,
) -> list[str]:
    """Write the table of forms into a new file; return the languages that had to be analysed.

    `vocabulary`: the words of texts and terms by language; `names`: the words of card names by
    the language that declines them; `groups`: words of one language that belong together. The
    same input gives the same rows. Rows of a language whose words are those of the table at
    `before` are copied from it. `session`: what this process keeps for its next table.
    """
    # A process that makes table after table has made or verified the one before.
    old_keys = _keys(before, verify=session is None)
    vocabularies = _vocabularies(vocabulary, names, groups)
    keys = {lang: _key(words) for lang, words in vocabularies.items()}
    changed = {
        lang: words for lang, words in vocabularies.items() if old_keys.get(lang) != keys[lang]
    }
    unknown: Mapping[str, Vocabulary] = {}
    if session and session.prepares:
        unknown = {lang: vocabularies[lang] for lang in keys.keys() - session.languages.keys()}
    rows = _analysed({**unknown, **changed}, keys, before, old_keys, session)
    if before and old_keys.keys() == keys.keys():
        differences = {
            lang: _difference(before, old_keys[lang], several, session)
            for lang, several in rows.items()
        }
        if not differences:
            link_or_copy(before, path)
            return []
        if _update_copy(before, path, differences, keys):
            return list(changed)
    with sqlite3.connect(f"{path.absolute().as_uri()}", uri=True) as db:
        db.executescript(_SCHEMA)
        if old_keys and before:
            db.execute("ATTACH ? AS old", (before.absolute().as_uri() + "?mode=ro&immutable=1",))
        for lang, key in keys.items():
            if lang in rows:
                db.executemany("INSERT INTO form VALUES (?, ?, ?, ?, ?)", rows.pop(lang).rows())
            else:
                sql = "INSERT INTO form SELECT * FROM old.form WHERE lang = ? ORDER BY form"
                db.execute(sql, (lang,))
            db.execute("INSERT INTO vocabulary VALUES (?, ?)", (lang, key))
        db.executescript(_INDEXES)
        db.execute(f"PRAGMA user_version = {LAYOUT}")
    db.close()
    return list(changed)


def _vocabularies(
    vocabulary: Mapping[str, Collection[str]],
    names: Mapping[str, Collection[str]],
    groups: Sequence[Group],
) -> dict[str, Vocabulary]:
    """The vocabulary of each language."""
    return {
        lang: Vocabulary(
            vocabulary.get(lang, ()),
            names.get(lang, ()),
            [words for group_lang, words in groups if group_lang == lang],
        )
        for lang in sorted({*vocabulary, *names})
    }


def _key(vocabulary: Vocabulary) -> str:
    """A hash of all that the rows of a language depend on."""
    digest = hashlib.sha256(_code().encode())
    for words in (sorted(vocabulary.words), sorted(vocabulary.names), *vocabulary.groups):
        digest.update("\n".join(words).encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()


class _Difference(NamedTuple):
    """How the rows of a language differ from those of an earlier table; `size`: how many it has."""

    gone: Collection[str]
    added: Collection[Row]
    size: int


def _difference(before: Path, key: str, rows: AnyRows, session: FormSession | None) -> _Difference:
    """Compare the rows of a language with those that the table at `before` has, for `key`."""
    differing = session.differing(rows.lang, key, rows.key) if session else None
    if differing is not None and isinstance(rows, LanguageRows):
        return _Difference(differing, list(filter(None, map(rows.row, differing))), len(rows))
    with closing(open_table(before)) as db:
        old = set(db.execute("SELECT * FROM form WHERE lang = ?", (rows.lang,)))
    new = set(rows.rows())
    if session:
        session.note(rows.lang, key, rows.key, (row[1] for row in old ^ new))
    return _Difference([row[1] for row in old - new], new - old, len(new))


def _update_copy(
    before: Path, path: Path, differences: Mapping[str, _Difference], keys: Mapping[str, str]
) -> bool:
    """Write a table as a copy of an earlier one with the rows of some languages changed.

    Return whether so little has changed that this is less work than a new table.
    """
    several = differences.values()
    changes = sum(len(one.gone) + len(one.added) for one in several)
    if changes > _MOST_UPDATED * sum(one.size for one in several):
        return False
    shutil.copyfile(before, path)
    with closing(sqlite3.connect(path)) as db, db:
        # Whoever is killed here never publishes the table.
        db.execute("PRAGMA synchronous = OFF")
        for lang, difference in differences.items():
            gone = ((lang, form) for form in difference.gone)
            db.executemany("DELETE FROM form WHERE lang = ? AND form = ?", gone)
            db.executemany("INSERT INTO form VALUES (?, ?, ?, ?, ?)", difference.added)
            db.execute("UPDATE vocabulary SET key = ? WHERE lang = ?", (keys[lang], lang))
    return True


def _analysed(
    vocabularies: Mapping[str, Vocabulary],
    keys: Mapping[str, str],
    before: Path | None,
    old_keys: Mapping[str, str],
    session: FormSession | None,
) -> dict[str, AnyRows]:
    """The rows of some languages.

    Those that this process has, or that another one has saved for the table `before`, are updated.
    """
    if session is None:
        return analyse(vocabularies, keys, listed=True)
    known = session.languages
    if before and not session.keeps_rows:
        saved = {lang: session.saved[lang] for lang in vocabularies if lang in session.saved}
        known = _restored(before, {lang: old_keys.get(lang, "") for lang in saved}, saved)
    new = {lang: words for lang, words in vocabularies.items() if lang not in known}

    def take(one: AnyRows) -> None:
        # Before anybody ends a preparation, so that the next one goes on from here.
        if isinstance(one, ListedRows):
            session.saved[one.lang] = one.key, one.saved
        else:
            session.languages[one.lang] = one
        if session.prepares:
            session.prepares()

    rows = analyse(new, keys, listed=not session.keeps_rows, take=take)
    for lang in vocabularies.keys() - new.keys():
        session.update(known[lang], vocabularies[lang], keys[lang])
        rows[lang] = known[lang]
        if not session.keeps_rows:
            session.saved[lang] = known[lang].key, known[lang].saved()
    for one in session.languages.values() if session.prepares else ():
        one.load()
    return rows


def _restored(
    before: Path, keys: Mapping[str, str], saved: Mapping[str, tuple[str, bytes]]
) -> dict[str, LanguageRows]:
    """The rows of the table `before`, which has the given keys, as another process saved them."""
    return {
        lang: LanguageRows.restored(lang, key, data, _stored(before, lang))
        for lang, (key, data) in saved.items()
        if key == keys[lang]
    }


def _stored(table: Path, lang: str) -> list[StoredRow]:
    with closing(open_table(table)) as db:
        sql = "SELECT form, folded, lemmas, origin FROM form WHERE lang = ?"
        return db.execute(sql, (lang,)).fetchall()


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


def _keys(path: Path | None, *, verify: bool = True) -> dict[str, str]:
    """The key of each language's rows in a table; empty where there is no usable table.

    `verify`: whether the table may be damaged.
    """
    if path is None or not path.is_file():
        return {}
    try:
        with closing(open_table(path)) as db:
            if db.execute("PRAGMA user_version").fetchone()[0] != LAYOUT or (
                verify and db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok"
            ):
                return {}
            return dict(db.execute("SELECT lang, key FROM vocabulary"))
    except sqlite3.Error:
        return {}


def same_forms(old: Path, new: Path) -> bool:
    """Whether two undamaged tables were made of the same words in the same way: they are equal."""
    keys = _keys(old, verify=False)
    return bool(keys) and keys == _keys(new, verify=False)
