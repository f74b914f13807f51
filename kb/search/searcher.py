"""Searching: the engine's candidates for a query, ranked by the one scorer, with snippets."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Literal

from kb.language import LANGUAGES, WORD, FormTable, fold
from kb.search.document import value_term
from kb.search.engines.base import AllOf, Candidate, Index, open_index
from kb.search.expansion import QueryExpander, Slot, likely_languages
from kb.search.filters import Selection, select
from kb.search.keyboards import KeyboardReader
from kb.search.query import Filter, Node, Query, leaves, parse
from kb.search.ranking import Rating, Scorer, rarity
from kb.search.retrieval import all_leaves, any_word, every_word, meets, negations
from kb.search.snippets import Snippets
from kb.search.vocabulary import Vocabulary
from kb.store.queries import Store, StoredRuling

# So many candidates are ranked; more where a phrase has to be looked for in them.
CANDIDATES, PHRASE_CANDIDATES = 200, 2_000
# A query of this many words or more that fewer rulings than this have whole also gets those that have most of them.
FEW = 3
# What part of the best score a ruling must have that does not have all words, and how many such rulings are shown.
OF_BEST, MOST_PARTIAL = 0.5, 20
Match = Literal["all", "most", "near", "none"]


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

    `match`: whether a ruling has all of the words that matter, most of them, or is only near (a guess). `suggestion`: the query
    without its slips of the finger; `searched_for`: what was searched for where that is not the query.
    """

    query: str
    total: int
    took_ms: float
    match: Match
    suggestion: str | None
    results: tuple[Hit, ...]
    searched_for: str | None = None

    @property
    def relaxed(self) -> bool:
        """Whether there are results that do not have every word."""
        return self.match in ("most", "near")


@dataclass(frozen=True)
class _Ranked:
    """A candidate with its rating; `full`: it has every word that matters."""

    candidate: Candidate
    rating: Rating
    full: bool


class Searcher:
    """Searches one build. Use one a thread; a context manager."""

    def __init__(self, folder: Path, engine: str | None = None) -> None:
        """`folder` is that of a build. Raises NotBuilt when a part of it cannot be used.

        `engine`: the name of the engine to use instead of the one that the build was made with.
        """
        self._open(
            Store(folder / "kb.sqlite"),
            FormTable.open(folder / "forms.sqlite"),
            open_index(folder, engine),
        )

    @classmethod
    def over(cls, store: Store, table: FormTable, index: Index) -> Searcher:
        """Searches a base wherever it is; what is given is closed with the searcher."""
        searcher = cls.__new__(cls)
        searcher._open(store, table, index)
        return searcher

    def _open(self, store: Store, table: FormTable, index: Index) -> None:
        self.store, self.table, self.index = store, table, index
        self.languages = self.store.languages()
        self.vocabularies = lru_cache(maxsize=None)(lambda lang: Vocabulary(table, lang))

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
        queried = _parsed(text, as_of)
        languages = self._languages(queried, game, lang)
        read = KeyboardReader(self.table, languages).read(text) if queried.root else None
        if read:
            queried = _parsed(read, as_of)
        selection = select(self.index, self.table, queried.filters, game, lang, languages)
        if queried.root is None:
            return self._filtered(text, queried, selection, languages, limit, start)
        work = _Work(self, queried.root, queried, languages, selection)
        ranked, total = work.ranked()
        hits = self._hits(ranked[:limit], work.slots.values(), languages)
        match: Match = "none"
        if ranked:
            match = "all" if ranked[0].full else "most"
        took = (time.perf_counter() - start) * 1000
        suggestion = _suggestion(read or text, work.slots.values())
        return Answer(text, total, took, match, suggestion, hits, read)

    def _filtered(
        self,
        text: str,
        queried: Query,
        selection: Selection,
        languages: Sequence[str],
        limit: int,
        start: float,
    ) -> Answer:
        """The rulings that filters leave, where a query has no words."""
        hits: tuple[Hit, ...] = ()
        total = 0
        if queried.filters:
            condition = selection.of(AllOf(()))
            total = self.index.total(condition)
            candidates = self.index.candidates(self.index.first(condition, limit))
            ranked = [_Ranked(one, Rating(0.0, 1.0, ()), True) for one in candidates]
            hits = self._hits(ranked, (), languages)
        took = (time.perf_counter() - start) * 1000
        return Answer(text, total, took, "all" if hits else "none", None, hits)

    def _languages(self, queried: Query, game: str | None, lang: str | None) -> list[str]:
        """The languages to look into: those of the games that are asked for, or the one that is."""
        games = [game] if game else _asked_for(queried, "game")
        spoken = dict.fromkeys(
            one for name in (games or self.languages) for one in self.languages.get(name, ())
        )
        wanted = [lang] if lang else _asked_for(queried, "lang")
        chosen = [one for one in spoken if one in wanted] if wanted else list(spoken)
        return sorted(
            chosen, key=lambda one: list(LANGUAGES).index(one) if one in LANGUAGES else 99
        )

    def _hits(
        self, ranked: Sequence[_Ranked], slots: Iterable[Slot], languages: Sequence[str]
    ) -> tuple[Hit, ...]:
        snippets = Snippets(list(slots), languages)
        rulings = self.store.rulings([one.candidate.key for one in ranked])
        scores = {one.candidate.key: one.rating.score for one in ranked}
        hits = []
        for ruling in rulings:
            lang, snippet, places = snippets.make(ruling)
            hits.append(Hit(ruling, snippet, places, lang, scores[ruling.key]))
        return tuple(hits)


