"""simplemma's dictionary of a language, both ways, with a Snowball stemmer on its lemmas. Loaded when first asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property
from typing import Any


class Dictionary:
    """The dictionary of a language; `key` of a lemma is its stem, after `spelling` has been made one."""

    def __init__(self, lang: str, algorithm: str, spelling: Callable[[str], str] = str) -> None:
        self._lang, self._algorithm, self._spelling = lang, algorithm, spelling
        self._keys: dict[str, str] = {}

    @cached_property
    def _forms(self) -> Any:
        from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

        return DefaultDictionaryFactory().get_dictionary(self._lang)

    @cached_property
    def by_lemma(self) -> dict[str, list[str]]:
        """The forms of each lemma."""
        found: dict[str, list[str]] = defaultdict(list)
        for form, lemma in self._forms.items():
            found[lemma].append(form)
        return dict(found)

    @cached_property
    def _stemmer(self) -> Any:
        import snowballstemmer

        return snowballstemmer.stemmer(self._algorithm)

    def lemma(self, word: str) -> str | None:
        """The dictionary's lemma of a word, as it is spelt; None when it knows neither the form nor the lemma."""
        found = self._forms.get(word)
        return str(found) if found else word if word in self.by_lemma else None

    def key(self, lemma: str) -> str:
        """The stem of a lemma."""
        if lemma not in self._keys:
            self._keys[lemma] = str(self._stemmer.stemWord(self._spelling(lemma.lower())))
        return self._keys[lemma]
