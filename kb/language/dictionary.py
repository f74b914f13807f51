"""simplemma's dictionary of a language, with a Snowball stemmer on its lemmas.

It is searched in a file; simplemma itself is loaded only to make that file.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

from kb.language.sorted_map import SortedMap, cached_map, line, map_path

# What a key of the file is: a form, a lemma, a stem. A form has its lemma, a lemma its forms, a
# stem its lemmas.
_FORM, _LEMMA, _STEM = "form ", "lemma ", "stem "
_MODULES = ("base", "dictionary", "fold", "sisters", "sorted_map")
_PACKAGES = ("simplemma", "snowballstemmer", "PyStemmer")


def dictionary_version(*languages: str) -> str:
    """A hash of all that a file made from the dictionaries of some languages depends on."""
    from importlib.metadata import PackageNotFoundError, version

    digest = hashlib.sha256()
    for name in (*_MODULES, *languages):
        digest.update(Path(__file__).with_name(f"{name}.py").read_bytes())
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            digest.update(f"{package} {version(package)}".encode())
    return digest.hexdigest()


class Dictionary:
    """Forms and lemmas of a language, whose lemmas are joined by the stem of their `spelling`.

    `derived`: endings of nouns of action and participles with those of their verb, which they
    meet where the dictionary has it.
    """

    def __init__(
        self,
        lang: str,
        algorithm: str,
        spelling: Callable[[str], str] = str,
        derived: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._lang, self._algorithm, self._spelling = lang, algorithm, spelling
        self._derived = derived
        self._keys: dict[str, str] = {}

    @cached_property
    def _version(self) -> str:
        return dictionary_version(self._lang)

    @cached_property
    def _file(self) -> SortedMap:
        return cached_map(self._lang, self._version, self._lines)

    @property
    def is_made(self) -> bool:
        """Whether its file is there."""
        return map_path(self._lang, self._version).exists()

    def make(self) -> None:
        """Make its file where it is missing."""
        if not self.is_made:
            cached_map(self._lang, self._version, self._lines)

    def _lines(self) -> Iterator[bytes]:
        """The lines of the file. Forms, of which there are a million, stay bytes."""
        forms = _load(self._lang)
        by_lemma: dict[bytes, list[bytes]] = defaultdict(list)
        for form, base in forms.items():
            by_lemma[base].append(form)
        keys = map(_FORM.encode().__add__, forms)
        yield from map(b"\t".join, zip(keys, forms.values(), strict=True))
        start = _LEMMA.encode()
        yield from (b"\t".join((start + base, *several)) for base, several in by_lemma.items())
        known = forms.keys() | by_lemma.keys()
        by_stem: dict[str, list[str]] = defaultdict(list)
        for encoded in by_lemma:
            lemma = encoded.decode()
            verbs = (verb for verb in self._verbs(lemma.lower()) if verb.encode() in known)
            for stem in {self.key(lemma), *map(self.key, verbs)}:
                by_stem[stem].append(lemma)
        yield from (line(_STEM + stem, lemmas) for stem, lemmas in by_stem.items())

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        import snowballstemmer

        # PyStemmer's, where it is installed.
        stem: Callable[[str], str] = snowballstemmer.stemmer(self._algorithm).stemWord
        return stem

    def lemma(self, word: str) -> str | None:
        """The lemma of a word, as it is spelt; None when neither form nor lemma is known."""
        lemma = self._file.get(_FORM + word)
        return lemma[0] if lemma else word if self._file.get(_LEMMA + word) else None

    def lemmas(self) -> Iterator[str]:
        """Every lemma, in order."""
        return (lemma for lemma, _ in self._file.items(_LEMMA))

    def forms(self, lemma: str) -> list[str]:
        """The forms of a lemma, as they are spelt."""
        return self._file.get(_LEMMA + lemma)

    def forms_of_stems(
        self, stems: Collection[str], is_near: Callable[[str], bool]
    ) -> dict[str, set[str]]:
        """By stem the lemmas with it, those derived from them, and every form; in lower case.

        `is_near`: whether a lemma in lower case is spelt nearly as one of the stems.
        """
        return {
            stem: {
                form.lower()
                for lemma in self._file.get(_STEM + stem)
                if is_near(lemma.lower())
                for form in (lemma, *self.forms(lemma))
            }
            for stem in stems
        }

    def key(self, lemma: str) -> str:
        """The stem of a lemma."""
        key = self._keys.get(lemma)
        if key is None:
            key = self._keys[lemma] = self._stem(self._spelling(lemma.lower()))
        return key

    def bases(self, lemma: str) -> list[str]:
        """The verbs that a lemma in lower case may be derived from."""
        return [verb for verb in self._verbs(lemma) if self.lemma(verb)]

    def _verbs(self, lemma: str) -> Iterator[str]:
        for ending, verbal in self._derived:
            if lemma.endswith(ending):
                yield lemma[: -len(ending)] + verbal


def _load(lang: str) -> Mapping[bytes, bytes]:
    """Form -> lemma, by simplemma."""
    from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

    forms: Any = DefaultDictionaryFactory().get_dictionary(lang)
    entries = getattr(forms, "_dict", None)
    if isinstance(entries, dict) and isinstance(next(iter(entries), None), bytes):
        return entries
    return {form.encode(): lemma.encode() for form, lemma in forms.items()}


class StemmedDictionary:
    """`Language.lemmas` and `Language.forms` of a dictionary whose lemmas are joined by stem.

    `nominatives`: case endings of nouns of action and participles with that of the nominative,
    for words that the dictionary lacks (povýšením -> povýšenie).
    """

    def __init__(
        self, dictionary: Dictionary, nominatives: Sequence[tuple[Sequence[str], str]]
    ) -> None:
        self._dictionary, self._nominatives = dictionary, nominatives
        self._by_word: dict[str, frozenset[str]] = {}

    def lemmas(self, word: str) -> frozenset[str]:
        """The stems of the lemmas of a word, and of the verbs that they are derived from."""
        known = self._by_word.get(word)
        if known is None:
            known = self._by_word[word] = self._lemmas(word)
        return known

    def _lemmas(self, word: str) -> frozenset[str]:
        key, bases = self._dictionary.key, self._dictionary.bases
        stems = set()
        for spelling in (word, word.capitalize()):
            lemma = self._dictionary.lemma(spelling)
            if lemma:
                stems |= {key(lemma), *map(key, bases(lemma.lower()))}
        return frozenset(stems or map(key, bases(self._nominative(word))))

    def forms(self, wanted: Collection[str]) -> dict[str, frozenset[str]]:
        """Every form of the lemmas with some stems, and of what is derived from them."""
        heads = {stem[:3] for stem in wanted}
        by_stem = self._dictionary.forms_of_stems(
            wanted, lambda low: low[:3] in heads or low[:2] in heads
        )
        return {stem: frozenset(forms) for stem, forms in by_stem.items()}

    def _nominative(self, word: str) -> str:
        for endings, nominative in self._nominatives:
            for ending in endings:
                if word.endswith(ending):
                    return word[: -len(ending)] + nominative
        return word
