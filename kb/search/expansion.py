"""Query words -> slots: what each can mean in the texts and in the index, with weights."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Literal

from kb.language import FormTable, fold, parts
from kb.language.registry import query_stop_words
from kb.language.spelling import is_slip
from kb.search.jargon import ideas_of, matching_words
from kb.search.query import Node, Phrase, Prefix, Query, Word, leaves
from kb.search.vocabulary import Vocabulary, tokens, word_terms

# The weight of a word: as it was typed; by a lemma of its exact form, its folded form, a form of a
# sister language or its stem; a lemma that stands for a group of words has a part of that. Of
# another language than the query's: a part of that. Of the pieces of a hyphenated word joined:
# another.
EXACT, GROUP = 1.0, 0.8
LEMMAS = {"exact": 0.92, "folded": 0.88, "sister": 0.85, "stem": 0.8}
OTHER_LANGUAGE, JOINED = 0.8, 0.7
NUMBER_WEIGHT = 1.5
# What replaces a mistyped word, by its distance.
SLIP = {1: 0.7, 2: 0.6}
# A word with the same idea.
IDEA = 0.49
# A word that weighs less than this is a guess: it helps to rank, but a ruling that has no other
# lacks the slot.
PRESENT = 0.5
# A guess: a word that looks alike, weighed by the part of the n-grams that it shares, from which
# part on, and how many.
ALIKE, ALIKE_LEAST, ALIKE_MOST = 0.49, 0.4, 16
MAX_EXPANSION = 60
MAX_SLIPS = 6
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
# How much a word speaks for a language, as it is known there; a stop word as it is typed or folded;
# more for a word of the texts. Languages that differ by no more than the margin are equally likely.
FAMILIAR = {"exact": 1.0, "folded": 0.7, "sister": 0.5, "stem": 0.0}
FAMILIAR_STOP_WORD = {"exact": 1.5, "folded": 1.2}
FAMILIAR_IN_TEXTS, MARGIN = 0.5, 0.25
# A word of so few letters is a slip only where its letters are swapped.
SWAPPED = 4
Weights = dict[str, float]
Vocabularies = Callable[[str], Vocabulary]


@cache
def stop_words(lang: str) -> frozenset[str]:
    """Words, folded, that a query in a language need not find."""
    return frozenset(map(fold, query_stop_words(lang)))


@dataclass
class Slot:
    """A word, a prefix or a phrase of a query.

    `words`: by language, the folded words of segments that it means, with weights; a phrase has a
    `sequence` of them instead. `terms`: the terms of the index that it surely means, of a phrase
    `word_terms`: those of each of its words; `guesses`: others. `optional`: it matters only where
    nothing else does. `mistyped`: it has words that the one typed may be a slip for; `corrected`:
    one of them, of the texts, that it can hardly not be.
    """

    text: str
    kind: Literal["word", "phrase", "prefix"]
    words: dict[str, Weights] = field(default_factory=dict)
    sequence: list[dict[str, Weights]] = field(default_factory=list)
    terms: dict[str, None] = field(default_factory=dict)
    word_terms: list[dict[str, None]] = field(default_factory=list)
    guesses: dict[str, None] = field(default_factory=dict)
    optional: bool = False
    mistyped: bool = False
    corrected: str = ""

    def add(self, lang: str, word: str, weight: float) -> None:
        """Takes in a word of segments where it is heavier than before."""
        words = self.words.setdefault(lang, {})
        if weight > words.get(word, 0.0):
            words[word] = weight


def as_typed(slot: Slot) -> Slot:
    """A slot that is optional beside others without the other words that it means."""
    if not slot.optional:
        return slot
    typed = fold(slot.text)
    words = {lang: {typed: known[typed]} for lang, known in slot.words.items() if typed in known}
    return replace(slot, words=words)


def likely_languages(
    queried: Query, languages: Sequence[str], table: FormTable, vocabularies: Vocabularies
) -> list[str]:
    """The languages that a query is most likely written in.

    These are those that know most of its words, the texts' own words first.
    """
    words = [
        word
        for node in leaves(queried.root)
        for word in _texts(node)
        if not _NUMBER.fullmatch(word)
    ]
    if not words or not languages:
        return list(languages)
    familiar = {
        lang: sum(familiarity(word, lang, table, vocabularies(lang)) for word in words)
        for lang in languages
    }
    most = max(familiar.values())
    return (
        [lang for lang in languages if familiar[lang] >= most - MARGIN] if most else list(languages)
    )


def familiarity(word: str, lang: str, table: FormTable, vocabulary: Vocabulary) -> float:
    """How much a word speaks for a language.

    0 where it is unknown, 1.5 for a word of the texts as it was typed.
    """
    folded = fold(word)
    if folded in stop_words(lang):
        as_typed = word.lower() in query_stop_words(lang)
        return FAMILIAR_STOP_WORD["exact" if as_typed else "folded"]
    known = FAMILIAR[table.analyse(word, lang).how]
    return known + (FAMILIAR_IN_TEXTS if folded in vocabulary else 0.0)


def _texts(node: Node) -> Iterable[str]:
    if isinstance(node, Phrase):
        return node.words
    return (node.text,) if isinstance(node, Word | Prefix) else ()


class QueryExpander:
    """Makes slots of a query's leaves.

    `likely`: those of the `languages` that the query may be written in.
    """

    def __init__(
        self,
        table: FormTable,
        vocabularies: Vocabularies,
        languages: Sequence[str],
        likely: Sequence[str],
    ) -> None:
        self.table, self.vocabularies = table, vocabularies
        self.languages, self.likely = languages, likely

    def slot(self, node: Node) -> Slot:
        """The slot of a word, a phrase or a prefix."""
        if isinstance(node, Phrase):
            return self._phrase(node)
        if isinstance(node, Prefix):
            return self._prefix(node.text)
        assert isinstance(node, Word)
        return self._word(node.text)

    def _phrase(self, phrase: Phrase) -> Slot:
        slot = Slot(" ".join(phrase.words), "phrase")
        for token in tokens(phrase.words):
            slot.sequence.append({lang: {token: EXACT} for lang in self.languages})
            terms = (word_terms(self.table, token, lang) for lang in self.languages)
            slot.word_terms.append(dict.fromkeys(term for several in terms for term in several))
        return slot

    def by_lemmas(self, phrase: Slot) -> Slot:
        """A phrase by the lemmas of its words, for when nothing has it as it was written."""
        slot = Slot(phrase.text, "phrase")
        for token in tokens(phrase.text.split(" ")):
            word = self._word(token)
            slot.sequence.append(word.words)
            slot.word_terms.append(word.terms)
        return slot

    def _prefix(self, text: str) -> Slot:
        slot = Slot(text, "prefix")
        for lang in self.languages:
            words = self.vocabularies(lang).starting(fold(text))
            for word in sorted(words, key=lambda word: (len(word), word))[:MAX_EXPANSION]:
                slot.add(lang, word, EXACT)
                slot.terms.update(dict.fromkeys(word_terms(self.table, word, lang)))
        return slot

    def _word(self, text: str) -> Slot:
        slot = Slot(text, "word")
        folded = fold(text)
        slot.optional = len(text) == 1 and not text.isdigit()
        if _NUMBER.fullmatch(text):
            slot.add("", text, NUMBER_WEIGHT)
            slot.terms[f"#{text}"] = None
            for lang in self.languages:
                self._mean(slot, text, lang, EXACT)
            return slot
        slot.optional |= any(folded in stop_words(lang) for lang in self.likely)
        known = [lang for lang in self.likely if self.table.known(text, lang)]
        known = known or [lang for lang in self.languages if self.table.known(text, lang)]
        for lang in known:
            self._mean(slot, text, lang, 1.0 if lang in self.likely else OTHER_LANGUAGE)
        if not slot.optional:
            if not known:
                self._slip(slot)
                self._guess_alike(slot, folded)
            self._guess_ideas(slot, folded)
        return slot

    def _mean(self, slot: Slot, word: str, lang: str, weight: float) -> None:
        """Takes in what a word of a language means."""
        by_lemma = self.vocabularies(lang).by_lemma
        for form, part in ((word, 1.0), *((joined, JOINED) for joined in parts(word)[:1])):
            slot.add(lang, fold(form), EXACT * part * weight)
            analysis = self.table.analyse(form, lang)
            factor = LEMMAS[analysis.how] * part * weight
            for lemma in analysis.lemmas:
                slot.terms[f"{lang}:{lemma}"] = None
                value = max(PRESENT, GROUP * factor if lemma[0] == "+" else factor)
                if lemma[0] == "^":
                    slot.add(lang, lemma[1:], value)
                for other in by_lemma.get(lemma, ()):
                    slot.add(lang, other, value)

    def _slip(self, slot: Slot) -> None:
        """What a mistyped word may stand for; in the query's own language."""
        near = []
        for lang in self.likely:
            for other in self.table.similar(slot.text, lang, MAX_SLIPS):
                if len(slot.text) > SWAPPED or sorted(other.word) == sorted(fold(slot.text)):
                    near.append(((other.distance, not other.corpus), other.word, lang))
        for (distance, absent), word, lang in sorted(near)[:MAX_SLIPS]:
            slot.mistyped = True
            if not slot.corrected and not absent and is_slip(fold(slot.text), word):
                slot.corrected = self.table.unfolded(word, lang)
            self._mean(slot, word, lang, SLIP[distance])

    def _guess_ideas(self, slot: Slot, folded: str) -> None:
        """Take in words with the same idea."""
        ideas = ideas_of(folded, (*self.likely, "en"))
        for lang, words in matching_words(ideas, self.likely, self.vocabularies):
            for word in words:
                self._guess(slot, lang, word, IDEA)

    def _guess_alike(self, slot: Slot, folded: str) -> None:
        """Take in words that look alike."""
        for lang in self.likely:
            for word, part in self.vocabularies(lang).alike(folded, ALIKE_LEAST, ALIKE_MOST):
                self._guess(slot, lang, word, ALIKE * part)

    def _guess(self, slot: Slot, lang: str, word: str, weight: float) -> None:
        slot.add(lang, word, weight)
        slot.guesses.update(dict.fromkeys(word_terms(self.table, word, lang)))
