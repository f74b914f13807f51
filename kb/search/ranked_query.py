"""Runs a query with words: expand its words, retrieve candidates, rate them, choose which to show.

The rulings with every word that matters are full matches. If there are too few, rulings with any
of the words are rated too, and the best of these partial matches follow.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import compress
from math import log
from typing import Literal, NamedTuple

from kb.search.document import value_term
from kb.search.engines.base import AllOf, AnyOf, Candidate, Condition, Index, Without
from kb.search.expansion import IDEA, QueryExpander, Slot, as_typed
from kb.search.filters import Selection
from kb.search.query import And, Leaf, Node, Not, Or, leaves
from kb.search.ranking import (
    SURE,
    UNLIKELY,
    Confidence,
    Rating,
    Scorer,
    certainty,
    has_rival,
    rarity,
)

# At most this many candidates are rated. A phrase needs more, because the engine finds only its
# words: whether they stand side by side shows in the candidate.
CANDIDATES, PHRASE_CANDIDATES = 200, 2_000
# A query of FEW words or more shows partial matches too, unless it has FEW full matches.
FEW = 3
# A partial match is shown from this part of the best partial score, and at most this many of them.
OF_BEST, MOST_PARTIAL = 0.5, 20
# Partial matches are a guess ("near") below this certainty: the score of the first, plus the
# logarithm of the number of words, since half of a long question says more than half of a short
# one. Of the questions in tests/gold/asker.tsv, 11 of the 70 without an answer pass, and 34 of the
# 217 with one do not.
CERTAIN = 3.02
# A ruling with at least this part of an open question's score may decide what was asked.
BESIDE_OPEN = 0.8
Match = Literal["all", "most", "near", "none"]
# Documents of the rarest words; the other words are not looked up.
BUDGET = 4_000
# Terms of guesses that are looked up too, the rarest first.
GUESSES = 40


class RankedCandidate(NamedTuple):
    """A candidate with its rating, and how well it matches: all for a full match."""

    candidate: Candidate
    rating: Rating
    match: Match


@dataclass(frozen=True)
class Ranking:
    """The candidates to show, best first; partial matches come after the full ones.

    `total`: the number of full matches; `match`: of the first candidate. `unknown`: the words that
    no ruling of its game has.
    """

    ranked: Sequence[RankedCandidate] = ()
    total: int = 0
    match: Match = "none"
    confidence: Confidence = "none"
    slots: Sequence[Slot] = ()
    unknown: tuple[str, ...] = ()

    @property
    def partial(self) -> int:
        return sum(ranked.match != "all" for ranked in self.ranked)

    def corrections(self) -> dict[str, str]:
        """The corrections of mistyped words, by the word as typed.

        Empty unless the best ruling has all words that are needed.
        """
        best = self.ranked[0].rating.best if self.ranked else ()
        weights = list(zip(self.slots, best, strict=False))
        if not all(weight or not slot.needed for slot, weight in weights):
            return {}
        return {slot.text: slot.corrected for slot, weight in weights if slot.corrected and weight}


class RankedQuery:
    """A query with words, over one index."""

    def __init__(
        self,
        index: Index,
        expander: QueryExpander,
        root: Node,
        selection: Selection,
    ) -> None:
        self.index, self.expander, self.root = index, expander, root
        self.selection = selection
        self.wanted = list(dict.fromkeys(leaves(root)))
        every = dict.fromkeys((*self.wanted, *leaves(root, excluded=True)))
        self.slots = {leaf: expander.slot(leaf) for leaf in every}
        if not all(self.slots[leaf].optional for leaf in self.wanted):
            self.slots |= {leaf: as_typed(self.slots[leaf]) for leaf in self.wanted}
        for leaf, slot in self.slots.items():
            # Never exclude rulings by the correction of a slip.
            if slot.mistyped and leaf not in self.wanted:
                self.slots[leaf] = replace(slot, terms={}, words={})
        self.full_total = 0
        # Whether rulings with only some of the words are candidates too.
        self.is_wide = False

    @property
    def required(self) -> list[Slot]:
        """The slots that are rated: all but the optional ones, if there are others."""
        slots = [self.slots[leaf] for leaf in self.wanted]
        return [slot for slot in slots if not slot.optional] or slots

    @property
    def phrases(self) -> list[Leaf]:
        return [leaf for leaf in self.wanted if leaf.kind == "phrase"]

    @property
    def enough(self) -> int:
        """How many full matches there must be to show no partial ones."""
        return 1 if len(self.required) < FEW else FEW

    def rank(self) -> Ranking:
        """Rank the candidates. If no ruling has a phrase as written, look for its lemmas."""
        full, partials = self._rate()
        if not full and self.phrases:
            for phrase in self.phrases:
                self.slots[phrase] = self.expander.by_lemmas(self.slots[phrase])
            full, partials = self._rate()
        if len(full) < self.enough and not self.is_wide:
            self.is_wide = True
            full, partials = self._rate()
        slots = [self.slots[leaf] for leaf in self.wanted]
        if len(full) >= self.enough:
            total = max(self.full_total, len(full))
            return self._ranking(full, total, slots)
        least = OF_BEST * partials[0].rating.score if partials else 0.0
        shown = [
            partial._replace(match=_partial_match(partial.rating))
            for partial in partials[:MOST_PARTIAL]
            if partial.rating.score >= least
        ]
        ranked = [*full, *shown]
        if not full and not (shown and _has_ground(shown[0].rating, slots)):
            return Ranking(slots=slots)
        return self._ranking(ranked, len(full), slots)

    def _ranking(
        self, ranked: Sequence[RankedCandidate], total: int, slots: Sequence[Slot]
    ) -> Ranking:
        unknown = tuple(self._unknown_words(ranked[0]))
        confidence = self._confidence(ranked, bool(unknown))
        return Ranking(ranked, total, ranked[0].match, confidence, slots, unknown)

    def _confidence(self, ranked: Sequence[RankedCandidate], has_unknown: bool) -> Confidence:
        first = ranked[0]
        best = [(self._stated(match), match.rating.score) for match in ranked[:2]]
        sure = certainty(best, len(self.required))
        if sure >= SURE:
            is_unsure = first.match == "near" or has_rival(best) or _may_decide(ranked)
        else:
            is_unsure = sure >= UNLIKELY or first.match == "all"
        # An unknown word may mean anything, so the answer is never denied because of it.
        if has_unknown or is_unsure:
            return "close"
        return "answer" if sure >= SURE and first.candidate.kind != "question" else "none"

    def _stated(self, ranked: RankedCandidate) -> float:
        return self._scorer.stated(ranked.candidate.packed, ranked.candidate.kind)

    def _unknown_words(self, ranked: RankedCandidate) -> Iterator[str]:
        """Yield the required words that no ruling of a candidate's game has."""
        game = value_term("game", ranked.candidate.game)
        required = {id(slot) for slot in self.required}
        lacking = (
            slot
            for slot, weight in zip(self.slots.values(), ranked.rating.best, strict=True)
            if not weight and id(slot) in required
        )
        for slot in lacking:
            parts = (AnyOf(tuple(part.terms)) for part in slot.parts)
            if not self.index.total(AllOf((game, *parts))):
                yield slot.text

    def _rate(self) -> tuple[list[RankedCandidate], list[RankedCandidate]]:
        """The full and the partial matches among the candidates, best first."""
        frequencies = self._frequencies()
        # Excluded words are matched, never rated.
        required = {id(slot) for slot in self.required}
        rarities = [
            sum(self._rarity(part.terms, frequencies) for part in slot.parts)
            if id(slot) in required
            else 0.0
            for slot in self.slots.values()
        ]
        self._scorer = scorer = Scorer(list(self.slots.values()), rarities)
        negated = negations(self.root)

        # Many candidates have the same slots, so the answers are cached.
        @cache
        def is_full(present: tuple[bool, ...]) -> bool:
            return self._meets(self.root, set(compress(self.slots, present)))

        @cache
        def is_excluded(present: tuple[bool, ...]) -> bool:
            leaves = set(compress(self.slots, present))
            return any(self._meets(negation.node, leaves) for negation in negated)

        matches = []
        for candidate in self._candidates(frequencies):
            rating = scorer.rate(candidate.packed, candidate.kind)
            if rating.score and not (negated and is_excluded(rating.present)):
                match: Match = "all" if is_full(rating.present) else "near"
                matches.append(RankedCandidate(candidate, rating, match))
        matches.sort(key=lambda match: (-match.rating.score, match.candidate.key))
        full = [match for match in matches if match.match == "all"]
        return full, [match for match in matches if match.match != "all"]

    def _candidates(self, frequencies: Mapping[str, int]) -> list[Candidate]:
        # Excluded phrases too: only rating a candidate shows whether it has one.
        has_phrase = any(leaf.kind == "phrase" for leaf in self.slots)
        limit = PHRASE_CANDIDATES if has_phrase else CANDIDATES
        condition = self.selection.of(self._every_word(self.root))
        numbers = self.index.best(condition, limit)
        # The engine cannot count the documents with a phrase.
        if not has_phrase:
            self.full_total = 0 if len(numbers) < limit else self.index.total(condition)
        if len(numbers) < self.enough or has_phrase:
            self.is_wide = True
        if self.is_wide:
            nearby = any_word(self.required, frequencies)
            numbers += self.index.best(self.selection.of(nearby), CANDIDATES)
        return self.index.candidates(dict.fromkeys(numbers))

    def _frequencies(self) -> dict[str, int]:
        slots = self.slots.values()
        terms = {term for slot in slots for part in slot.parts for term in part.terms}
        terms |= {term for slot in slots for term in slot.guesses}
        terms |= {value_term("lang", lang) for lang in self.expander.languages}
        return self.index.frequencies(terms)

    def _rarity(self, terms: Iterable[str], frequencies: Mapping[str, int]) -> float:
        """The rarity of the most frequent term, in the language where it is least rare.

        A term of no document counts as if one document had it.
        """
        frequency_by_language: dict[str, int] = {}
        for term in terms:
            lang = "" if term[0] == "#" else term.partition(":")[0]
            frequency = frequencies.get(term, 0)
            frequency_by_language[lang] = max(frequency_by_language.get(lang, 0), frequency)
        rarities = [
            rarity(self._documents(lang, frequencies), frequency)
            for lang, frequency in frequency_by_language.items()
            if frequency
        ]
        likely = self.expander.likely
        documents = self._documents(likely[0] if likely else "", frequencies)
        return min(rarities, default=rarity(documents, 1))

    def _documents(self, lang: str, frequencies: Mapping[str, int]) -> int:
        """How many documents have a text in a language; of all without a language."""
        return frequencies.get(value_term("lang", lang), self.index.count)

    def _every_word(self, node: Node) -> Condition:
        """The condition for full matches; for a phrase, that its words occur."""
        if isinstance(node, Leaf):
            return AllOf(tuple(AnyOf(tuple(part.terms)) for part in self.slots[node].parts))
        if isinstance(node, Or):
            return AnyOf(tuple(map(self._every_word, node.nodes)))
        if isinstance(node, Not):
            return AnyOf(())
        wanted = AllOf(tuple(map(self._every_word, self._needed(node))))
        # A document with the words of an excluded phrase may not have the phrase itself.
        unwanted = [
            self._every_word(part.node)
            for part in node.nodes
            if isinstance(part, Not) and all(leaf.kind != "phrase" for leaf in leaves(part.node))
        ]
        return Without(wanted, AnyOf(tuple(unwanted))) if unwanted else wanted

    def _needed(self, node: And) -> list[Node]:
        """The parts that a full match must have: those needed, else those rated, else all."""
        positive: list[Node] = [part for part in node.nodes if not isinstance(part, Not)]
        words = [part for part in positive if isinstance(part, Leaf)]
        spared = [part for part in words if not self.slots[part].needed]
        optional = [part for part in words if self.slots[part].optional]
        for less in (spared, optional):
            if needed := [part for part in positive if part not in less]:
                return needed
        return positive

    def _meets(self, node: Node, present: Container[Node]) -> bool:
        """Whether a candidate with the leaves `present` is a full match of a part of a query."""
        if isinstance(node, Leaf):
            return node in present
        if isinstance(node, Or):
            return any(self._meets(part, present) for part in node.nodes)
        if isinstance(node, Not):
            return not self._meets(node.node, present)
        unwanted = [part for part in node.nodes if isinstance(part, Not)]
        return all(self._meets(part, present) for part in (*self._needed(node), *unwanted))


