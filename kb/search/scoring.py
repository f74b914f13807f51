"""Which documents a query means, and how well each answers it: BM25 over the alternatives of every word.

The documents come first, as sets; only those that are left are scored. The formula is the same for every engine and the browser.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from itertools import compress, repeat
from operator import add

from kb.search.document import LENGTHS
from kb.search.engines.base import Index
from kb.search.expansion import Expansion, QueryExpander
from kb.search.filters import Mask
from kb.search.postings import Numbers
from kb.search.query import And, Node, Not, Or, leaves

K1, B = 1.2, 0.35
# A query of this many words or more that fewer rulings than this have whole also gets those that have most of them.
FEW = 3
EXACT_BONUS = 0.15
# What part of the words' weight a ruling must have, at least and of the best one's, to be found without having all.
LEAST, OF_BEST = 0.25, 0.6
# What a phrase counts among the words of a query, and how much more than their scores the words that a ruling has.
PHRASE_WEIGHT, COVERAGE_WEIGHT = 3.0, 10
# Looking a document up costs about as much as going through so many.
_LOOK_UP = 12
Scores = dict[int, float]
Documents = set[int]


class _Saturation(dict[tuple[int, int], float]):
    """BM25's term frequency part, by a weight in tenths and the step of a document's length."""

    def __init__(self, average: float) -> None:
        self.average = average

    def __missing__(self, key: tuple[int, int]) -> float:
        found = self[key] = self.of(key[0] / 10, key[1])
        return found

    def of(self, frequency: float, step: int) -> float:
        """The same of a frequency."""
        return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * LENGTHS[step] / self.average))


class Ranking:
    """Answers queries over one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.saturation = _Saturation(index.average_length)
        self.values = lru_cache(maxsize=1024)(self._values)

    def _values(self, term: str) -> Sequence[float]:
        """BM25's term frequency part for every document with a term."""
        found = self.index.postings(term)
        steps = map(self.index.lengths.__getitem__, found.docs)
        return array("d", map(self.saturation.__getitem__, zip(found.weights, steps, strict=True)))

    def begin(
        self, meanings: dict[Node, Expansion], reader: QueryExpander, allowed: Mask | None
    ) -> Scorer:
        """A query on its way."""
        return Scorer(self, meanings, reader, allowed)


