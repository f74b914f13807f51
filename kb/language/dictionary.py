"""simplemma's dictionary of a language, both ways, with a Snowball stemmer on its lemmas. Loaded when first asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any


class Dictionary:
    """The dictionary of a language; `key` of a lemma is its stem, after `spelling` has been made one."""

    def __init__(self, lang: str, algorithm: str, spelling: Callable[[str], str] = str) -> None:
        self._lang, self._algorithm, self._spelling = lang, algorithm, spelling
        self._keys: dict[str, str] = {}

    @cached_property
    def _bytes(self) -> Mapping[bytes, bytes]:
        """Form -> lemma. Of most entries only the lemma is looked at, so that they stay as simplemma keeps them: encoded."""
        from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

        forms: Any = DefaultDictionaryFactory().get_dictionary(self._lang)
        kept = getattr(forms, "_dict", None)
        return (
            kept
            if isinstance(kept, dict)
            else {form.encode(): lemma.encode() for form, lemma in forms.items()}
        )

    @cached_property
    def _lemmas(self) -> frozenset[bytes]:
        return frozenset(self._bytes.values())

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        import snowballstemmer

        # PyStemmer's, where it is installed.
        stem: Callable[[str], str] = snowballstemmer.stemmer(self._algorithm).stemWord
        return stem

    def lemma(self, word: str) -> str | None:
        """The dictionary's lemma of a word, as it is spelt; None when it knows neither the form nor the lemma."""
        raw = word.encode("utf-8", "replace")
        found = self._bytes.get(raw)
        return found.decode() if found else word if raw in self._lemmas else None

    def lemmas(self) -> Iterator[str]:
        """Every lemma, in any order."""
        return map(bytes.decode, self._lemmas)

    def forms(self, lemmas: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Each form of some lemmas with its lemma, as they are spelt."""
        wanted = {lemma.encode(): lemma for lemma in lemmas}
        for form, lemma in self._bytes.items():
            if lemma in wanted:
                yield form.decode(), wanted[lemma]

    def key(self, lemma: str) -> str:
        """The stem of a lemma."""
        found = self._keys.get(lemma)
        if found is None:
            found = self._keys[lemma] = self._stem(self._spelling(lemma.lower()))
        return found
