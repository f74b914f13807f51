"""The closed table of forms: made by a build with the analysers, read by everything else without them.

For every lemma that a word of the corpus, a term or a card name can mean it holds every form, so that index, query, card
finder and browser agree. It is one SQLite file of its own, so that it opens at once at any size.

Lemmas: a plain one is the dictionary's; `^name` a card name's word; `~stem` a word that no dictionary knows; `+word` a group of
words that belong together.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal, NamedTuple, cast

from kb.core.problems import NotBuilt
from kb.language import en, pl, ru, sk
from kb.language.common import Language
from kb.language.fold import fold
from kb.language.spelling import allowed, distance
from kb.language.tokens import APOSTROPHES, parts

LANGUAGES: dict[str, Language] = {
    name: cast(Language, module)
    for name, module in (("pl", pl), ("sk", sk), ("ru", ru), ("en", en))
}
LAYOUT = 2
_SCHEMA = """
CREATE TABLE form (lang TEXT, form TEXT, folded TEXT, lemmas TEXT, corpus INTEGER, PRIMARY KEY (lang, form)) WITHOUT ROWID;
CREATE TABLE made (lang TEXT PRIMARY KEY, key TEXT);
"""
# Made last: sorting all of them once is quicker than finding the place of each, and leaves no page half full.
_INDEX = "CREATE INDEX form_folded ON form (lang, folded, corpus, lemmas)"
Group = tuple[str, Sequence[str]]
Row = tuple[str, str, str, str, int]
# Those that take the longest come first, so that the others fill up the other cores.
_LONGEST_FIRST = ("sk", "ru", "en", "pl")
_analysed_before: set[str] = set()


class _Words(NamedTuple):
    """What the rows of one language are made of."""

    lang: str
    vocabulary: Collection[str]
    names: Collection[str]
    groups: Sequence[Sequence[str]]


class Analysis(NamedTuple):
    """What a word can mean. `how`: its exact form is known, only its folded form, or neither (then a stem)."""

    lemmas: tuple[str, ...]
    how: Literal["exact", "folded", "stem"]


class Near(NamedTuple):
    """A known word near a mistyped one, folded; `corpus` tells whether the texts themselves have it."""

    word: str
    distance: int
    corpus: bool


def build_form_table(
    path: Path,
    vocabulary: Mapping[str, Collection[str]],
    names: Mapping[str, Collection[str]],
    groups: Sequence[Group],
    before: Path | None = None,
) -> list[str]:
    """Writes the table of forms into a new file; returns the languages that had to be analysed.

    `vocabulary`: the words of texts and terms by language; `names`: the words of card names by the language that declines
    them; `groups`: words of one language that belong together. The same input gives the same rows. Loads the analysers, but
    for languages whose words are those of the table at `before`, whose rows are taken over.
    """
    held = _keys(before)
    given = [
        _Words(
            lang,
            vocabulary.get(lang, ()),
            names.get(lang, ()),
            [words for one, words in groups if one == lang],
        )
        for lang in sorted({*vocabulary, *names})
    ]
    keys = {one.lang: _key(one) for one in given}
    anew = [one for one in given if held.get(one.lang) != keys[one.lang]]
    made = _analysed(anew)
    with sqlite3.connect(f"{path.absolute().as_uri()}", uri=True) as db:
        db.executescript(_SCHEMA)
        if held and before:
            db.execute("ATTACH ? AS old", (before.absolute().as_uri() + "?mode=ro&immutable=1",))
        for lang, key in keys.items():
            if lang in made:
                db.executemany("INSERT INTO form VALUES (?, ?, ?, ?, ?)", made.pop(lang))
            else:
                db.execute(
                    "INSERT INTO form SELECT * FROM old.form WHERE lang = ? ORDER BY form", (lang,)
                )
            db.execute("INSERT INTO made VALUES (?, ?)", (lang, key))
        db.execute(_INDEX)
        db.execute(f"PRAGMA user_version = {LAYOUT}")
    db.close()
    return [one.lang for one in anew]


def _analysed(given: Sequence[_Words]) -> dict[str, list[Row]]:
    """The rows of some languages.

    A process that builds once has them analysed on all cores, and the dictionaries go with the processes that loaded them; one
    that builds again, a server, analyses here, where they are loaded once.
    """
    from kb.core.parallel import parallel_map

    first = [one for one in given if one.lang not in _analysed_before]
    first.sort(
        key=lambda one: (
            _LONGEST_FIRST.index(one.lang) if one.lang in _LONGEST_FIRST else len(_LONGEST_FIRST)
        )
    )
    _analysed_before.update(one.lang for one in given)
    made = dict(parallel_map(lambda one: (one.lang, list(_rows(one))), first))
    return made | {one.lang: list(_rows(one)) for one in given if one.lang not in made}


def _key(given: _Words) -> str:
    """A hash of all that the rows of a language depend on: its words, and how they are analysed."""
    digest = hashlib.sha256(_code().encode())
    for words in (sorted(given.vocabulary), sorted(given.names), *given.groups):
        digest.update("\n".join(words).encode("utf-8", "replace") + b"\0")
    return digest.hexdigest()


@cache
def _code() -> str:
    """A hash of this package and of the versions of the analysers."""
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


def _keys(before: Path | None) -> dict[str, str]:
    """What the rows of an earlier table depend on, by language; empty where there is none that can be used."""
    if before is None or not before.is_file():
        return {}
    try:
        with closing(
            sqlite3.connect(f"{before.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
        ) as db:
            if (
                db.execute("PRAGMA user_version").fetchone()[0] != LAYOUT
                or db.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok"
            ):
                return {}
            return dict(db.execute("SELECT lang, key FROM made"))
    except sqlite3.Error:
        return {}


def _rows(given: _Words) -> Iterator[Row]:
    lang, vocabulary, names, groups = given
    language = LANGUAGES.get(lang, LANGUAGES["en"])
    words = {
        low
        for word in vocabulary
        for low in (word.lower(), *(piece.lower() for piece in parts(word)))
    }
    words |= {piece for group in groups for word in group for piece in word.lower().split()}
    own = {word: language.lemmas(word) for word in sorted(words)}
    found: dict[str, set[str]] = defaultdict(set)
    for word, lemmas in own.items():
        found[word] |= lemmas
    for lemma, forms in language.forms(
        {lemma for lemmas in own.values() for lemma in lemmas}
    ).items():
        for form in forms:
            found[form].add(lemma)
    named: dict[str, set[str]] = defaultdict(set)
    for name in sorted({piece.lower() for word in names for piece in (word, *parts(word))}):
        for form in language.name_forms(name):
            found[form].add("^" + fold(name))
            named[fold(form)].add("^" + fold(name))
    for word in words:
        if not found[word]:
            found[word] |= (
                named.get(fold(word)) or named.get(_owner(word)) or _stranger(word, language)
            )
    _join(found, groups)
    for form in sorted(found):
        yield lang, form, fold(form), " ".join(sorted(found[form])), int(form in words)


def _stranger(word: str, language: Language) -> set[str]:
    """A word that the language does not know: perhaps an English one; else, and besides, its stem."""
    english = en.lemmas(word) if language is not LANGUAGES["en"] and word.isascii() else frozenset()
    return {*english, "~" + language.stem(fold(word))}


def _join(found: dict[str, set[str]], groups: Sequence[Sequence[str]]) -> None:
    for group in groups:
        single = [word.lower() for word in group if " " not in word]
        wanted = {
            lemma for word in single for lemma in found.get(word, ()) if not lemma.startswith("+")
        }
        if len(single) < 2 or not wanted:
            continue
        key = "+" + fold(single[0])
        for lemmas in found.values():
            if not wanted.isdisjoint(lemmas):
                lemmas.add(key)


def changed_forms(old: Path, new: Path) -> dict[str, set[str]]:
    """By language, the folded forms that mean something else in one table than in another; only languages where some do."""
    earlier, later = _keys(old), _keys(new)
    found: dict[str, set[str]] = {}
    with closing(sqlite3.connect(f"{new.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
        db.execute("ATTACH ? AS old", (old.absolute().as_uri() + "?mode=ro&immutable=1",))
        for lang in sorted({*earlier, *later}):
            if earlier.get(lang) == later.get(lang):
                continue
            rows = "SELECT folded, form, lemmas FROM {}.form WHERE lang = :lang"
            for one, other in (("old", "main"), ("main", "old")):
                differ = f"{rows.format(one)} EXCEPT {rows.format(other)}"
                found.setdefault(lang, set()).update(
                    row[0] for row in db.execute(differ, {"lang": lang})
                )
    return {lang: forms for lang, forms in found.items() if forms}


def same_forms(old: Path, new: Path) -> bool:
    """Whether two tables were made of the same words in the same way, so that they have the same rows."""
    keys = _keys(old)
    return bool(keys) and keys == _keys(new)


def touched_by(word: str, forms: Collection[str]) -> bool:
    """Whether the meaning of a word depends on any of some folded forms."""
    return not _depends(word).isdisjoint(forms)


@lru_cache(maxsize=100_000)
def _depends(word: str) -> frozenset[str]:
    low = word.lower()
    return frozenset(form for one in (low, *parts(low)) for form in (fold(one), _owner(one)))


class FormTable:
    """A table of forms opened for reading; may be shared by threads one after another, is a context manager."""

    def __init__(self, path: Path) -> None:
        """Raises NotBuilt when there is no table at `path`, or one that is damaged or of another layout."""
        if not path.is_file():
            raise NotBuilt(f"no table of forms at {path}")
        try:
            self._db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False
            )
            layout = self._db.execute("PRAGMA user_version").fetchone()[0]
        except sqlite3.Error as error:
            raise NotBuilt(f"the table of forms {path} cannot be read ({error})") from None
        if layout != LAYOUT:
            self._db.close()
            raise NotBuilt(f"the table of forms {path} is of another version")
        self.analyse = lru_cache(maxsize=100_000)(self._analyse)

    @classmethod
    def open(cls, path: Path) -> FormTable:
        """The table at `path`."""
        return cls(path)

    def __enter__(self) -> FormTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._db.close()

    def _all(self, sql: str, *values: object) -> list[tuple[str, ...]]:
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise NotBuilt(f"the table of forms cannot be read ({error})") from None

    def _exact(self, word: str, lang: str) -> tuple[str, ...]:
        rows = self._all("SELECT lemmas FROM form WHERE lang = ? AND form = ?", lang, word)
        return tuple(rows[0][0].split()) if rows else ()

    def _folded(self, folded: str, lang: str) -> tuple[str, ...]:
        rows = self._all("SELECT lemmas FROM form WHERE lang = ? AND folded = ?", lang, folded)
        return tuple(sorted({lemma for row in rows for lemma in row[0].split()}))

    def _analyse(self, word: str, lang: str) -> Analysis:
        """What a word of a language can mean; never empty, never raises for any word."""
        low = word.lower().encode("utf-8", "replace").decode("utf-8")
        found = self._exact(low, lang)
        if found:
            return Analysis(found, "exact")
        folded = fold(low)
        found = self._folded(folded, lang) or self._folded(_owner(low), lang)
        if found:
            return Analysis(found, "folded")
        return Analysis(("~" + LANGUAGES.get(lang, LANGUAGES["en"]).stem(folded),), "stem")

    def known(self, word: str, lang: str) -> bool:
        """Whether a word, with or without its diacritics, is in the table."""
        return self.analyse(word, lang).how != "stem"

    def in_corpus(self, word: str, lang: str) -> bool:
        """Whether the texts themselves have a word, with or without its diacritics."""
        return bool(
            self._all(
                "SELECT 1 FROM form WHERE lang = ? AND folded = ? AND corpus = 1 LIMIT 1",
                lang,
                fold(word),
            )
        )

    def similar(self, word: str, lang: str, limit: int = 5) -> list[Near]:
        """Known words that a mistyped one may stand for, nearest first, those of the texts before others.

        Words with the same first letter are compared; of others only those that differ in the first letter alone.
        """
        folded = fold(word)
        most = allowed(folded)
        if not most:
            return []
        low, high = len(folded) - most, len(folded) + most
        rows = self._all(
            "SELECT folded, max(corpus) FROM form WHERE lang = ? AND folded >= ? AND folded < ?"
            " AND length(folded) BETWEEN ? AND ? GROUP BY folded",
            lang,
            folded[0],
            folded[0] + "\U0010ffff",
            low,
            high,
        )
        near = []
        letters = set(folded)
        for other, corpus in rows:
            if len(letters.symmetric_difference(other)) <= 2 * most:
                apart = distance(folded, other, most)
                if apart <= most:
                    near.append(Near(other, apart, bool(corpus)))
        near += self._first_letter(folded, lang)
        return sorted(
            set(near),
            key=lambda one: (
                one.distance,
                not one.corpus,
                abs(len(one.word) - len(folded)),
                one.word,
            ),
        )[:limit]

    def _first_letter(self, folded: str, lang: str) -> list[Near]:
        alphabet = "абвгдежзийклмнопрстуфхцчшщэюя" if lang == "ru" else "abcdefghijklmnoprstuvwxyz"
        guesses = [folded[1:], folded[1] + folded[0] + folded[2:]]
        guesses += [char + folded[1:] for char in alphabet] + [char + folded for char in alphabet]
        rows = self._all(
            "SELECT folded, max(corpus) FROM form WHERE lang = ? AND corpus = 1"
            f" AND folded IN ({','.join('?' * len(guesses))}) GROUP BY folded",
            lang,
            *guesses,
        )
        return [
            Near(word, 2 if word[0] != folded[0] else 1, bool(corpus))
            for word, corpus in rows
            if word != folded
        ]

    def starting(self, prefix: str, lang: str, limit: int) -> list[str]:
        """The folded words of the texts that begin with a folded prefix, at most `limit`, the shortest first."""
        rows = self._all(
            "SELECT DISTINCT folded FROM form WHERE lang = ? AND corpus = 1 AND folded >= ? AND folded < ?"
            " ORDER BY length(folded), folded LIMIT ?",
            lang,
            prefix,
            prefix + "\U0010ffff",
            limit,
        )
        return [row[0] for row in rows]

    def unfolded(self, folded: str, lang: str) -> str:
        """A folded word as the texts write it, else as the language does."""
        rows = self._all(
            "SELECT form FROM form WHERE lang = ? AND folded = ? ORDER BY corpus DESC, form LIMIT 1",
            lang,
            folded,
        )
        return rows[0][0] if rows else folded

    def rows(self, lang: str) -> Iterator[tuple[str, str, list[str], bool]]:
        """Every form of a language, also folded, its lemmas and whether the texts have it, in order."""
        rows = self._all(
            "SELECT form, folded, lemmas, corpus FROM form WHERE lang = ? ORDER BY form", lang
        )
        for form, folded, lemmas, corpus in rows:
            yield form, folded, lemmas.split(), bool(corpus)

    def meanings(self, lang: str) -> Iterator[tuple[str, str]]:
        """Every form of a language, folded, with its lemmas in one string, spaces between."""
        yield from self._all("SELECT folded, lemmas FROM form WHERE lang = ? ORDER BY form", lang)  # type: ignore[misc]

    def of_texts(self, lang: str) -> Iterator[tuple[str, str, list[str]]]:
        """The words of a language that the texts have, also folded, with their lemmas, in order."""
        rows = self._all(
            "SELECT form, folded, lemmas FROM form WHERE lang = ? AND corpus = 1 ORDER BY form",
            lang,
        )
        for form, folded, lemmas in rows:
            yield form, folded, lemmas.split()


def _owner(word: str) -> str:
    """The folded owner in a possessive: Sidious's, Vader’s -> sidious, vader; else the folded word."""
    if len(word) > 3 and word[-1] == "s" and word[-2] in APOSTROPHES:
        return fold(word[:-2])
    return fold(word)
