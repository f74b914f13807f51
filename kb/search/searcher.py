"""Answers a query: its best rulings with snippets, and the cards that it names."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kb.core.lookup_cache import LookupCache
from kb.language import LANGUAGES, WORD, FormTable, fold
from kb.language.fold import clean_typed
from kb.search.cards import CardIndex, NamedCard
from kb.search.engines.base import AllOf, Index, open_index
from kb.search.expansion import QueryExpander, Slot, likely_languages, stop_words
from kb.search.filters import filter_notes, select
from kb.search.keyboards import KeyboardReader
from kb.search.query import Filter, Query, parse, query_words
from kb.search.ranked_query import Match, RankedQuery, Ranking
from kb.search.snippets import Snippet, Snippets
from kb.search.vocabulary import Vocabulary
from kb.store.model import StoredRuling

if TYPE_CHECKING:
    from kb.store.queries import Store

HiddenBy = Literal["", "filter", "standing"]
# At most this many rulings stay in memory, 13 KB each.
CACHED_RULINGS = 500
# No language knows this word, so searching it reads the word lists that corrections need.
_WARM_UP = "xyzzyx"


@dataclass(frozen=True)
class Hit:
    """One result; `shown`: the passages to show of it, in one language."""

    ruling: StoredRuling
    shown: Snippet
    score: float

    @property
    def lang(self) -> str:
        """The language of the passages."""
        return self.shown.lang

    @property
    def snippet(self) -> str:
        """The passage with the most words of the query, as plain text."""
        return self.shown.best.text

    @property
    def highlights(self) -> tuple[tuple[int, int], ...]:
        """The places (code points) of matched words in the snippet."""
        return self.shown.best.highlights

    @property
    def answer(self) -> str:
        """The ruling's first paragraph, as plain text."""
        return self.shown.answer.text


@dataclass(frozen=True)
class Answer:
    """The answer to a query: the best `results` of `total`.

    `match`: the best kind of match: full (all), partial (most), a guess (near) or none.
    `suggestion`: the query without its slips; `searched_for`: the query that was searched for, if
    the typed one came from another keyboard; `cards`: the cards that the query names.
    `hidden_by`: without a match, the reason that hides rulings: the filters, or that they are no
    longer in force ("standing"). `notes`: what is wrong with the filters.
    """

    query: str
    total: int
    took_ms: float
    match: Match
    suggestion: str | None
    searched_for: str | None
    results: tuple[Hit, ...]
    cards: tuple[NamedCard, ...]
    hidden_by: HiddenBy = ""
    notes: tuple[str, ...] = ()

    @property
    def relaxed(self) -> bool:
        """Whether there are only partial or near matches."""
        return self.match in ("most", "near")


