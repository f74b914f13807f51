"""simplemma's dictionary of a language, with a Snowball stemmer on its lemmas.

Loaded on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any


class Dictionary:
    """Forms and lemmas of a language; the `key` of a lemma is the stem of its `spelling`."""

    def __init__(self, lang: str, algorithm: str, spelling: Callable[[str], str] = str) -> None:
        self._lang, self._algorithm, self._spelling = lang, algorithm, spelling
        self._keys: dict[str, str] = {}

    @cached_property
    def _entries(self) -> Mapping[bytes, bytes]:
        """Form -> lemma, encoded as simplemma keeps them: few are ever decoded."""
        from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

        forms: Any = DefaultDictionaryFactory().get_dictionary(self._lang)
        entries = getattr(forms, "_dict", None)
        if isinstance(entries, dict):
            return entries
        return {form.encode(): lemma.encode() for form, lemma in forms.items()}

    @cached_property
    def _lemmas(self) -> frozenset[bytes]:
        return frozenset(self._entries.values())

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        import snowballstemmer

        # PyStemmer's, where it is installed.
        stem: Callable[[str], str] = snowballstemmer.stemmer(self._algorithm).stemWord
        return stem

    def lemma(self, word: str) -> str | None:
        """The lemma of a word, as it is spelt; None when neither form nor lemma is known."""
        encoded = word.encode("utf-8", "replace")
        lemma = self._entries.get(encoded)
        return lemma.decode() if lemma else word if encoded in self._lemmas else None

    def lemmas(self) -> Iterator[str]:
        """Every lemma, in any order."""
        return map(bytes.decode, self._lemmas)

    def forms(self, lemmas: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Each form of some lemmas with its lemma, as they are spelt."""
        wanted = {lemma.encode(): lemma for lemma in lemmas}
        for form, lemma in self._entries.items():
            if lemma in wanted:
                yield form.decode(), wanted[lemma]

    def key(self, lemma: str) -> str:
        """The stem of a lemma."""
        key = self._keys.get(lemma)
        if key is None:
            key = self._keys[lemma] = self._stem(self._spelling(lemma.lower()))
        return key


class StemmedDictionary:
    """`Language.lemmas` and `Language.forms` of a dictionary whose lemmas are joined by stem.

    `derived`: endings of nouns of action and participles with those of their verb, which they
    meet where the dictionary has it. `nominatives`: case endings of such words with that of the
    nominative, for words that the dictionary lacks (povýšením -> povýšenie).
    """

    def __init__(
        self,
        dictionary: Dictionary,
        derived: Sequence[tuple[str, str]],
        nominatives: Sequence[tuple[Sequence[str], str]],
    ) -> None:
        self._dictionary, self._derived, self._nominatives = dictionary, derived, nominatives
        self._by_word: dict[str, frozenset[str]] = {}

    def lemmas(self, word: str) -> frozenset[str]:
        """The stems of the lemmas of a word, and of the verbs that they are derived from."""
        known = self._by_word.get(word)
        if known is None:
            known = self._by_word[word] = self._lemmas(word)
        return known

    def _lemmas(self, word: str) -> frozenset[str]:
        key = self._dictionary.key
        stems = set()
        for spelling in (word, word.capitalize()):
            lemma = self._dictionary.lemma(spelling)
            if lemma:
                stems |= {key(lemma), *map(key, self._bases(lemma.lower()))}
        return frozenset(stems or map(key, self._bases(self._nominative(word))))

    def forms(self, wanted: Collection[str]) -> dict[str, frozenset[str]]:
        """Every form of the lemmas with some stems, and of what is derived from them."""
        key = self._dictionary.key
        by_stem: dict[str, set[str]] = {stem: set() for stem in wanted}
        heads = {stem[:3] for stem in wanted}
        stems: dict[str, list[str]] = {}
        for lemma in self._dictionary.lemmas():
            low = lemma.lower()
            if low[:3] in heads or low[:2] in heads:
                for stem in {key(lemma), *map(key, self._bases(low))} & by_stem.keys():
                    by_stem[stem].add(low)
                    stems.setdefault(lemma, []).append(stem)
        for form, lemma in self._dictionary.forms(stems):
            for stem in stems[lemma]:
                by_stem[stem].add(form.lower())
        return {stem: frozenset(forms) for stem, forms in by_stem.items()}

    def _nominative(self, word: str) -> str:
        for endings, nominative in self._nominatives:
            for ending in endings:
                if word.endswith(ending):
                    return word[: -len(ending)] + nominative
        return word

    def _bases(self, lemma: str) -> list[str]:
        verbs = (
            lemma[: -len(ending)] + verbal
            for ending, verbal in self._derived
            if lemma.endswith(ending)
        )
        return [verb for verb in verbs if self._dictionary.lemma(verb)]
