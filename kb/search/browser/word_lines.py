"""The rows of the shards that depend on the table of forms, kept as words come and go.

The kinds of shards: `f` forms, `w` the list of all words, `s` the texts' words by what follows
their first letter.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from kb.language import FormTable
from kb.language.lookup import CORPUS, StoredRow
from kb.search.browser.rows import OTHER_LEMMA, Form, Meant, is_stem
from kb.search.browser.shards import Row, in_order, order

KINDS = "fws"
_ORIGIN = itemgetter(3)
# The words of the texts that are folded alike, each with its lemmas.
_Words = tuple[tuple[str, tuple[str, ...]], ...]


class LineChanges(NamedTuple):
    """What an update has changed.

    `keys`: by kind, the keys whose rows may differ. `words`: by each lemma that words of the texts
    have begun or ceased to mean, those that meant it before.
    """

    keys: Mapping[str, Collection[str]]
    words: Mapping[str, str]


class FormRows:
    """The rows of forms. `lemmas`, `words`: those that documents have, and texts or cards."""

    def __init__(self, lemmas: Collection[str], words: Collection[str]) -> None:
        self._lemmas, self._words = lemmas, words
        self._known: dict[tuple[str, str, int], Meant] = {}

    def row(self, folded: str, found: Mapping[str, Mapping[str, list[StoredRow]]]) -> Row:
        """The row of the forms that are folded alike, which are `found` by language."""
        several: list[Form] = []
        length = 0
        known = self._known
        for lang, by_folded in found.items():
            for form, _, line, origin in by_folded.get(folded, ()):
                meant = known.get((lang, line, origin))
                if meant is None:
                    lemmas = self._marked(lang, line)
                    meant = known[lang, line, origin] = Meant(lang, origin, lemmas)
                several.append((form, meant))
                length += len(form) + meant.length
        return folded, (folded, several), length

    def _marked(self, lang: str, line: str) -> tuple[str, ...]:
        """The lemmas of a line, with a mark before those that rulings and cards do not have."""
        return tuple(
            lemma if lemma[0] == "^" or self._is_present(f"{lang}:{lemma}") else OTHER_LEMMA + lemma
            for lemma in line.split(" ")
        )

    def _is_present(self, name: str) -> bool:
        return name in self._lemmas or name in self._words


def word_row(lang: str, folded: str, *, in_texts: bool) -> Row:
    """The row of a word in the list of all words; the texts' own have a mark."""
    key = f"{lang} {folded}"
    return key, f"{key}*" if in_texts else key, len(key)


def tail_row(tail: str, letters: Iterable[str]) -> Row:
    """The row of a tail, with the letters that stand before it."""
    line = " ".join((tail, *sorted(letters)))
    return tail, line, len(line)


def stems_apart(names: Iterable[str]) -> tuple[list[str], dict[str, set[str]]]:
    """The names of stems among those of lemmas, and the other lemmas by language.

    What no dictionary knows is a word of the texts, and nothing else has its lemma.
    """
    stems: list[str] = []
    by_language: dict[str, set[str]] = defaultdict(set)
    for name in names:
        lang, _, lemma = name.partition(":")
        if is_stem(name):
            stems.append(name)
        else:
            by_language[lang].add(lemma)
    return stems, by_language


class _SortedKeys:
    """Keys in the order of shards."""

    def __init__(self, keys: Iterable[str]) -> None:
        self._keys = in_order(keys)

    def set(self, key: str, is_there: bool) -> None:
        """Add a key, or take it out."""
        at = bisect_left(self._keys, order(key), key=order)
        known = at < len(self._keys) and self._keys[at] == key
        if is_there and not known:
            self._keys.insert(at, key)
        elif known and not is_there:
            del self._keys[at]

    def between(self, start: bytes, end: bytes | None) -> list[str]:
        """The keys from `start` up to but not including `end`."""
        last = len(self._keys) if end is None else bisect_left(self._keys, end, key=order)
        return self._keys[bisect_left(self._keys, start, key=order) : last]