class Searcher:
    """Searches one build; a context manager. Each thread needs its own."""

    def __init__(self, folder: Path, engine: str | None = None) -> None:
        """Open the build in `folder`. Raises NotBuilt when a part of it cannot be used.

        `engine`: the name of an engine to use instead of the build's own.
        """
        self._open(FormTable(folder / "forms.sqlite"), open_index(folder, engine))
        self._folder = folder

    @classmethod
    def over(cls, table: FormTable, index: Index) -> Searcher:
        """Search an index with a table of forms; closing the searcher closes both."""
        searcher = cls.__new__(cls)
        searcher._open(table, index)
        return searcher

    def _open(self, table: FormTable, index: Index) -> None:
        self.table, self.index, self.reader = table, index, index.reader
        self.cards = CardIndex(self.reader, table)
        self.rulings = LookupCache(CACHED_RULINGS, self._read_rulings)
        self.languages = self.reader.languages()
        self.vocabularies = lru_cache(maxsize=None)(lambda lang: Vocabulary(table, lang))

    @cached_property
    def store(self) -> Store:
        """The store of the build, opened on first use: searches do without it."""
        from kb.store.queries import Store

        if isinstance(self.reader, Store):
            return self.reader
        return Store(self._folder / "kb.sqlite")

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the index, the table of forms and the store."""
        self.index.close()
        self.table.close()
        if "store" in vars(self):
            self.store.close()

    def warm_up(self) -> None:
        """Read the card names and word lists now, so that the first searches need not."""
        self.cards.load()
        for lang in dict.fromkeys(lang for some in self.languages.values() for lang in some):
            self.vocabularies(lang).load()
            self.search(_WARM_UP, lang=lang)

    def search(
        self,
        text: str,
        game: str | None = None,
        lang: str | None = None,
        limit: int = 10,
        as_of: str = "",
        interface: str = "",
    ) -> Answer:
        """The best `limit` rulings for a query, of one game and language or of all.

        `as_of`: search the rulings in force on that day instead of today. `interface`: the
        language to show if several match alike; English comes second. No text makes it fail.
        """
        start = time.perf_counter()
        typed = clean_typed(text)
        queried = _parsed(typed, as_of)
        languages = self._languages(queried, game, lang)
        read = KeyboardReader(self.table, languages).read(typed) if queried.root else None
        if read:
            queried = _parsed(read, as_of)
        likely = likely_languages(queried, languages, self.table)
        given = [*queried.filters, *([Filter("game", game)] if game else [])]
        given += [Filter("lang", lang)] if lang else []
        reader = interface if interface in languages else ""
        expander = QueryExpander(self.table, self.vocabularies, languages, likely, reader)
        ranked = partial(self._ranked, queried, expander)
        if queried.root is None:
            ranking, keys = self._filtered(queried, given, languages, limit)
        else:
            ranking, keys = ranked(given), {}
        answering = ranking.ranked[0].candidate.game if ranking.ranked else ""
        cards = self._cards(queried, likely, game, answering)
        if not _asked_for(queried, "card"):
            ranking = _on_cards(ranking, cards, lambda about: ranked([*given, *about]))
        best = ranking.ranked[:limit]
        keys |= {match.candidate.key: match.rating.score for match in best}
        hidden_by: HiddenBy = ""
        if ranking.match == "none" and any(card.rulings for card in cards):
            if given and ranked(()).ranked:
                hidden_by = "filter"
            elif ranked([Filter("status", "any")]).ranked:
                hidden_by = "standing"
        hits = self._hits(keys, ranking.slots, languages, interface)
        return Answer(
            query=text,
            total=ranking.total,
            match=ranking.match,
            suggestion=_corrected(read or typed, ranking.corrections()),
            searched_for=read,
            results=hits,
            cards=cards,
            hidden_by=hidden_by,
            notes=tuple(filter_notes(queried.filters, self.languages)),
            took_ms=(time.perf_counter() - start) * 1000,
        )

    def lemmas(self, text: str) -> list[list[str]]:
        """The lemmas of each word that matters in a query, in its likeliest language."""
        queried = _parsed(text, "")
        languages = self._languages(queried, None, None)
        likely = likely_languages(queried, languages, self.table)[:1]
        return [
            sorted(self.table.analyse(word, lang).lemmas)
            for lang in likely
            for word in query_words(queried)
            if fold(word) not in stop_words(lang)
        ]

    def _ranked(
        self, queried: Query, expander: QueryExpander, filters: Sequence[Filter]
    ) -> Ranking:
        assert queried.root is not None
        selection = select(self.index, self.table, filters, expander.languages)
        own = {name: spoken[0] for name, spoken in self.languages.items()}
        return RankedQuery(self.index, expander, queried.root, selection, own).rank()

    def _filtered(
        self, queried: Query, given: Sequence[Filter], languages: Sequence[str], limit: int
    ) -> tuple[Ranking, dict[str, float]]:
        """The rulings that pass the filters, for a query without words; scores by key."""
        if not queried.filters:
            return Ranking((), 0, "none", ()), {}
        condition = select(self.index, self.table, given, languages).of(AllOf(()))
        total = self.index.total(condition)
        candidates = self.index.candidates(self.index.first(condition, limit))
        ranking = Ranking((), total, "all" if total else "none", ())
        return ranking, dict.fromkeys((candidate.key for candidate in candidates), 0.0)

    def _languages(self, queried: Query, game: str | None, lang: str | None) -> list[str]:
        """The languages to search: those that the query asks for, among those of its games."""
        games = [game] if game else _asked_for(queried, "game")
        codes = dict.fromkeys(
            code for name in (games or self.languages) for code in self.languages.get(name, ())
        )
        wanted = [lang] if lang else _asked_for(queried, "lang")
        chosen = [code for code in codes if not wanted or code in wanted]
        order = list(LANGUAGES)
        return sorted(chosen, key=lambda code: order.index(code) if code in order else len(order))

    def _hits(
        self,
        scores: Mapping[str, float],
        slots: Sequence[Slot],
        languages: Sequence[str],
        interface: str,
    ) -> tuple[Hit, ...]:
        snippets = Snippets(slots, languages, interface)
        return tuple(
            Hit(ruling, snippets.make(ruling), scores[key])
            for key, ruling in self.rulings.get(scores).items()
        )

    def _read_rulings(self, keys: list[str]) -> Iterator[tuple[str, StoredRuling]]:
        for ruling in self.reader.rulings(keys):
            yield ruling.key, ruling

    def _cards(
        self, queried: Query, likely: Sequence[str], game: str | None, answering: str
    ) -> tuple[NamedCard, ...]:
        words = query_words(queried)
        games = [game] if game else _asked_for(queried, "game") or list(self.languages)
        return self.cards.named(words, likely, games, answering) if words else ()


def _on_cards(
    ranking: Ranking, cards: Sequence[NamedCard], rank: Callable[[list[Filter]], Ranking]
) -> Ranking:
    """The rulings that name the cards, if the query is a card's name and nothing else."""
    named = [card for card in cards if card.sole]
    if any(card.rulings for card in named):
        narrowed = rank([Filter("card", card.name) for card in named])
        return replace(narrowed, match="all") if narrowed.ranked else ranking
    return Ranking((), 0, "none", ()) if named and ranking.match == "near" else ranking


def _parsed(text: str, as_of: str) -> Query:
    queried = parse(text)
    if as_of:
        return replace(queried, filters=(*queried.filters, Filter("asof", as_of)))
    return queried


def _asked_for(queried: Query, name: str) -> list[str]:
    return [
        chosen.value.lower()
        for chosen in queried.filters
        if chosen.name == name and not chosen.negated
    ]


def _corrected(text: str, corrections: Mapping[str, str]) -> str | None:
    """A query with its slips corrected; None without slips."""
    corrected = WORD.sub(lambda word: corrections.get(word[0], word[0]), text)
    return corrected if corrected != text else None
