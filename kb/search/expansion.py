"""What the words of a query can mean: terms of the index with weights, in the languages that the query is written in."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from kb.language import STOP, FormTable, fold, parts
from kb.search.query import Node, Phrase, Prefix, Query, Word, leaves

# A lemma outranks what is known without its diacritics, and that a slip of the finger; an exact form adds to either.
EXACT, LEMMA, FOLDED, GROUP, STEM = 1.0, 1.0, 0.9, 0.8, 0.8
SLIP = {1: 0.55, 2: 0.4}
MAX_EXPANSION = 60
# A rule's number; the joined pieces of a hyphenated word.
RULE_NUMBER, PIECE = 1.5, 0.7
# How familiar a word is to a language, more so if its texts have the word; languages that differ by less than the margin
# are equally likely.
FAMILIAR = {"exact": 1.0, "folded": 0.9, "stem": 0.0}
IN_TEXTS, MARGIN = 0.5, 0.25
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
Frequency = Callable[[str], int]


@dataclass
class Expansion:
    """One word, phrase or prefix of a query: alternatives (term -> weight); a phrase has a sequence of them instead."""

    text: str
    kind: Literal["word", "phrase", "prefix"]
    terms: dict[str, float] = field(default_factory=dict)
    sequence: list[dict[str, float]] = field(default_factory=list)
    optional: bool = False
    corrected: str = ""


def scope(queried: Query, languages: Sequence[str], table: FormTable) -> list[str]:
    """The languages that a query is most likely written in: those that know most of its words, the texts' own words first."""
    words = [
        word
        for node in leaves(queried.root)
        for word in _texts(node)
        if not _NUMBER.fullmatch(word)
    ]
    if not words or not languages:
        return list(languages)
    score = {lang: sum(_familiar(word, lang, table) for word in words) for lang in languages}
    best = max(score.values())
    return [lang for lang in languages if score[lang] >= best - MARGIN] if best else list(languages)


def _familiar(word: str, lang: str, table: FormTable) -> float:
    analysis = table.analyse(word, lang)
    known = FAMILIAR[analysis.how]
    return known + (IN_TEXTS if known and table.in_corpus(word, lang) else 0.0)


def _texts(node: Node) -> Iterable[str]:
    return (
        node.words
        if isinstance(node, Phrase)
        else (node.text,)
        if isinstance(node, Word | Prefix)
        else ()
    )


class QueryExpander:
    """Gives the meanings of a query's leaves. `frequency` tells in how many rulings a term of the index is."""

    def __init__(
        self,
        table: FormTable,
        languages: Sequence[str],
        likely: Sequence[str],
        frequency: Frequency,
    ) -> None:
        self.table, self.languages, self.likely, self.frequency = (
            table,
            languages,
            likely,
            frequency,
        )

    def meaning(self, node: Node) -> Expansion:
        """The meaning of a word, a phrase or a prefix."""
        if isinstance(node, Phrase):
            return Expansion(
                " ".join(node.words), "phrase", sequence=[self._forms(word) for word in node.words]
            )
        if isinstance(node, Prefix):
            return self._prefix(node.text)
        assert isinstance(node, Word)
        return self._word(node.text)

    def lemmas(self, phrase: Expansion) -> Expansion:
        """A phrase by lemmas, for when nothing has it as it was written."""
        sequence = [
            self._word(word).terms or forms
            for word, forms in zip(phrase.text.split(" "), phrase.sequence, strict=True)
        ]
        return Expansion(phrase.text, "phrase", sequence=sequence)

    def _forms(self, word: str) -> dict[str, float]:
        return {f"{lang}={fold(word)}": 1.0 for lang in self.languages}

    def _prefix(self, text: str) -> Expansion:
        folded = fold(text)
        terms = {
            f"{lang}={word}": 1.0
            for lang in self.languages
            for word in self.table.starting(folded, lang, MAX_EXPANSION)
        }
        return Expansion(text, "prefix", terms=dict(list(terms.items())[: MAX_EXPANSION * 2]))

    def _word(self, text: str) -> Expansion:
        made = Expansion(text, "word")
        if _NUMBER.fullmatch(text):
            made.terms = {f"#{text}": RULE_NUMBER, **self._forms(text)}
            return made
        known = [lang for lang in self.likely if self.table.known(text, lang)]
        for lang in known or self.languages:
            self._add(made.terms, text, lang)
        made.optional = any(fold(text) in _STOP[lang] for lang in self.likely) or (
            len(text) == 1 and not text.isdigit()
        )
        if not made.optional and not any(self.frequency(term) for term in made.terms):
            self._elsewhere(made) or self._slip(made)
        return made

    def _add(self, terms: dict[str, float], word: str, lang: str, weight: float = 1.0) -> None:
        for form, factor in ((word, 1.0), *((piece, PIECE) for piece in parts(word)[:1])):
            terms.setdefault(f"{lang}={fold(form)}", EXACT * weight * factor)
            analysis = self.table.analyse(form, lang)
            base = {"exact": LEMMA, "folded": FOLDED, "stem": STEM}[analysis.how]
            for lemma in analysis.lemmas:
                terms.setdefault(
                    f"{lang}:{lemma}", (GROUP if lemma[0] == "+" else base) * weight * factor
                )

    def _elsewhere(self, made: Expansion) -> bool:
        """A word of another language than the rest of the query."""
        for lang in self.languages:
            self._add(made.terms, made.text, lang)
        return any(self.frequency(term) for term in made.terms)

    def _slip(self, made: Expansion) -> bool:
        """A mistyped word: what stands nearest to it and occurs."""
        near = []
        for lang in self.languages:
            bonus = 0 if lang in self.likely else 1
            near += [
                ((one.distance, bonus, not one.corpus), one.word, lang)
                for one in self.table.similar(made.text, lang, 6)
            ]
        found: dict[str, float] = {}
        for (apart, _, _), word, lang in sorted(near):
            terms: dict[str, float] = {}
            self._add(terms, word, lang, SLIP.get(apart, SLIP[2]))
            if any(self.frequency(term) for term in terms) and (not found or apart <= 1):
                made.corrected = made.corrected or self.table.unfolded(word, lang)
                found = {**terms, **found}
        made.terms.update(found)
        return bool(found)


_STOP = {lang: frozenset(fold(word) for word in words) for lang, words in STOP.items()}
