"""What the index knows of words: the meanings of forms, all known words, and their tails."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from kb.language import FormTable, fold
from kb.language.lookup import CORPUS, SISTER
from kb.search.browser.buckets import Row, in_order

# A digit says how many letters a word shares with the one before.
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Marks words of the texts, and forms of a sister language.
_IN_TEXTS, _OF_SISTER = "*", "~"
# Stands for lemmas that neither rulings nor card names have.
_ABSENT = "?"
# A browser counts a letter above this as two.
_LAST_UNIT = "\uffff"


class Form(NamedTuple):
    """A form of a language, what marks its origin, and its lemmas."""

    lang: str
    mark: str
    text: str
    lemmas: tuple[str, ...]


class Meaning(NamedTuple):
    """How many documents have a lemma, and the words of the texts that may mean it."""

    documents: int
    words: Mapping[str, None]


class KnownForms:
    """The forms of some languages by their folded forms.

    `words`: the folded words of the texts that may mean a lemma, by `lang:lemma`.
    """

    def __init__(self, table: FormTable, languages: Iterable[str]) -> None:
        self.by_folded: dict[str, list[Form]] = defaultdict(list)
        self.words: dict[str, dict[str, None]] = defaultdict(dict)
        # Every folded form of a language, and whether the texts have it.
        self._known: dict[str, dict[str, bool]] = {}
        marks = {CORPUS: _IN_TEXTS, SISTER: _OF_SISTER}
        for lang in languages:
            known = self._known[lang] = {}
            for text, folded, line, origin in table.stored_rows(lang):
                form = Form(lang, marks.get(origin, ""), text, tuple(line.split(" ")))
                self.by_folded[folded].append(form)
                known[folded] = origin == CORPUS or known.get(folded, False)
                if origin == CORPUS:
                    for lemma in form.lemmas:
                        self.words[f"{lang}:{lemma}"][folded] = None

    def known_words(self, lang: str) -> Iterator[Row]:
        """Every folded form of a language; those that the texts have bear a mark."""
        known = self._known[lang]
        for folded in in_order(known):
            yield Row(folded, folded + _IN_TEXTS * known[folded], len(folded))

    def tails(self) -> Iterator[Row]:
        """What follows the first letter of the texts' words, with each `lang:letter` before it."""
        letters: dict[str, set[str]] = defaultdict(set)
        for lang, known in self._known.items():
            for folded, is_in_texts in known.items():
                if is_in_texts and len(folded) > 2:
                    letters[folded[1:]].add(f"{lang}:{folded[0]}")
        for tail in in_order(letters):
            line = " ".join((tail, *sorted(letters[tail])))
            yield Row(tail, line, len(line))


def packed_forms(
    forms: Iterable[Form],
    is_present: Callable[[str], bool],
    meanings: dict[str, Meaning] | None = None,
) -> str:
    """Forms as text: a line `lang[mark] stem lemma`, a tab and the endings of the lemma's forms.

    A lemma that begins with the stem has `-` in its place, or `=` for the folded stem.
    `is_present`: whether rulings have `lang:lemma`. `meanings`: those of some lemmas, of which the
    ones are taken out that lines have: the count behind the lemma, and, behind another tab, words
    that the line lacks.
    """
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for form in forms:
        for lemma in form.lemmas:
            groups[form.lang, form.mark, lemma].append(form.text)
    lines = []
    for (lang, mark, lemma), texts in groups.items():
        name = f"{lang}:{lemma}"
        stem = texts[0][: _shared(min(texts), max(texts))]
        is_known = lemma[0] == "^" or is_present(name)
        head = f"{lang}{mark} {stem} {_shortened(lemma, stem) if is_known else _ABSENT}"
        line = " ".join(sorted(text[len(stem) :] for text in texts))
        if meanings and mark == _IN_TEXTS and name in meanings:
            count, words = meanings.pop(name)
            head += f" {count}"
            others = words.keys() - map(fold, texts)
            line += "\t" * bool(others) + " ".join(sorted(others))
        lines.append(f"{head}\t{line}")
    return "\n".join(sorted(lines))


def _shortened(lemma: str, stem: str) -> str:
    mark = lemma[0] if lemma[0] in "^~+" else ""
    word = lemma[len(mark) :]
    for sign, start in (("-", stem), ("=", fold(stem))):
        if start and word.startswith(start):
            return mark + sign + word[len(start) :]
    return lemma


def packed_words(words: Iterable[str]) -> str:
    """Sorted words as text, each as how much it shares with the one before, and the rest."""
    lines, last = [], ""
    for word in words:
        shared = min(_shared(last, word), len(DIGITS) - 1)
        lines.append(DIGITS[shared] + word[shared:])
        last = word
    return "\n".join(lines)


def _shared(word: str, other: str) -> int:
    """How many letters two words begin with alike."""
    for at, (letter, same) in enumerate(zip(word, other, strict=False)):
        if letter != same or letter > _LAST_UNIT:
            return at
    return min(len(word), len(other))