class Scorer:
    """One query on its way: the meanings of its leaves and the documents that its filters leave."""

    def __init__(
        self,
        ranking: Ranking,
        meanings: dict[Node, Expansion],
        reader: QueryExpander,
        allowed: Mask | None,
    ) -> None:
        self.index, self.ranking = ranking.index, ranking
        self.meanings, self.reader, self.allowed = meanings, reader, allowed
        self._phrases: dict[int, dict[int, int]] = {}

    def all(self) -> Documents:
        """All documents that the filters leave."""
        live = self.index.live if self.allowed is None else map(min, self.index.live, self.allowed)
        return set(compress(range(len(self.index.live)), live))

    def answer(self, root: Node) -> tuple[Scores, bool]:
        """The documents that a query finds with their scores, and whether there are any that do not have every word."""
        for node in _negations(root):
            for leaf in leaves(node.node):
                self.meanings.setdefault(leaf, self.reader.meaning(leaf))
        found = self.documents(root)
        strict = self.scores(root, found)
        words = sum(not meaning.optional for meaning in self.meanings.values())
        if len(strict) >= FEW or (strict and words < FEW):
            return strict, False
        # Rulings with every word stay before all others.
        relaxed = self._relaxed(root, found)
        above = max(relaxed.values(), default=0.0)
        return {**relaxed, **{doc: 2 * above + score for doc, score in strict.items()}}, bool(
            relaxed
        )

    def documents(self, node: Node, within: Documents | None = None) -> Documents:
        """The documents that a part of a query means, of those `within` or of all that the filters leave."""
        if isinstance(node, Not):
            return set()
        if isinstance(node, Or):
            return set().union(*(self.documents(one, within) for one in node.nodes))
        if isinstance(node, And):
            return self._all_of(node, within)
        return self._having(self.meanings[node], within)

    def _all_of(self, node: And, within: Documents | None) -> Documents:
        found = within
        for one in sorted(self._needed(node), key=self._most):
            found = self.documents(one, found)
            if not found:
                return set()
        found = self.all() if found is None else found
        for one in node.nodes:
            if isinstance(one, Not):
                found = found - self._without(one)
        return found

    def _needed(self, node: And) -> list[Node]:
        wanted: list[Node] = [one for one in node.nodes if not isinstance(one, Not)]
        return [
            one for one in wanted if one not in self.meanings or not self.meanings[one].optional
        ] or wanted

    def _most(self, node: Node) -> int:
        """How many postings a part of a query has at most, roughly."""
        if isinstance(node, And):
            return min(map(self._most, self._needed(node)), default=self.index.count)
        if isinstance(node, Or):
            return sum(map(self._most, node.nodes))
        if isinstance(node, Not):
            return 0
        meaning = self.meanings[node]
        if meaning.kind == "phrase":
            return min((self._postings(terms) for terms in meaning.sequence), default=0)
        return self._postings(meaning.terms)

    def _postings(self, terms: Iterable[str]) -> int:
        return sum(len(self.index.postings(term).docs) for term in terms)

    def _without(self, node: Not) -> Documents:
        """The documents that a negated part excludes: by forms and lemmas, never by guesses at slips."""
        return (
            self.documents(node.node)
            if not any(self.meanings[one].corrected for one in leaves(node.node))
            else set()
        )

    def _having(self, meaning: Expansion, within: Documents | None) -> Documents:
        """The documents with any of a meaning's terms."""
        if meaning.kind == "phrase":
            found = self.phrase(meaning).keys()
            return self._left(found) if within is None else within & found
        lists = [self.index.postings(term).docs for term in meaning.terms]
        if within is None:
            return set().union(*map(self._left, lists))
        if len(within) * len(lists) * _LOOK_UP < sum(map(len, lists)):
            lists.sort(key=len, reverse=True)
            return {doc for doc in within if any(_at(docs, doc) >= 0 for docs in lists)}
        return set().union(*map(within.intersection, lists))

    def _left(self, docs: Iterable[int]) -> Documents:
        """The documents of some that the filters leave."""
        if self.allowed is None:
            return set(docs)
        held = tuple(docs) if not isinstance(docs, Sequence) else docs
        return set(compress(held, map(self.allowed.__getitem__, held)))

    def phrase(self, meaning: Expansion) -> dict[int, int]:
        """The documents with a phrase, filters or not, and how often it stands there."""
        if id(meaning) not in self._phrases:
            self._phrases[id(meaning)] = self._phrase(meaning)
        return self._phrases[id(meaning)]

    def _phrase(self, meaning: Expansion) -> dict[int, int]:
        documents: Documents | None = None
        for terms in meaning.sequence:
            here = {doc for term in terms for doc in self.index.postings(term).docs}
            documents = here if documents is None else documents & here
        if not documents:
            return {}
        places: dict[int, set[int]] = {}
        for offset, terms in enumerate(meaning.sequence):
            standing: dict[int, set[int]] = {}
            for term in terms:
                for doc, positions in self.index.places(term, documents).items():
                    standing.setdefault(doc, set()).update(
                        position - offset for position in positions
                    )
            places = (
                standing
                if not offset
                else {doc: places[doc] & standing[doc] for doc in places.keys() & standing.keys()}
            )
        return {doc: len(starts) for doc, starts in places.items() if starts}

    def scores(self, node: Node, docs: Collection[int]) -> Scores:
        """The scores of documents, all of which a part of a query means."""
        if isinstance(node, Not) or not docs:
            return {}
        if isinstance(node, Or):
            found: Scores = {}
            for one in node.nodes:
                for doc, score in self.scores(one, self.documents(one, set(docs))).items():
                    found[doc] = found.get(doc, 0.0) + score
            return found
        if isinstance(node, And):
            return self._sum([self.scores(one, docs) for one in self._needed(node)], list(docs))
        return self.leaf(self.meanings[node], docs)

    @staticmethod
    def _sum(parts: Sequence[Scores], docs: Sequence[int]) -> Scores:
        """The sums of scores that all have the same documents."""
        whole: Iterable[float] = [0.0] * len(docs)
        for part in parts:
            whole = list(map(add, whole, map(part.__getitem__, docs)))
        return dict(zip(docs, whole, strict=True))

    def leaf(self, meaning: Expansion, docs: Collection[int]) -> Scores:
        """The scores of those of some documents that have a word, a prefix or a phrase: the best form or lemma counts."""
        if meaning.kind == "phrase":
            return self._phrase_scores(meaning, docs)
        weight = self.rarity(meaning)
        forms: Scores = {}
        lemmas: Scores = {}
        for term, factor in meaning.terms.items():
            _raise(forms if "=" in term[:4] else lemmas, *self._values(term, docs), factor * weight)
        best = map(max, forms.values(), map(lemmas.get, forms, repeat(0.0)))
        lemmas.update(
            zip(forms, map(add, best, map(EXACT_BONUS.__mul__, forms.values())), strict=True)
        )
        return lemmas

    def _values(self, term: str, docs: Collection[int]) -> tuple[Sequence[int], Sequence[float]]:
        """Those of some documents that have a term, and BM25's term frequency part for each."""
        here: Sequence[int] = self.index.postings(term).docs
        values = self.ranking.values(term)
        if len(docs) * _LOOK_UP < len(here):
            places = [at for doc in docs if (at := _at(here, doc)) >= 0]
            here, values = [here[at] for at in places], [values[at] for at in places]
        elif len(docs) < self.index.count:
            inside = docs if isinstance(docs, set | dict) else set(docs)
            kept = list(map(inside.__contains__, here))
            if not all(kept):
                here, values = list(compress(here, kept)), list(compress(values, kept))
        return here, values

    def _phrase_scores(self, meaning: Expansion, docs: Collection[int]) -> Scores:
        found = self.phrase(meaning)
        rarity = self._inverse(len(found)) * len(meaning.sequence)
        lengths = self.index.lengths
        return {
            doc: rarity * self.ranking.saturation.of(1.0 + found[doc], lengths[doc])
            for doc in docs
            if doc in found
        }

    def rarity(self, meaning: Expansion) -> float:
        """BM25's inverse document frequency of a word as a whole: of its most frequent alternative."""
        return self._inverse(
            max((len(self.index.postings(term).docs) for term in meaning.terms), default=0)
        )

    def _inverse(self, frequency: int) -> float:
        return math.log(1 + (self.index.count - frequency + 0.5) / (frequency + 0.5))

    def _relaxed(self, root: Node, strict: Documents) -> Scores:
        """Rulings that have most of the words, weighted by rarity, but not all."""
        needed = [meaning for meaning in self.meanings.values() if not meaning.optional]
        if len(needed) < 2:
            return {}
        weights = [
            self.rarity(meaning) if meaning.kind != "phrase" else PHRASE_WEIGHT
            for meaning in needed
        ]
        whole = sum(weights)
        unwanted = set().union(*(self._without(node) for node in _negations(root)))
        has = self._words(needed, [weight / whole for weight in weights], unwanted)
        covered = {
            words: _sum_of(weight / whole for at, weight in enumerate(weights) if words >> at & 1)
            for words in set(has.values())
        }
        least = max(LEAST, OF_BEST * max(covered.values(), default=0.0))
        kept = {
            doc: words
            for doc, words in has.items()
            if covered[words] >= least and doc not in strict
        }
        scores: Scores = {}
        for at, meaning in enumerate(needed):
            for doc, score in self.leaf(
                meaning, {doc for doc, words in kept.items() if words >> at & 1}
            ).items():
                scores[doc] = scores.get(doc, 0.0) + score
        return {
            doc: COVERAGE_WEIGHT * covered[words] + scores.get(doc, 0.0)
            for doc, words in kept.items()
        }

    def _words(
        self, needed: Sequence[Expansion], weights: Sequence[float], unwanted: Documents
    ) -> dict[int, int]:
        """Which of the words a document has, as bits. Documents with none but light words, too few to count, may be left out."""
        has: dict[int, int] = {}
        light = 0.0
        light_words = set()
        for at in sorted(range(len(needed)), key=lambda at: weights[at]):
            light += weights[at]
            if light >= LEAST - 1e-9:
                break
            light_words.add(at)
        for at, meaning in enumerate(needed):
            if at not in light_words:
                for doc in self._having(meaning, None) - unwanted:
                    has[doc] = has.get(doc, 0) | 1 << at
        heavy = set(has)
        for at in light_words:
            for doc in self._having(needed[at], heavy):
                has[doc] |= 1 << at
        return has


def _raise(best: Scores, docs: Sequence[int], values: Sequence[float], weight: float) -> None:
    """Takes weighted values in where they are higher than what is there."""
    scores: Iterable[float] = map(weight.__mul__, values)
    if best:
        scores = map(max, scores, map(best.get, docs, repeat(0.0)))
    best.update(zip(docs, scores, strict=True))


def _at(docs: Numbers, doc: int) -> int:
    """The place of a document in postings, -1 when it is not there."""
    at = bisect_left(docs, doc)
    return at if at < len(docs) and docs[at] == doc else -1


def _sum_of(values: Iterable[float]) -> float:
    """A plain sum, in order, on every version of Python."""
    whole = 0.0
    for value in values:
        whole += value
    return whole


def _negations(node: Node | None) -> list[Not]:
    if isinstance(node, Not):
        return [node]
    return (
        [found for one in node.nodes for found in _negations(one)]
        if isinstance(node, And | Or)
        else []
    )