class WordLines:
    """The rows for one index. `made` is the index that has them."""

    def __init__(self) -> None:
        self.made: object = None
        # The words of the texts that may mean a lemma, by `lang:lemma`.
        self.words: dict[str, str] = {}
        self._languages: list[str] = []
        self._keys: dict[str, str] = {}
        self._lemmas: Collection[str] = ()
        self._rows: dict[str, Mapping[str, list[StoredRow]]] = {}
        self._corpus: dict[str, dict[str, _Words]] = {}
        self._meaning: dict[str, dict[str, str]] = defaultdict(dict)
        self._tails: dict[str, set[str]] = defaultdict(set)
        self._sorted: dict[str, _SortedKeys] = {}

    def fill(self, table: FormTable, languages: Sequence[str], lemmas: Collection[str]) -> None:
        """Make the rows from nothing; `lemmas`: those, as `lang:lemma`, that documents have."""
        self.__init__()  # type: ignore[misc]
        self._languages, self._lemmas = list(languages), lemmas
        touched: dict[str, str] = {}
        for lang in languages:
            self._read(table, lang)
            for folded, several in self._rows[lang].items():
                if CORPUS in map(_ORIGIN, several):
                    self._take_words(lang, folded, touched)
        self._join(touched)
        # In the order of the rows: in any other, memory is gone through at random.
        every = dict.fromkeys(chain(*self._rows.values()))
        words = [f"{lang} {folded}" for lang in languages for folded in self._rows[lang]]
        keys: dict[str, Iterable[str]] = {"f": every, "w": words, "s": self._tails}
        self._sorted = {kind: _SortedKeys(several) for kind, several in keys.items()}

    def update(
        self,
        table: FormTable,
        languages: Sequence[str],
        lemmas: Collection[str],
        changed_lemmas: Collection[str],
    ) -> LineChanges | None:
        """Take over another table, and the lemmas that documents have begun or ceased to have.

        None where it is not known how the table differs; nothing is changed then.
        """
        if languages != self._languages:
            return None
        differing = {lang: table.differing(lang, self._keys[lang]) for lang in languages}
        if any(several is None for several in differing.values()):
            return None
        before: dict[str, str] = {}
        keys: dict[str, set[str]] = {kind: set() for kind in KINDS}
        for lang, several in differing.items():
            if not several:
                continue
            self._read(table, lang)
            for folded in several:
                self._take_words(lang, folded, before)
                keys["w"].add(f"{lang} {folded}")
                if len(folded) > 2:
                    keys["s"].add(folded[1:])
            keys["f"] |= several
        self._join(before)
        self._lemmas = lemmas
        others = {name for name, words in before.items() if words != self.words.get(name, "")}
        keys["f"].update(self._with_lemmas(others.union(changed_lemmas)))
        self._sort(keys)
        return LineChanges(keys, before)

    def rows(self, kind: str, start: bytes = b"", end: bytes | None = None) -> Iterator[Row]:
        """The rows of a kind with keys from `start` up to but not including `end`."""
        forms = FormRows(self._lemmas, self.words)
        makers: dict[str, Callable[[str], Row]] = {"w": self._word, "s": self._tail}
        make = makers.get(kind) or partial(forms.row, found=self._rows)
        return map(make, self._sorted[kind].between(start, end))

    def _read(self, table: FormTable, lang: str) -> None:
        self._rows[lang], self._keys[lang] = table.by_folded(lang), table.key(lang)
        self._corpus.setdefault(lang, {})

    def _take_words(self, lang: str, folded: str, before: dict[str, str]) -> None:
        """Take over the texts' words that are folded alike; note what meant their lemmas."""
        old = self._corpus[lang].pop(folded, ())
        new = tuple(
            (form, tuple(lemmas.split(" ")))
            for form, _, lemmas, origin in self._rows[lang].get(folded, ())
            if origin == CORPUS
        )
        if new:
            self._corpus[lang][folded] = new
        if len(folded) > 2 and bool(old) != bool(new):
            letter = f"{lang}:{folded[0]}"
            (self._tails[folded[1:]].add if new else self._tails[folded[1:]].discard)(letter)
        for form, lemmas in old if old != new else ():
            for lemma in lemmas:
                name = f"{lang}:{lemma}"
                before.setdefault(name, self.words.get(name, ""))
                del self._meaning[name][form]
        for form, lemmas in new if old != new else ():
            for lemma in lemmas:
                name = f"{lang}:{lemma}"
                before.setdefault(name, self.words.get(name, ""))
                self._meaning[name][form] = folded

    def _join(self, names: Iterable[str]) -> None:
        """Write the words of some lemmas down again."""
        for name in names:
            meaning = self._meaning[name]
            if meaning:
                self.words[name] = " ".join(
                    dict.fromkeys(meaning[form] for form in sorted(meaning))
                )
            else:
                del self._meaning[name]
                self.words.pop(name, None)

    def _sort(self, keys: Mapping[str, Iterable[str]]) -> None:
        """Put keys where they belong now."""
        for folded in keys["f"]:
            is_there = any(folded in several for several in self._rows.values())
            self._sorted["f"].set(folded, is_there)
        for key in keys["w"]:
            lang, _, folded = key.partition(" ")
            self._sorted["w"].set(key, folded in self._rows[lang])
        for tail in keys["s"]:
            self._sorted["s"].set(tail, bool(self._tails.get(tail)))

    def _with_lemmas(self, names: Iterable[str]) -> Iterator[str]:
        """The folded forms that may mean one of some lemmas."""
        stems, by_language = stems_apart(names)
        for name in stems:
            yield from self.words.get(name, "").split()
        for lang, lemmas in by_language.items():
            for folded, several in self._rows.get(lang, {}).items():
                if any(not lemmas.isdisjoint(line.split(" ")) for _, _, line, _ in several):
                    yield folded

    def _word(self, key: str) -> Row:
        lang, _, folded = key.partition(" ")
        return word_row(lang, folded, in_texts=folded in self._corpus[lang])

    def _tail(self, tail: str) -> Row:
        return tail_row(tail, self._tails[tail])
