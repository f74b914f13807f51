"""The engine's candidates for the slots of a query, ranked, and how well they match."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress
from math import log
from typing import Literal, NamedTuple

from kb.search.document import value_term
from kb.search.engines.base import AllOf, AnyOf, Candidate, Condition, Index, Without
from kb.search.expansion import QueryExpander, Slot, as_typed
from kb.search.filters import Selection
from kb.search.query import And, Node, Not, Or, leaves
from kb.search.ranking import Rating, Scorer, rarity

# So many candidates are ranked; more where a phrase has to be looked for in them.
CANDIDATES, PHRASE_CANDIDATES = 200, 2_000
# A query of this many words or more that fewer rulings than this have whole also gets those that
# have most of them.
FEW = 3
# A ruling that does not have all words needs this part of the best score, and this score; so many
# are shown at most.
OF_BEST, LEAST_SCORE, MOST_PARTIAL = 0.5, 0.2, 20
# From which certainty on rulings that do not have all words are more than a guess: the score of
# the first, a part of its lead over the second, and the logarithm of how many words the query has,
# since half of a long question says more than half of a short one. Chosen on
# tests/gold/asker.tsv: of its 70 questions without an answer 8 pass.
CERTAIN, AHEAD = 3.1, 0.25
Match = Literal["all", "most", "near", "none"]
# So many documents at most are looked at for what has any of the words: those of the rarest words.
BUDGET = 4_000
# Terms of guesses at most, besides.
GUESSES = 40
Slots = Mapping[Node, Slot]


class Ranked(NamedTuple):
    """A candidate with its rating; `full`: it has every word that matters."""

    candidate: Candidate
    rating: Rating
    full: bool


@dataclass(frozen=True)
class Ranking:
    """The candidates worth showing, best first, and how many rulings match how well."""

    ranked: Sequence[Ranked]
    total: int
    match: Match
    slots: Sequence[Slot]

    def corrections(self) -> dict[str, str]:
        """Typed words with a slip and what they stand for, where the best ruling has that."""
        best = self.ranked[0].rating.best if self.ranked else ()
        return {
            slot.text: slot.corrected
            for slot, weight in zip(self.slots, best, strict=False)
            if slot.corrected and weight
        }


class RankedQuery:
    """A query with words, over one index. `own`: the language of each game by its id."""

    def __init__(
        self,
        index: Index,
        expander: QueryExpander,
        root: Node,
        selection: Selection,
        own: Mapping[str, str],
    ) -> None:
        self.index, self.expander, self.root = index, expander, root
        self.selection, self.own = selection, own
        self.slots: dict[Node, Slot] = {}
        for node in leaves(root):
            self.slots.setdefault(node, expander.slot(node))
        if any(not slot.optional for slot in self.slots.values()):
            self.slots = {node: as_typed(slot) for node, slot in self.slots.items()}
        # What a query excludes is matched, never rated; guesses at slips exclude nothing.
        self.excluded: dict[Node, Slot] = {}
        for node in all_leaves(root):
            if node not in self.slots:
                slot = expander.slot(node)
                self.excluded[node] = replace(slot, terms={}, words={}) if slot.mistyped else slot
        self.full_total = 0
        # Whether rulings with any of the words are candidates too.
        self.is_wide = False

    @property
    def required(self) -> list[Slot]:
        """The slots that matter."""
        slots = list(self.slots.values())
        return [slot for slot in slots if not slot.optional] or slots

    def rank(self) -> Ranking:
        """Rank the candidates; a phrase that nothing has as written is looked for by lemmas."""
        full, partial = self._rate()
        if not full and any(slot.kind == "phrase" for slot in self.slots.values()):
            for node, slot in self.slots.items():
                if slot.kind == "phrase":
                    self.slots[node] = self.expander.by_lemmas(slot)
            full, partial = self._rate()
        if len(full) < self._enough() and not self.is_wide:
            self.is_wide = True
            full, partial = self._rate()
        slots = list(self.slots.values())
        if len(full) >= self._enough():
            return Ranking(full, max(self.full_total, len(full)), "all", slots)
        best = partial[0].rating.score if partial else 0.0
        least = max(LEAST_SCORE, OF_BEST * best)
        shown = [one for one in partial[:MOST_PARTIAL] if one.rating.score >= least]
        ranked = [*full, *shown]
        return Ranking(ranked, len(ranked), _match(ranked), slots)

    def _enough(self) -> int:
        """With so many full matches no partial ones are shown."""
        return 1 if len(self.required) < FEW else FEW

    def _rate(self) -> tuple[list[Ranked], list[Ranked]]:
        """The candidates that have every word, and the others."""
        slots = {**self.slots, **self.excluded}
        frequencies = self._frequencies(list(slots.values()))
        required = {id(slot) for slot in self.required}
        rarities = [
            self._rarity(slot, frequencies) if id(slot) in required else 0.0
            for slot in slots.values()
        ]
        quoted = rarity(self.index.count, 1)
        scorer = Scorer(list(slots.values()), rarities, self.expander.likely, quoted)
        negated = negations(self.root)

        # Many candidates have the same slots.
        @cache
        def is_full(present: tuple[bool, ...]) -> bool:
            return meets(self.root, set(compress(slots, present)), slots)

        @cache
        def is_excluded(present: tuple[bool, ...]) -> bool:
            having = set(compress(slots, present))
            return any(meets(negation.node, having, slots) for negation in negated)

        ranked = []
        for candidate in self._candidates(slots, frequencies):
            rating = scorer.rate(candidate.packed, candidate.kind, self.own[candidate.game])
            if rating.score and not (negated and is_excluded(rating.present)):
                ranked.append(Ranked(candidate, rating, is_full(rating.present_together)))
        ranked.sort(key=lambda one: (-one.rating.score, one.candidate.key))
        return [one for one in ranked if one.full], [one for one in ranked if not one.full]

    def _candidates(
        self, slots: Mapping[Node, Slot], frequencies: Mapping[str, int]
    ) -> list[Candidate]:
        has_phrase = any(slot.kind == "phrase" for slot in slots.values())
        limit = PHRASE_CANDIDATES if has_phrase else CANDIDATES
        condition = self.selection.of(every_word(self.root, slots))
        numbers = self.index.best(condition, limit)
        # Whether a document has a phrase is known of candidates alone.
        if not has_phrase:
            self.full_total = 0 if len(numbers) < limit else self.index.total(condition)
        if len(numbers) < self._enough() or has_phrase:
            self.is_wide = True
        if self.is_wide:
            nearby = any_word(self.required, frequencies)
            numbers += self.index.best(self.selection.of(nearby), CANDIDATES)
        return self.index.candidates(dict.fromkeys(numbers))

    def _frequencies(self, slots: Sequence[Slot]) -> dict[str, int]:
        terms = {term for slot in slots for term in (*slot.terms, *slot.guesses)}
        terms |= {term for slot in slots for several in slot.word_terms for term in several}
        terms |= {value_term("lang", lang) for lang in self.expander.languages}
        return self.index.frequencies(terms)

    def _rarity(self, slot: Slot, frequencies: Mapping[str, int]) -> float:
        """The rarity of what a slot means, of a phrase the sum of those of its words."""
        if slot.kind == "phrase":
            return sum(self._rarity_of(terms, frequencies) for terms in slot.word_terms)
        return self._rarity_of(slot.terms, frequencies)

    def _rarity_of(self, terms: Iterable[str], frequencies: Mapping[str, int]) -> float:
        """By the most frequent term, in the language where that is least rare.

        What nothing has is as rare as what one has.
        """
        highest: dict[str, int] = {}
        for term in terms:
            lang = "" if term[0] == "#" else term.partition(":")[0]
            highest[lang] = max(highest.get(lang, 0), frequencies.get(term, 0))
        rarities = [
            rarity(self._documents(lang, frequencies), frequency)
            for lang, frequency in highest.items()
            if frequency
        ]
        likely = self.expander.likely
        documents = self._documents(likely[0] if likely else "", frequencies)
        return min(rarities, default=rarity(documents, 1))

    def _documents(self, lang: str, frequencies: Mapping[str, int]) -> int:
        """How many documents have a text in a language; all for none."""
        return frequencies.get(value_term("lang", lang), self.index.count)


def _match(ranked: Sequence[Ranked]) -> Match:
    """How well the best of some candidates match."""
    if not ranked:
        return "none"
    first = ranked[0]
    if first.full:
        return "all"
    ahead = first.rating.score - (ranked[1].rating.score if len(ranked) > 1 else 0.0)
    certainty = first.rating.score + AHEAD * ahead + log(len(first.rating.best))
    return "most" if certainty >= CERTAIN else "near"


def every_word(node: Node, slots: Slots) -> Condition:
    """The documents with every word that matters; a phrase is taken for its words."""
    if isinstance(node, Or):
        return AnyOf(tuple(every_word(part, slots) for part in node.nodes))
    if isinstance(node, Not):
        return AnyOf(())
    if isinstance(node, And):
        wanted = AllOf(tuple(every_word(part, slots) for part in needed(node, slots)))
        # What has the words of an excluded phrase need not have the phrase.
        unwanted = [
            every_word(part.node, slots)
            for part in node.nodes
            if isinstance(part, Not)
            and not any(_is_phrase(leaf, slots) for leaf in leaves(part.node))
        ]
        return Without(wanted, AnyOf(tuple(unwanted))) if unwanted else wanted
    return slot_condition(slots[node])


def needed(node: And, slots: Slots) -> list[Node]:
    """The parts that a full match must have: not words that matter only where nothing else does."""
    wanted: list[Node] = [part for part in node.nodes if not isinstance(part, Not)]
    return [part for part in wanted if part not in slots or not slots[part].optional] or wanted


def _is_phrase(leaf: Node, slots: Slots) -> bool:
    return slots[leaf].kind == "phrase"


def slot_condition(slot: Slot) -> Condition:
    """The documents with what a slot surely means; of a phrase with all of its words."""
    if slot.kind == "phrase":
        return AllOf(tuple(AnyOf(tuple(terms)) for terms in slot.word_terms))
    return AnyOf(tuple(slot.terms))


def any_word(slots: Sequence[Slot], frequencies: Mapping[str, int]) -> Condition:
    """The documents with any of the words, from the rarest on, as far as the budget goes."""
    terms: dict[str, None] = {}
    words = [slot.terms for slot in slots]
    words += [terms for slot in slots for terms in slot.word_terms]
    documents = 0
    for several in sorted(words, key=lambda several: sum(frequencies.get(t, 0) for t in several)):
        here = [term for term in several if frequencies.get(term)]
        documents += sum(frequencies[term] for term in here)
        if documents > BUDGET and terms:
            break
        terms.update(dict.fromkeys(here))
    guesses = {term for slot in slots for term in slot.guesses if frequencies.get(term)}
    for term in sorted(guesses, key=lambda term: (frequencies[term], term))[:GUESSES]:
        documents += frequencies[term]
        if documents > BUDGET and terms:
            break
        terms[term] = None
    return AnyOf(tuple(terms))


def meets(node: Node, present: Container[Node], slots: Slots) -> bool:
    """Whether what is present in a candidate is all that matters of a part of a query."""
    if isinstance(node, Or):
        return any(meets(part, present, slots) for part in node.nodes)
    if isinstance(node, Not):
        return not meets(node.node, present, slots)
    if isinstance(node, And):
        unwanted = [part for part in node.nodes if isinstance(part, Not)]
        return all(meets(part, present, slots) for part in (*needed(node, slots), *unwanted))
    return node in present


def negations(node: Node | None) -> list[Not]:
    """What a query excludes."""
    if isinstance(node, Not):
        return [node]
    if isinstance(node, And | Or):
        return [found for part in node.nodes for found in negations(part)]
    return []


def all_leaves(node: Node | None) -> Iterable[Node]:
    """The leaves of a query, those below negations too."""
    yield from leaves(node)
    for negation in negations(node):
        yield from all_leaves(negation.node)
