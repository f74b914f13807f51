"""Turns the words of a query into slots: their meanings in texts and index, with weights."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import chain

from kb.language import FormTable, fold, parts
from kb.language.registry import query_stop_words
from kb.language.spelling import is_slip
from kb.search.jargon import ideas_of, matching_words
from kb.search.query import And, Leaf, Node, Not, Or, Query, query_words
from kb.search.vocabulary import Vocabulary, tokens, word_terms

# Weights of a word of the texts: the typed word itself, another form of its lemma, and a word with
# the typed prefix in another language than the reader's.
EXACT, FORM, OTHER_LANGUAGE = 1.0, 0.9, 0.8
# The factor of a word that the typed one, which has no diacritics, may stand for besides itself.
READING = 0.95
# The correction of a mistyped word, by its distance.
SLIP = {1: 0.7, 2: 0.6}
# A word with the same idea.
IDEA = 0.49
# A word with a lower weight is a guess: it adds to the score, but does not fill the slot.
PRESENT = 0.5
MAX_EXPANSION = 60
MAX_SLIPS = 6
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
# A number of more digits names a rule.
COUNT_DIGITS = 2
# In a word of at most this many letters only swapped letters count as a slip.
SWAPPED = 4
Weights = dict[str, float]
Vocabularies = Callable[[str], Vocabulary]


@cache
def stop_words(lang: str) -> frozenset[str]:
    """The folded stop words of a language and its sisters."""
    return frozenset(map(fold, query_stop_words(lang)))


@dataclass
class Slot:
    """A word, a prefix or a phrase of a query.

    `words`: the weights of the folded words that it means, by language; `terms`: its sure terms of
    the index; `guesses`: terms of guesses. A phrase has a `sequence` instead, a slot for each word.
    `optional`: it is not rated unless all slots are optional. `is_count`: a number that counts
    something, where a ruling may state another one: "2 pilots" asks how many there may be. Neither
    is needed for a full match beside other slots. `mistyped`: it means corrections, `slipped`: one
    of a slip of the finger; `corrected`: the one correction of the texts that is almost certain.
    """

    text: str
    words: dict[str, Weights] = field(default_factory=dict)
    terms: dict[str, None] = field(default_factory=dict)
    guesses: dict[str, None] = field(default_factory=dict)
    sequence: list[Slot] = field(default_factory=list)
    optional: bool = False
    is_count: bool = False
    mistyped: bool = False
    slipped: bool = False
    corrected: str = ""

    @property
    def needed(self) -> bool:
        """Whether a full match must have it, beside other slots."""
        return not (self.optional or self.is_count)

    @property
    def parts(self) -> list[Slot]:
        """The slots of the words of a phrase, else this slot."""
        return self.sequence or [self]

    def add(self, lang: str, word: str, weight: float) -> None:
        """Add a word, or raise its weight."""
        words = self.words.setdefault(lang, {})
        if weight > words.get(word, 0.0):
            words[word] = weight


def as_typed(slot: Slot) -> Slot:
    """An optional slot reduced to the typed word; any other slot as it is."""
    if not slot.optional:
        return slot
    typed = fold(slot.text)
    words = {lang: {typed: known[typed]} for lang, known in slot.words.items() if typed in known}
    return replace(slot, words=words)


def likely_languages(query: Query, languages: Sequence[str], table: FormTable) -> list[str]:
    """The languages that a query is most likely written in: those that know most of its words."""
    words = [word for word in query_words(query) if not _NUMBER.fullmatch(word)]
    counts = {lang: sum(is_familiar(word, lang, table) for word in words) for lang in languages}
    most = max(counts.values(), default=0)
    return [lang for lang in languages if counts[lang] == most]


def is_familiar(word: str, lang: str, table: FormTable) -> bool:
    """Whether a language has a word."""
    return fold(word) in stop_words(lang) or table.known(word, lang)


def divided(node: Node, table: FormTable, languages: Sequence[str]) -> Node:
    """A query whose unknown hyphenated words are replaced by the words that the hyphens join."""
    if isinstance(node, Not):
        return Not(divided(node.node, table, languages))
    if isinstance(node, And | Or):
        return type(node)(tuple(divided(part, table, languages) for part in node.nodes))

    def known(word: str) -> bool:
        return any(table.known(word, lang) for lang in languages)

    def divide(word: str) -> Sequence[str]:
        joined, *pieces = parts(word) or ("",)
        is_divided = pieces and not known(word) and not known(joined) and all(map(known, pieces))
        return pieces if is_divided else (word,)

    words = [*chain.from_iterable(map(divide, node.words))]
    if node.kind == "prefix" or len(words) == len(node.words):
        return node
    if node.kind == "phrase":
        return Leaf("phrase", " ".join(words))
    return And(tuple(Leaf("word", word) for word in words))


class QueryExpander:
    """Turns the leaves of a query into slots.

    `likely`: the languages, among `languages`, that the query may be written in; `reader`: the
    reader's own, whose words come first among those with a prefix and among corrections.
    """

    def __init__(
        self,
        table: FormTable,
        vocabularies: Vocabularies,
        languages: Sequence[str],
        likely: Sequence[str],
        reader: str = "",
    ) -> None:
        self.table, self.vocabularies = table, vocabularies
        self.languages, self.likely, self.reader = languages, likely, reader

    def slot(self, leaf: Leaf) -> Slot:
        """The slot of a leaf; a phrase matches its words as written."""
        if leaf.kind == "phrase":
            return Slot(leaf.text, sequence=[*map(self._as_written, tokens(leaf.words))])
        return self._prefix(leaf.text) if leaf.kind == "prefix" else self._word(leaf.text)

    def by_lemmas(self, phrase: Slot) -> Slot:
        """The slot of a phrase that matches any forms of its words."""
        return Slot(phrase.text, sequence=[*map(self._word, tokens(phrase.text.split(" ")))])

    def _as_written(self, token: str) -> Slot:
        slot = Slot(token)
        for lang in self.languages:
            self._add_form(slot, lang, token, EXACT)
        return slot

    def _prefix(self, text: str) -> Slot:
        slot = Slot(text)
        for lang in self.languages:
            weight = EXACT if self.reader in (lang, "") else OTHER_LANGUAGE
            for word in self.vocabularies(lang).shortest(fold(text), MAX_EXPANSION):
                self._add_form(slot, lang, word, weight)
        return slot

    def _add_form(self, slot: Slot, lang: str, word: str, weight: float) -> None:
        """Add a folded word of the texts, and no other form of its lemmas."""
        slot.add(lang, word, weight)
        slot.terms.update(dict.fromkeys(word_terms(self.table, word, lang)))

    def _word(self, text: str) -> Slot:
        slot = Slot(text)
        folded = fold(text)
        slot.optional = len(text) == 1 and not text.isdigit()
        if _NUMBER.fullmatch(text):
            slot.is_count = len(text) <= COUNT_DIGITS
            slot.add("", text, EXACT)
            slot.terms[f"#{text}"] = None
            for lang in self.languages:
                self._mean(slot, text, lang, EXACT)
            return slot
        slot.optional |= any(folded in stop_words(lang) for lang in self.likely)
        for knowing in (self.likely, self.languages):
            languages = [lang for lang in knowing if self.table.known(text, lang)]
            if languages:
                break
        for lang in languages:
            self._mean(slot, text, lang, EXACT)
        if not slot.optional:
            if not languages:
                self._correct(slot)
            self._guess_ideas(slot, folded)
        return slot

    def _mean(self, slot: Slot, word: str, lang: str, weight: float) -> None:
        """Add the meanings of a word of a language."""
        by_lemma = self.vocabularies(lang).by_lemma
        for form in (word, *parts(word)[:1]):
            slot.add(lang, fold(form), weight)
            analysis = self.table.analyse(form, lang)
            for lemmas, factor in ((analysis.lemmas, FORM), (analysis.others, FORM * READING)):
                for lemma in lemmas:
                    slot.terms[f"{lang}:{lemma}"] = None
                    name = [lemma[1:]] if lemma[0] == "^" else []
                    for other in (*name, *by_lemma.get(lemma, ())):
                        slot.add(lang, other, factor * weight)

    def _correct(self, slot: Slot) -> None:
        """Add the corrections of a mistyped word, in the likely languages."""
        folded = fold(slot.text)
        near = [
            (other.distance, not other.corpus, other.word, lang)
            for lang in self.likely
            for other in self.table.similar(slot.text, lang, MAX_SLIPS)
            if len(folded) > SWAPPED or sorted(other.word) == sorted(folded)
        ]
        nearest = sorted(near)[:MAX_SLIPS]
        for distance, _, word, lang in nearest:
            slot.mistyped = True
            slot.slipped |= is_slip(folded, word)
            self._mean(slot, word, lang, SLIP[distance])
        # The reader's language before English, and English before the others.
        meant = [
            (distance, lang != self.reader, lang != "en", word, lang)
            for distance, is_absent, word, lang in nearest
            if not is_absent and is_slip(folded, word)
        ]
        if meant:
            *_, word, lang = min(meant)
            slot.corrected = self.table.unfolded(word, lang)

    def _guess_ideas(self, slot: Slot, folded: str) -> None:
        """Add guesses at words with the same idea."""
        ideas = ideas_of(folded, (*self.likely, "en"))
        for lang, word in matching_words(ideas, self.likely, self.vocabularies):
            self._guess(slot, lang, word, IDEA)

    def _guess(self, slot: Slot, lang: str, word: str, weight: float) -> None:
        slot.add(lang, word, weight)
        slot.guesses.update(dict.fromkeys(word_terms(self.table, word, lang)))
