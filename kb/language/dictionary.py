"""simplemma's dictionary of a language, with a Snowball stemmer for its lemmas.

The dictionary maps forms to lemmas; each lemma is a form of itself. One walk through all of it
gives the forms of the lemmas.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property


class Dictionary:
    """The forms and lemmas of a language; the stem of its `spelling` joins lemmas.

    `derived`: endings of nouns of action and participles, with the verb's ending. They join the
    verb if the dictionary has it. simplemma is loaded on first use.
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

    @cached_property
    def _lemma_of(self) -> Mapping[str, str]:
        from simplemma.strategies.dictionaries import DefaultDictionaryFactory

        return DefaultDictionaryFactory().get_dictionary(self._lang)

    @cached_property
    def _forms_of(self) -> dict[str, list[str]]:
        forms_of: dict[str, list[str]] = defaultdict(list)
        lemma_of = self._lemma_of
        for form in lemma_of:
            forms_of[lemma_of[form]].append(form)
        return dict(forms_of)

    @cached_property
    def _lemmas_of_stem(self) -> dict[str, list[str]]:
        """The lemmas of each stem, and those derived from them."""
        lemmas_of: dict[str, list[str]] = defaultdict(list)
        for lemma in self._forms_of:
            for stem in {self.key(lemma), *map(self.key, self.bases(lemma.lower()))}:
                lemmas_of[stem].append(lemma)
        return lemmas_of

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        import snowballstemmer

        # snowballstemmer takes PyStemmer if that is installed.
        stem: Callable[[str], str] = snowballstemmer.stemmer(self._algorithm).stemWord
        return stem

    def lemma(self, word: str) -> str | None:
        """The lemma of a word, in this spelling; None for an unknown word."""
        return self._lemma_of.get(word)

    def lemmas(self) -> Collection[str]:
        """Every lemma."""
        return self._forms_of.keys()

    def forms(self, lemma: str) -> list[str]:
        """The forms of a lemma, in their spelling."""
        return self._forms_of.get(lemma, [])

    def stems(self, word: str, *respelled: str) -> frozenset[str]:
        """The stems of the lemmas of a word, and of the verbs that they are derived from.

        `respelled`: other spellings of the word.
        """
        spellings = (word, word.capitalize(), *respelled)
        lemmas = list(filter(None, map(self.lemma, spellings)))
        stems = {self.key(lemma) for lemma in lemmas}
        # The dictionary lacks many nouns of action.
        for lemma in lemmas or [word]:
            stems.update(map(self.key, self.bases(lemma.lower())))
        return frozenset(stems)

    def forms_of_stems(self, stems: Collection[str]) -> dict[str, frozenset[str]]:
        """The forms, in lower case, of the lemmas with each stem or derived from it.

        Lemmas that differ from the stem in the first two letters are left out.
        """
        return {
            stem: frozenset(
                form.lower()
                for lemma in self._lemmas_of_stem.get(stem, ())
                if lemma[:2].lower() == stem[:2]
                for form in (lemma, *self.forms(lemma))
            )
            for stem in stems
        }

    def key(self, lemma: str) -> str:
        """The stem of a lemma."""
        return self._stem(self._spelling(lemma.lower()))

    def bases(self, lemma: str) -> Iterator[str]:
        """The verbs that a lemma in lower case may be derived from."""
        for ending, verbal in self._derived:
            if lemma.endswith(ending) and self.lemma(lemma[: -len(ending)] + verbal):
                yield lemma[: -len(ending)] + verbal