class _Work:
    """One query on its way from slots to ranked candidates."""

    def __init__(
        self,
        searcher: Searcher,
        root: Node,
        queried: Query,
        languages: Sequence[str],
        selection: Selection,
    ) -> None:
        self.searcher, self.root, self.selection = searcher, root, selection
        self.index = searcher.index
        self.languages = languages
        self.likely = likely_languages(queried, languages, searcher.table, searcher.vocabularies)
        self.expander = QueryExpander(searcher.table, searcher.vocabularies, languages, self.likely)
        self.slots: dict[Node, Slot] = {}
        for node in leaves(root):
            self.slots.setdefault(node, self.expander.slot(node))
        required = [slot for slot in self.slots.values() if not slot.optional]
        self.required = required or list(self.slots.values())
        # What a query excludes is matched, never rated; guesses at slips exclude nothing.
        self.excluded: dict[Node, Slot] = {}
        for node in all_leaves(root):
            if node not in self.slots:
                slot = self.expander.slot(node)
                self.excluded[node] = replace(slot, terms={}, words={}) if slot.corrected else slot

    def ranked(self) -> tuple[list[_Ranked], int]:
        """The candidates worth showing, best first, and how many rulings match."""
        full, partial = self._rate()
        phrases = [slot for slot in self.required if slot.kind == "phrase"]
        if phrases and not full:
            for node, slot in self.slots.items():
                if slot.kind == "phrase":
                    self.slots[node] = self.expander.by_lemmas(slot)
            self.required = [slot for slot in self.slots.values() if not slot.optional]
            full, partial = self._rate()
        if len(full) >= FEW or (full and len(self.required) < FEW):
            return full, max(self.full_total, len(full))
        least = OF_BEST * partial[0].rating.score if partial else 0.0
        shown = [one for one in partial if one.rating.score >= least][:MOST_PARTIAL]
        return [*full, *shown], len(full) + len(shown)

    def _rate(self) -> tuple[list[_Ranked], list[_Ranked]]:
        """The candidates that have every word, and the others."""
        slots = {**self.slots, **self.excluded}
        frequencies = self._frequencies(list(slots.values()))
        rated = [slot in self.required and node in self.slots for node, slot in slots.items()]
        rarities = [
            self._rarity(slot, frequencies) if counts else 0.0
            for slot, counts in zip(slots.values(), rated, strict=True)
        ]
        scorer = Scorer(list(slots.values()), rarities, self.likely)
        languages = self.searcher.languages
        ranked = []
        for candidate in self._candidates(slots, frequencies):
            language = languages.get(candidate.game, ("",))[0]
            rating = scorer.rate(candidate.segments, candidate.kind, language)
            present = {node for number, node in enumerate(slots) if rating.has(number)}
            if rating.score > 0 and not any(
                meets(negation.node, present, slots) for negation in negations(self.root)
            ):
                ranked.append(_Ranked(candidate, rating, meets(self.root, present, slots)))
        ranked.sort(key=lambda one: (-one.rating.score, one.candidate.key))
        return [one for one in ranked if one.full], [one for one in ranked if not one.full]

    def _frequencies(self, slots: Sequence[Slot]) -> dict[str, int]:
        terms = {term for slot in slots for term in (*slot.terms, *slot.guesses)}
        terms |= {term for slot in slots for several in slot.word_terms for term in several}
        terms |= {value_term("lang", lang) for lang in self.languages}
        return self.index.frequencies(terms)

    def _rarity(self, slot: Slot, frequencies: dict[str, int]) -> float:
        """The rarity of what a slot means: by its most frequent term, in the language where that is least rare."""
        if slot.kind == "phrase":
            return sum(self._rarity_of(terms, frequencies) for terms in slot.word_terms)
        return self._rarity_of(slot.terms, frequencies)

    def _rarity_of(self, terms: Iterable[str], frequencies: dict[str, int]) -> float:
        highest: dict[str, int] = {}
        for term in terms:
            lang = "" if term[0] == "#" else term.partition(":")[0]
            highest[lang] = max(highest.get(lang, 0), frequencies.get(term, 0))
        rarities = [
            rarity(self._documents(lang, frequencies), frequency)
            for lang, frequency in highest.items()
            if frequency
        ]
        return min(
            rarities,
            default=rarity(self._documents(self.likely[0] if self.likely else "", frequencies), 1),
        )

    def _documents(self, lang: str, frequencies: dict[str, int]) -> int:
        return frequencies.get(value_term("lang", lang), 0) if lang else self.index.count

    def _candidates(self, slots: dict[Node, Slot], frequencies: dict[str, int]) -> list[Candidate]:
        several = any(slot.kind == "phrase" for slot in slots.values())
        limit = PHRASE_CANDIDATES if several else CANDIDATES
        condition = self.selection.of(every_word(self.root, slots))
        numbers = self.index.best(condition, limit)
        self.full_total = self.index.total(condition) if len(numbers) == limit else len(numbers)
        if len(numbers) < limit and (len(numbers) < FEW):
            near = any_word(self.required, frequencies)
            numbers += self.index.best(self.selection.of(near), CANDIDATES)
        return self.index.candidates(dict.fromkeys(numbers))


def _parsed(text: str, as_of: str) -> Query:
    queried = parse(text)
    if as_of:
        return replace(queried, filters=(*queried.filters, Filter("asof", as_of)))
    return queried


def _asked_for(queried: Query, name: str) -> list[str]:
    return [one.value.lower() for one in queried.filters if one.name == name and not one.negated]


def _suggestion(text: str, slots: Iterable[Slot]) -> str | None:
    """A query without its slips."""
    better = {fold(slot.text): slot.corrected for slot in slots if slot.corrected}
    found = WORD.sub(lambda word: better.get(fold(word[0]), word[0]), text)
    return found if found != text else None
