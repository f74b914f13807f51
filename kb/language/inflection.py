"""The rows that one language has in the table of forms, kept up to date as words come and go."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import orjson

from kb.language.base import Language
from kb.language.fold import fold
from kb.language.lookup import CORPUS, INFLECTED, SISTER, StoredRow
from kb.language.registry import ENGLISH, language_of, sisters
from kb.language.sisters import sister_forms
from kb.language.tokens import owner, parts

Row = tuple[str, str, str, str, int]
# A row without its language and form: folded form, lemmas, origin.
_Values = tuple[str, str, int]
Forms = dict[str, set[str]]
_NOTHING: frozenset[str] = frozenset()


class Vocabulary(NamedTuple):
    """The words of one language that the table is made for.

    `words`: of texts and terms; `names`: of card names; `groups`: words that belong together.
    """

    words: Collection[str] = _NOTHING
    names: Collection[str] = _NOTHING
    groups: Sequence[Sequence[str]] = ()


class LanguageRows:
    """The rows of one language. `key` tells what they were made for, empty for nothing."""

    def __init__(self, lang: str) -> None:
        self.lang, self.key = lang, ""
        self._rows: dict[str, _Values] = {}
        self._given = Vocabulary()
        # The words in lower case with their parts, each with how many others give it.
        self._words: Counter[str] = Counter()
        self._lemmas: dict[str, frozenset[str]] = {}
        self._uses: Counter[str] = Counter()
        self._forms: dict[str, frozenset[str]] = {}
        # By a lemma that other lemmas are derived from, those lemmas.
        self._derived: Forms = defaultdict(set)
        self._inflected: Forms = defaultdict(set)
        self._names: dict[str, frozenset[str]] = {}
        self._name_forms: Forms = defaultdict(set)
        self._named: Forms = defaultdict(set)
        self._unknown: set[str] = set()
        self._joined: dict[str, frozenset[str]] = {}
        self._sister_lemmas: Mapping[str, Collection[str]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def _language(self) -> Language:
        return language_of(self.lang)

    def rows(self) -> Iterator[Row]:
        """Every row, by form."""
        return (row for form in sorted(self._rows) if (row := self.row(form)))

    def saved(self) -> bytes:
        """What another process goes on from, with the rows themselves; see `restored`."""
        data = {
            "words": sorted(self._given.words),
            "names": self._names,
            "groups": self._given.groups,
            "lemmas": self._lemmas,
            "forms": self._forms,
            "derived": self._derived,
            "unknown": self._unknown,
            "joined": self._joined,
            "sisters": self._sister_lemmas,
            "given_names": sorted(self._given.names),
        }
        # Sorted, since sets of equal words may be in any order.
        return zlib.compress(orjson.dumps(data, sorted, orjson.OPT_SORT_KEYS), level=1)

    @classmethod
    def restored(cls, lang: str, key: str, saved: bytes, rows: Iterable[StoredRow]) -> LanguageRows:
        """The rows of a language that another process has saved.

        `rows`: all of them, from the table that it has made, for `key`.
        """
        data: dict[str, Any] = orjson.loads(zlib.decompress(saved))
        self = cls(lang)
        self.key = key
        self._given = Vocabulary(data["words"], data["given_names"], data["groups"])
        self._rows = {form: (folded, line, origin) for form, folded, line, origin in rows}
        self._words.update(_all_words(self._given))
        self._lemmas = {word: frozenset(several) for word, several in data["lemmas"].items()}
        self._forms = {lemma: frozenset(several) for lemma, several in data["forms"].items()}
        self._names = {name: frozenset(several) for name, several in data["names"].items()}
        self._joined = {lemma: frozenset(several) for lemma, several in data["joined"].items()}
        self._sister_lemmas, self._unknown = data["sisters"], set(data["unknown"])
        for lemma, several in data["derived"].items():
            self._derived[lemma].update(several)
        for lemmas in self._lemmas.values():
            self._uses.update(lemmas)
        for lemma, forms in self._forms.items():
            for form in forms:
                self._inflected[form].add(lemma)
        for name, forms in self._names.items():
            lemma = "^" + fold(name)
            for form in forms:
                self._name_forms[form].add(lemma)
        self._fold_names()
        return self

    def _fold_names(self) -> None:
        """Note what forms of names mean by their folded forms too."""
        self._named = defaultdict(set)
        for form, lemmas in self._name_forms.items():
            self._named[fold(form)] |= lemmas

    def load(self) -> None:
        """Load what a new word needs."""
        language = self._language
        language.forms(language.lemmas("a") or {"a"})
        language.name_forms("a")

    def row(self, form: str) -> Row | None:
        """The row of a form; None where there is none."""
        values = self._rows.get(form)
        return (self.lang, form, *values) if values else None

    def update(self, vocabulary: Vocabulary, key: str) -> set[str]:
        """Turn the rows into those of another vocabulary; return the forms whose rows differ."""
        old, self._given = self._given, vocabulary
        touched = self._take_words(old, vocabulary)
        if vocabulary.names != old.names:
            touched |= self._take_names(vocabulary.names)
        joined = self._joining(vocabulary.groups)
        if joined != self._joined:
            lemmas = {
                lemma
                for lemma in joined.keys() | self._joined.keys()
                if joined.get(lemma) != self._joined.get(lemma)
            }
            touched.update(
                form
                for form, (_, line, _) in self._rows.items()
                if not lemmas.isdisjoint(line.split(" "))
            )
            self._joined = joined
        changed = {form for form in touched if self._set(form, self._own_values(form))}
        if sisters(self.lang) and (changed or vocabulary.names != old.names):
            changed |= self._take_sisters()
        self.key = key
        return changed

    def _set(self, form: str, values: _Values | None) -> bool:
        """Set the row of a form; return whether it was another one."""
        if self._rows.get(form) == values:
            return False
        if values:
            self._rows[form] = values
        else:
            del self._rows[form]
        return True

    def _take_words(self, old: Vocabulary, new: Vocabulary) -> set[str]:
        """Take over the words; return the forms that may mean something else."""
        words, before = self._words, self._words.keys() - _NOTHING
        words.update(_pieces(frozenset(new.words) - frozenset(old.words)))
        words.update(_group_words(new.groups))
        words.subtract(_pieces(frozenset(old.words) - frozenset(new.words)))
        words.subtract(_group_words(old.groups))
        for word in [word for word in before if not words[word]]:
            del words[word]
        added, gone = words.keys() - before, before - words.keys()
        known = self._uses.keys() - _NOTHING
        for word in sorted(added):
            self._lemmas[word] = self._language.lemmas(word)
            self._uses.update(self._lemmas[word])
        for word in gone:
            self._uses.subtract(self._lemmas.pop(word))
            self._unknown.discard(word)
        for lemma in [lemma for lemma in known if not self._uses[lemma]]:
            del self._uses[lemma]
        return (
            self._take_lemmas(self._uses.keys() - known, known - self._uses.keys()) | added | gone
        )

    def _take_lemmas(self, added: Collection[str], gone: Collection[str]) -> set[str]:
        """Inflect lemmas that are new; return the forms that some lemma has gained or lost."""
        language, wanted = self._language, self._uses
        bases = {lemma: language.bases(lemma) for lemma in (*added, *gone)}
        for lemma in gone:
            for base in bases[lemma]:
                self._derived[base].discard(lemma)
        for lemma in added:
            for base in bases[lemma]:
                self._derived[base].add(lemma)
        # What is derived from a lemma adds to its forms.
        fresh = {*added, *(base for several in bases.values() for base in several)} & wanted.keys()
        needed = fresh.union(*(self._derived.get(lemma, ()) for lemma in fresh))
        inflected = language.forms(needed) if needed else {}
        touched: set[str] = set()
        for lemma in (*fresh, *gone):
            old = self._forms.pop(lemma, _NOTHING)
            new = inflected[lemma] if lemma in fresh else _NOTHING
            if new:
                self._forms[lemma] = new
            for form in new - old:
                self._inflected[form].add(lemma)
            for form in old - new:
                self._inflected[form].discard(lemma)
                if not self._inflected[form]:
                    del self._inflected[form]
            touched |= new ^ old
        return touched

    def _take_names(self, words: Iterable[str]) -> set[str]:
        """Take over the words of names; return the forms that may mean something else."""
        names = {piece for word in words for piece in _with_parts(word)}
        added, gone = names - self._names.keys(), self._names.keys() - names
        touched, folded = set(self._unknown), set(map(fold, gone))
        for name in gone:
            lemma, forms = "^" + fold(name), self._names.pop(name)
            for form in forms:
                self._name_forms[form].discard(lemma)
            touched |= forms
        for name in added:
            self._names[name] = self._language.name_forms(name)
        for name in names:
            # Names that fold alike have the same lemma, so that it may be gone from their forms.
            if name in added or fold(name) in folded:
                lemma, forms = "^" + fold(name), self._names[name]
                for form in forms:
                    self._name_forms[form].add(lemma)
                touched |= forms
        self._fold_names()
        return touched

    def _own_values(self, form: str) -> _Values | None:
        lemmas = self._meant(form)
        if not lemmas:
            return None
        joined = self._joined
        if joined and not joined.keys().isdisjoint(lemmas):
            keys = (joined[lemma] for lemma in lemmas if lemma in joined)
            lemmas = frozenset(lemmas).union(*keys)
        origin = CORPUS if form in self._words else INFLECTED
        return fold(form), " ".join(sorted(lemmas)), origin

    def _meant(self, form: str) -> Collection[str]:
        """What a form means by itself, without the groups that it belongs to."""
        own, inflected = self._lemmas.get(form), self._inflected.get(form, _NOTHING)
        names = self._name_forms.get(form, _NOTHING)
        lemmas = (own or _NOTHING).union(inflected, names)
        if lemmas or own is None:
            self._unknown.discard(form)
            return lemmas
        self._unknown.add(form)
        named = self._named.get(fold(form)) or self._named.get(fold(owner(form)))
        return named or _meaning_of_unknown(form, self._language)

    def _joining(self, groups: Sequence[Sequence[str]]) -> dict[str, frozenset[str]]:
        """The common lemmas of groups, by each lemma of their words."""
        joined: Forms = defaultdict(set)
        for group in groups:
            single = [word.lower() for word in group if " " not in word]
            if len(single) > 1:
                for lemma in {lemma for word in single for lemma in self._meant(word)}:
                    joined[lemma].add("+" + fold(single[0]))
        return {lemma: frozenset(keys) for lemma, keys in joined.items()}

    def _take_sisters(self) -> set[str]:
        """Look for words of sister languages again; return the forms whose rows differ."""
        own = {
            form: frozenset(line.split(" "))
            for form, (_, line, origin) in self._rows.items()
            if origin != SISTER
        }
        old, new = self._sister_lemmas, sister_forms(self._language, own, sorted(self._names))
        self._sister_lemmas = new
        return {
            form
            for form in old.keys() | new.keys()
            if (form in new or form not in own) and self._set(form, _sister_values(form, new))
        }


def _sister_values(form: str, related: Mapping[str, Collection[str]]) -> _Values | None:
    lemmas = related.get(form)
    return (fold(form), " ".join(sorted(lemmas)), SISTER) if lemmas else None


def _with_parts(word: str) -> tuple[str, ...]:
    return (word.lower(), *(piece.lower() for piece in parts(word)))


def _pieces(words: Iterable[str]) -> Iterator[str]:
    return (piece for word in words for piece in _with_parts(word))


def _all_words(vocabulary: Vocabulary) -> Iterator[str]:
    """The words of texts, terms and groups in lower case, with their parts."""
    return chain(_pieces(frozenset(vocabulary.words)), _group_words(vocabulary.groups))


def _group_words(groups: Iterable[Iterable[str]]) -> Iterator[str]:
    return (piece for group in groups for word in group for piece in word.lower().split())


def _meaning_of_unknown(word: str, language: Language) -> set[str]:
    """What a word that the language does not know may mean: an English word, and its stem."""
    english = ENGLISH.lemmas(word) if language is not ENGLISH and word.isascii() else _NOTHING
    return {*english, "~" + language.stem(fold(word))}
