"""Searching: query -> ranked rulings, with snippets. The ranking is ours; an engine only gives postings."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from kb.index.engine import Engine
from kb.index.filters import select
from kb.index.meaning import Meaning, Reader, scope
from kb.index.query import And, Filter, Node, Not, Or, Query, leaves, parse
from kb.index.snippets import Snippets
from kb.language import LANGUAGES, Table
from kb.store.queries import Store, StoredRuling

K1, B = 1.2, 0.35
# The best of these by their words alone are ordered by their titles and the nearness of the words; the gold queries are
# answered as well with 10 as with 40, and a browser has no more texts to load than it shows.
RERANKED = 10
# A query of this many words or more that fewer rulings than this have whole also gets those that have most of them.
FEW = 3
EXACT_BONUS = 0.15
TITLE_BONUS = 0.5
NEAR_BONUS = 0.25
KIND = {"example": 0.88, "note": 0.94}
Scores = dict[int, float]


@dataclass(frozen=True)
class Hit:
    """One result. `snippet` is plain text of `lang`; `highlights` are the places (code points) of the words that matched."""

    ruling: StoredRuling
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    lang: str
    score: float


@dataclass(frozen=True)
class Answer:
    """What a search found: the best `results` of `total`.

    `relaxed`: no ruling has every word; `suggestion`: the query without its slips of the finger.
    """

    query: str
    total: int
    took_ms: float
    relaxed: bool
    suggestion: str | None
    results: tuple[Hit, ...]


@dataclass
class _Work:
    """One query on its way: its parsed form, the meanings of its leaves and the documents that the filters leave."""

    queried: Query
    meanings: dict[Node, Meaning] = field(default_factory=dict)
    allowed: set[int] | None = None
    excluded: set[int] = field(default_factory=set)

    def keep(self, scores: Scores) -> Scores:
        allowed = scores.keys() if self.allowed is None else scores.keys() & self.allowed
        return {doc: scores[doc] for doc in allowed - self.excluded}


class Searcher:
    """Searches one build. Use one a thread; a context manager."""

    def __init__(self, folder: Path) -> None:
        """`folder` holds kb.sqlite, forms.sqlite and index/. Raises NotBuilt when any of them cannot be used."""
        self.store = Store(folder / "kb.sqlite")
        self.table = Table.open(folder / "forms.sqlite")
        self.engine = Engine(folder / "index")
        self.languages = self.store.languages()

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends reading."""
        self.engine.close()
        self.table.close()
        self.store.close()

    def search(self, text: str, game: str | None = None, lang: str | None = None, limit: int = 10, as_of: str = "") -> Answer:
        """The best `limit` rulings for a query, of one game or all, in one language or all, of what stands or stood on a day.

        No text makes it fail.
        """
        start = time.perf_counter()
        work = _Work(parse(text))
        if as_of:
            work.queried = replace(work.queried, filters=(*work.queried.filters, Filter("asof", as_of)))
        languages = self._languages(work.queried, game, lang)
        likely = scope(work.queried, languages, self.table)
        reader = Reader(self.table, languages, likely, self.engine.frequency)
        for node in leaves(work.queried.root):
            work.meanings.setdefault(node, reader.meaning(node))
        self._phrases(work, reader)
        work.allowed, work.excluded = select(self.engine, self.table, work.queried.filters, game, lang, languages)
        scores, relaxed = self._scores(work, reader)
        hits = self._hits(work, scores, languages, limit)
        took = (time.perf_counter() - start) * 1000
        return Answer(text, len(scores), took, relaxed, self._suggestion(text, work), hits)

    def _languages(self, queried: Query, game: str | None, lang: str | None) -> list[str]:
        """The languages to look into: those of the games that are asked for, or the one that is."""
        games = [game] if game else [one.value.lower() for one in queried.filters if one.name == "game" and not one.negated]
        found = dict.fromkeys(one for name in (games or self.languages) for one in self.languages.get(name, ()))
        wanted = [lang] if lang else [one.value.lower() for one in queried.filters if one.name == "lang" and not one.negated]
        chosen = [one for one in found if one in wanted] if wanted else list(found)
        return [one for one in LANGUAGES if one in chosen] + [one for one in chosen if one not in LANGUAGES]

    def _phrases(self, work: _Work, reader: Reader) -> None:
        """A phrase that nothing has as it was written is looked for by its lemmas."""
        for node, meaning in work.meanings.items():
            if meaning.kind == "phrase" and not self._leaf(meaning):
                work.meanings[node] = reader.lemmas(meaning)

    def _scores(self, work: _Work, reader: Reader) -> tuple[Scores, bool]:
        root = work.queried.root
        if root is None:
            if not work.queried.filters:
                return {}, False
            return work.keep(dict.fromkeys(self.engine.documents(), 0.0)), False
        strict = work.keep(self._evaluate(root, work, reader))
        words = sum(not meaning.optional for meaning in work.meanings.values())
        if len(strict) >= FEW or (strict and words < FEW):
            return strict, False
        # Rulings with every word stay before all others.
        relaxed = {doc: score for doc, score in self._relaxed(work, reader).items() if doc not in strict}
        above = max(relaxed.values(), default=0.0)
        return {**relaxed, **{doc: 2 * above + score for doc, score in strict.items()}}, bool(relaxed)

    def _evaluate(self, node: Node, work: _Work, reader: Reader) -> Scores:
        if isinstance(node, Not):
            return {}
        if isinstance(node, Or):
            found: Scores = {}
            for one in node.nodes:
                for doc, score in self._evaluate(one, work, reader).items():
                    found[doc] = found.get(doc, 0.0) + score
            return found
        if isinstance(node, And):
            return self._all_of(node, work, reader)
        return self._leaf(work.meanings[node])

    def _all_of(self, node: And, work: _Work, reader: Reader) -> Scores:
        wanted = [one for one in node.nodes if not isinstance(one, Not)]
        needed = [one for one in wanted if one not in work.meanings or not work.meanings[one].optional] or wanted
        found: Scores | None = None
        for scores in sorted((self._evaluate(one, work, reader) for one in needed), key=len):
            found = scores if found is None else {doc: score + scores[doc] for doc, score in found.items() if doc in scores}
        result = dict.fromkeys(self.engine.documents(), 0.0) if found is None else found
        for one in node.nodes:
            if isinstance(one, Not):
                without = self._without(one, work, reader)
                result = {doc: score for doc, score in result.items() if doc not in without}
        return result

    def _without(self, node: Not, work: _Work, reader: Reader) -> set[int]:
        """The documents that a negated part excludes: by forms and lemmas, never by guesses at slips."""
        for leaf in leaves(node.node):
            work.meanings.setdefault(leaf, reader.meaning(leaf))
        return (
            set(self._evaluate(node.node, work, reader))
            if not any(work.meanings[one].corrected for one in leaves(node.node))
            else set()
        )

    def _leaf(self, meaning: Meaning) -> Scores:
        if meaning.kind == "phrase":
            return self._phrase(meaning)
        weight = self._rarity(meaning)
        forms: Scores = {}
        lemmas: Scores = {}
        for term, factor in meaning.terms.items():
            found = forms if "=" in term[:4] else lemmas
            for doc, frequency in self.engine.postings(term).items():
                score = factor * weight * self._saturated(frequency, doc)
                if score > found.get(doc, 0.0):
                    found[doc] = score
        for doc, score in forms.items():
            lemmas[doc] = max(score, lemmas.get(doc, 0.0)) + EXACT_BONUS * score
        return lemmas

    def _saturated(self, frequency: float, doc: int) -> float:
        """BM25's term frequency part."""
        return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * self.engine.length(doc) / self.engine.average_length))

    def _rarity(self, meaning: Meaning) -> float:
        """BM25's inverse document frequency of a word as a whole: of its most frequent alternative."""
        most = max((self.engine.frequency(term) for term in meaning.terms), default=0)
        return math.log(1 + (self.engine.count - most + 0.5) / (most + 0.5))

    def _phrase(self, meaning: Meaning) -> Scores:
        documents: set[int] | None = None
        for terms in meaning.sequence:
            here = {doc for term in terms for doc in self.engine.postings(term)}
            documents = here if documents is None else documents & here
        if not documents:
            return {}
        places: dict[int, set[int]] = {}
        for offset, terms in enumerate(meaning.sequence):
            standing: dict[int, set[int]] = {}
            for term in terms:
                for doc, positions in self.engine.positions(term, documents).items():
                    standing.setdefault(doc, set()).update(position - offset for position in positions)
            places = standing if not offset else {doc: places[doc] & standing[doc] for doc in places.keys() & standing.keys()}
        found = {doc: len(starts) for doc, starts in places.items() if starts}
        rarity = math.log(1 + (self.engine.count - len(found) + 0.5) / (len(found) + 0.5)) * len(meaning.sequence)
        return {doc: rarity * self._saturated(1.0 + count, doc) for doc, count in found.items()}

    def _relaxed(self, work: _Work, reader: Reader) -> Scores:
        """Rulings that have most of the words, weighted by rarity, when none has all."""
        needed = [meaning for meaning in work.meanings.values() if not meaning.optional]
        if len(needed) < 2:
            return {}
        unwanted = {doc for node in _negations(work.queried.root) for doc in self._without(node, work, reader)}
        rarity = [
            (meaning, self._rarity(meaning) if meaning.kind != "phrase" else 3.0, self._leaf(meaning)) for meaning in needed
        ]
        whole = sum(weight for _, weight, _ in rarity)
        covered: Scores = {}
        scores: Scores = {}
        for _, weight, found in rarity:
            for doc, score in found.items():
                covered[doc] = covered.get(doc, 0.0) + weight / whole
                scores[doc] = scores.get(doc, 0.0) + score
        kept = work.keep({doc: 10 * covered[doc] + score for doc, score in scores.items() if doc not in unwanted})
        best = max((covered[doc] for doc in kept), default=0.0)
        return {doc: score for doc, score in kept.items() if covered[doc] >= max(0.25, 0.6 * best)}

    def _hits(self, work: _Work, scores: Scores, languages: Sequence[str], limit: int) -> tuple[Hit, ...]:
        best = sorted(scores, key=lambda doc: (-scores[doc], self.engine.key(doc)))[: max(limit, RERANKED)]
        snippets = Snippets(self.table, list(work.meanings.values()), languages)
        found = []
        for ruling, doc in zip(self.store.rulings([self.engine.key(doc) for doc in best]), best, strict=True):
            found.append((scores[doc], ruling))
        top = [(score * self._closer(snippets, ruling), ruling) for score, ruling in found[:RERANKED]]
        top.sort(key=lambda one: (-one[0], one[1].key))
        least = top[-1][0] if top else 0.0
        found = [*top, *((min(score, least), ruling) for score, ruling in found[RERANKED:])]
        hits = []
        for score, ruling in found[:limit]:
            lang, snippet, places = snippets.make(ruling)
            hits.append(Hit(ruling, snippet, places, lang, score))
        return tuple(hits)

    @staticmethod
    def _closer(snippets: Snippets, ruling: StoredRuling) -> float:
        titled, near = snippets.closeness(ruling)
        return (1 + TITLE_BONUS * titled + NEAR_BONUS * near) * KIND.get(ruling.kind, 1.0)

    @staticmethod
    def _suggestion(text: str, work: _Work) -> str | None:
        better = text
        for meaning in work.meanings.values():
            if meaning.corrected:
                better = better.replace(meaning.text, meaning.corrected, 1)
        return better if better != text else None


def _negations(node: Node | None) -> list[Not]:
    if isinstance(node, Not):
        return [node]
    return [found for one in node.nodes for found in _negations(one)] if isinstance(node, And | Or) else []
