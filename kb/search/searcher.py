"""Searching: query -> ranked rulings, with snippets. The ranking is ours; an engine only gives postings."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest
from itertools import islice
from pathlib import Path

from kb.language import LANGUAGES, FormTable
from kb.search.engines.base import Index, open_index
from kb.search.expansion import Expansion, QueryExpander, scope
from kb.search.filters import LAST, select
from kb.search.postings import KEY
from kb.search.query import Filter, Node, Query, leaves, parse
from kb.search.scoring import Ranking, Scorer, Scores
from kb.search.snippets import Snippets, terms_of
from kb.store.queries import Store, StoredRuling

# The best of these by their words alone are ordered by their titles and the nearness of the words; the gold queries are
# answered as well with 10 as with 40, and a browser has no more texts to load than it shows.
RERANKED = 10
TITLE_BONUS = 0.5
NEAR_BONUS = 0.25
KIND = {"example": 0.88, "note": 0.94}
# So many equal rulings are put in order by looking through all keys.
MANY = 500


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


class Searcher:
    """Searches one build. Use one a thread; a context manager."""

    def __init__(self, folder: Path, engine: str | None = None) -> None:
        """`folder` is that of a build. Raises NotBuilt when a part of it cannot be used.

        `engine`: the name of the engine to use instead of the one that the build was made with.
        """
        self._take(
            Store(folder / "kb.sqlite"),
            FormTable.open(folder / "forms.sqlite"),
            open_index(folder, engine),
        )

    @classmethod
    def over(cls, store: Store, table: FormTable, index: Index) -> Searcher:
        """Searches a base wherever it is; what is given is closed with the searcher."""
        made = cls.__new__(cls)
        made._take(store, table, index)
        return made

    def _take(self, store: Store, table: FormTable, index: Index) -> None:
        self.store, self.table, self.index = store, table, index
        self.ranking = Ranking(self.index)
        self.terms = terms_of(self.table)
        self.languages = self.store.languages()

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends reading."""
        self.index.close()
        self.table.close()
        self.store.close()

    def search(
        self,
        text: str,
        game: str | None = None,
        lang: str | None = None,
        limit: int = 10,
        as_of: str = "",
    ) -> Answer:
        """The best `limit` rulings for a query, of one game or all, in one language or all, of what stands or stood on a day.

        No text makes it fail.
        """
        start = time.perf_counter()
        queried = parse(text)
        if as_of:
            queried = replace(queried, filters=(*queried.filters, Filter("asof", as_of)))
        languages = self._languages(queried, game, lang)
        reader = QueryExpander(
            self.table, languages, scope(queried, languages, self.table), self._frequency
        )
        meanings: dict[Node, Expansion] = {}
        for node in leaves(queried.root):
            meanings.setdefault(node, reader.meaning(node))
        work = self.ranking.begin(
            meanings, reader, select(self.index, self.table, queried.filters, game, lang, languages)
        )
        scores, relaxed = self._scores(queried, work)
        hits = self._hits(meanings, scores, languages, limit)
        took = (time.perf_counter() - start) * 1000
        return Answer(
            text, len(scores), took, relaxed, self._suggestion(text, meanings.values()), hits
        )

    def _frequency(self, term: str) -> int:
        return len(self.index.postings(term).docs)

    def _scores(self, queried: Query, work: Scorer) -> tuple[Scores, bool]:
        """What the query finds. A phrase that nothing has as it was written is looked for by its lemmas."""
        if queried.root is None:
            return (dict.fromkeys(work.all(), 0.0) if queried.filters else {}), False
        for node, meaning in work.meanings.items():
            if meaning.kind == "phrase" and not work.phrase(meaning):
                work.meanings[node] = work.reader.lemmas(meaning)
        return work.answer(queried.root)

    def _languages(self, queried: Query, game: str | None, lang: str | None) -> list[str]:
        """The languages to look into: those of the games that are asked for, or the one that is."""
        games = (
            [game]
            if game
            else [
                one.value.lower()
                for one in queried.filters
                if one.name == "game" and not one.negated
            ]
        )
        found = dict.fromkeys(
            one for name in (games or self.languages) for one in self.languages.get(name, ())
        )
        wanted = (
            [lang]
            if lang
            else [
                one.value.lower()
                for one in queried.filters
                if one.name == "lang" and not one.negated
            ]
        )
        chosen = [one for one in found if one in wanted] if wanted else list(found)
        return [one for one in LANGUAGES if one in chosen] + [
            one for one in chosen if one not in LANGUAGES
        ]

    def _best(self, scores: Mapping[int, float], limit: int) -> list[int]:
        """The documents with the highest scores, equal ones by their keys."""
        if len(scores) > 2 * limit:
            least = nlargest(limit, scores.values())[-1]
            equal = [doc for doc, score in scores.items() if score == least]
            docs = [doc for doc, score in scores.items() if score > least]
            docs += equal if len(equal) <= MANY else self._first(set(equal), limit)
        else:
            docs = list(scores)
        keys = self.index.keys(docs)
        return sorted(docs, key=lambda doc: (-scores[doc], keys[doc]))[:limit]

    def _first(self, docs: set[int], limit: int) -> list[int]:
        """The first of some documents in the order of their keys."""
        return list(
            islice(
                (
                    doc
                    for _, found in self.index.between(KEY, "", LAST)
                    for doc in found
                    if doc in docs
                ),
                limit,
            )
        )

    def _hits(
        self,
        queried: Mapping[Node, Expansion],
        scores: Mapping[int, float],
        languages: Sequence[str],
        limit: int,
    ) -> tuple[Hit, ...]:
        best = self._best(scores, max(limit, RERANKED))
        snippets = Snippets(self.terms, list(queried.values()), languages)
        keys = self.index.keys(best)
        found = [
            (scores[doc], ruling)
            for ruling, doc in zip(
                self.store.rulings([keys[doc] for doc in best]), best, strict=True
            )
        ]
        top = [
            (score * self._closer(snippets, ruling), ruling) for score, ruling in found[:RERANKED]
        ]
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
    def _suggestion(text: str, meanings: Iterable[Expansion]) -> str | None:
        better = text
        for meaning in meanings:
            if meaning.corrected:
                better = better.replace(meaning.text, meaning.corrected, 1)
        return better if better != text else None