def _may_decide(ranked: Sequence[RankedCandidate]) -> bool:
    """Whether a ruling follows the record of an open question closely."""
    first, *others = ranked
    least = BESIDE_OPEN * first.rating.score
    return first.candidate.kind == "question" and any(
        other.rating.score >= least and other.candidate.kind != "question" for other in others
    )


def _partial_match(rating: Rating) -> Match:
    """Return `most` for a partial match with enough of the words, `near` for a guess."""
    return "most" if rating.score + log(len(rating.best)) >= CERTAIN else "near"


def _has_ground(rating: Rating, slots: Sequence[Slot]) -> bool:
    """Whether a partial match of several words has any of them, or an idea of it.

    If all present words are typing slips, they must be at least half of the required words.
    """
    required = [at for at, slot in enumerate(slots) if not slot.optional] or range(len(slots))
    present = [slots[at] for at in required if rating.best[at] >= IDEA]
    slipped = sum(slot.slipped for slot in present)
    is_typed = not all(slot.mistyped for slot in present)
    return len(required) <= 1 or is_typed or 2 * slipped >= len(required)


def any_word(slots: Sequence[Slot], frequencies: Mapping[str, int]) -> Condition:
    """The condition that any of the words occurs: the rarest words that BUDGET allows."""
    terms: dict[str, None] = {}
    words = [
        {term: None for term in part.terms if frequencies.get(term)}
        for slot in slots
        for part in slot.parts
    ]
    documents = 0
    for word in sorted(words, key=lambda word: sum(frequencies[term] for term in word)):
        documents += sum(frequencies[term] for term in word)
        if documents > BUDGET and terms:
            break
        terms |= word
    guesses = {term for slot in slots for term in slot.guesses if frequencies.get(term)}
    for term in sorted(guesses, key=lambda term: (frequencies[term], term))[:GUESSES]:
        documents += frequencies[term]
        if documents > BUDGET and terms:
            break
        terms[term] = None
    return AnyOf(tuple(terms))


def negations(node: Node) -> list[Not]:
    """The excluded parts of a query."""
    if isinstance(node, Not):
        return [node]
    if isinstance(node, And | Or):
        return [negation for part in node.nodes for negation in negations(part)]
    return []
