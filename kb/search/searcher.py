"""Answers a query: its best rulings with snippets, and the cards that it names."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from kb.core.characters import clean_typed
from kb.core.lookup_cache import LookupCache
from kb.language import FORMS_FILE, WORD, FormTable, language_order
from kb.search.cards import CardIndex, NamedCard
from kb.search.engines.base import AllOf, Index, open_index
from kb.search.expansion import QueryExpander, divided, likely_languages
from kb.search.filters import filter_notes, select
from kb.search.keyboards import other_reading
from kb.search.query import Filter, Query, parse, query_words, without_exclusions
from kb.search.ranked_query import Match, RankedCandidate, RankedQuery, Ranking
from kb.search.ranking import Confidence, Rating
from kb.search.snippets import Snippet, Snippets
from kb.search.vocabulary import Vocabulary
from kb.store.model import STORE_FILE, StoredRuling

if TYPE_CHECKING:
    from kb.store.queries import Store

HiddenBy = Literal["", "filter", "standing"]
_EXCLUDED = "the words after a minus leave out every ruling that has all the others"
# At most this many rulings stay in memory, 13 KB each.
CACHED_RULINGS = 500


@dataclass(frozen=True)
class SearchHit:
    """One result; `shown`: the passages to show of it, in one language."""

    ruling: StoredRuling
    shown: Snippet
    score: float
    match: Match

    @property
    def lang(self) -> str:
        """The language of the passages."""
        return self.shown.lang

    @property
    def snippet(self) -> str:
        """The passage with the most words of the query, as plain text."""
        return self.shown.best.text

    @property
    def answer(self) -> str:
        """The ruling's first paragraph, as plain text."""
        return self.shown.answer.text


@dataclass(frozen=True)
class Answer:
    """The answer to a query: the best rulings, full matches before partial ones.

    `total` and `partial`: how many rulings are full and partial matches. `match`: that of the first
    result: full (all), partial (most), a guess (near) or none. `confidence`: how sure the first
    ruling is to decide what was asked.
    `suggestion`: the query without its slips; `searched_for`: the query that was searched for, if
    the typed one came from another keyboard; `cards`: the cards that the query names.
    `hidden_by`: without a match, what hides the rulings on the cards: the filters, or that they are
    no longer in force ("standing"). `excluded`: without a full match, whether the query excludes
    the rulings that have all of its other words. `unknown`: the words that no ruling of the first
    one's game has. `notes`: what is wrong with the filters, such an exclusion, and unknown words.
    """

    query: str
    total: int
    partial: int
    took_ms: float
    match: Match
    confidence: Confidence
    suggestion: str | None
    searched_for: str | None
    results: tuple[SearchHit, ...]
    cards: tuple[NamedCard, ...]
    hidden_by: HiddenBy = ""
    excluded: bool = False
    unknown: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def relaxed(self) -> bool:
        """Whether there are only partial or near matches."""
        return self.match in ("most", "near")


class _TypedQuery(NamedTuple):
    """A query as it is searched for.

    `searched_for`: its text, if it was typed on another keyboard; `languages`: those to search;
    `likely`: those of them that it may be written in.
    """

    typed: str
    searched_for: str | None
    query: Query
    languages: list[str]
    likely: list[str]


class Searcher:
    """Searches one build; a context manager. Each thread needs its own."""

    def __init__(self, folder: Path) -> None:
        """Open the build in `folder`. Raises NotBuilt when a part of it cannot be used."""
        self._open(FormTable(folder / FORMS_FILE), open_index(folder))
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
        self.rulings = LookupCache(
            CACHED_RULINGS,
            lambda keys: ((ruling.key, ruling) for ruling in self.reader.rulings(keys)),
        )
        self.languages = self.reader.languages()
        self.vocabularies = lru_cache(maxsize=None)(lambda lang: Vocabulary(table, lang))

    @cached_property
    def _spoken(self) -> list[str]:
        """The languages of all games."""
        return sorted({lang for spoken in self.languages.values() for lang in spoken})

    @cached_property
    def store(self) -> Store:
        """The store of the build, opened on first use: searches do without it."""
        from kb.store.queries import Store

        if isinstance(self.reader, Store):
            return self.reader
        return Store(self._folder / STORE_FILE)

    def __enter__(self) -> Searcher:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.index.close()
        self.table.close()
        if "store" in vars(self):
            self.store.close()

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
        language to show if several match alike, before its sisters and English. Never fails,
        whatever the text.
        """
        start = time.perf_counter()
        understood = self._understand(text, game, lang, as_of)
        query, searched_for = understood.query, understood.searched_for
        languages, likely = understood.languages, understood.likely
        reader = interface if interface in languages else ""
        expander = QueryExpander(self.table, self.vocabularies, languages, likely, reader)
        given = _narrowed(_narrowed(query.filters, "game", game), "lang", lang)

        def rank(filters: Sequence[Filter]) -> Ranking:
            return self._rank(query, expander, filters, limit)

        ranking = rank(given) if query.root or query.filters else Ranking()
        answering = ranking.ranked[0].candidate.game if ranking.ranked else ""
        cards = self.cards.named(query_words(query), likely, self._games(query, game), answering)
        if not _asked_for(query, "card"):
            ranking = _on_cards(ranking, cards, lambda about: rank([*given, *about]))
        excluded = ranking.match != "all" and self._is_excluded(query, expander, given)
        is_hidden = ranking.match == "none" and any(card.rulings for card in cards)
        snippets = Snippets(ranking.slots, languages, interface)
        return Answer(
            query=text,
            total=ranking.total,
            partial=ranking.partial,
            match=ranking.match,
            confidence=ranking.confidence,
            suggestion=_corrected(searched_for or understood.typed, ranking.corrections()),
            searched_for=searched_for,
            results=tuple(self._hits(ranking.ranked[:limit], snippets)),
            cards=cards,
            hidden_by=_reason_hidden(given, rank) if is_hidden and not excluded else "",
            excluded=excluded,
            unknown=ranking.unknown,
            notes=(
                *filter_notes(self.index, self.table, query, self.languages),
                *((_EXCLUDED,) if excluded else ()),
                *(f"no ruling of {answering} has {word}" for word in ranking.unknown),
            ),
            took_ms=(time.perf_counter() - start) * 1000,
        )

    def _understand(self, text: str, game: str | None, lang: str | None, as_of: str) -> _TypedQuery:
        typed = self.cards.quoted(clean_typed(text), self._spoken)
        query = _parsed(typed, as_of, self.languages)
        languages = self._languages(query, game, lang)
        searched_for = other_reading(typed, self.table, languages) if query.root else None
        if searched_for:
            query = _parsed(searched_for, as_of)
        if query.root:
            query = replace(query, root=divided(query.root, self.table, self._spoken))
        likely = likely_languages(query, languages, self.table)
        return _TypedQuery(typed, searched_for, query, languages, likely)

    def _rank(
        self, query: Query, expander: QueryExpander, filters: Sequence[Filter], limit: int
    ) -> Ranking:
        """Rank the rulings that pass the filters; without words, the first by their keys."""
        selection = select(self.index, self.table, filters, expander.languages)
        if query.root:
            return RankedQuery(self.index, expander, query.root, selection).rank()
        condition = selection.of(AllOf(()))
        total = self.index.total(condition)
        candidates = self.index.candidates(self.index.first(condition, limit))
        ranked = [RankedCandidate(candidate, Rating(0.0, ()), "all") for candidate in candidates]
        return Ranking(ranked, total, "all", "answer") if total else Ranking()

    def _hits(self, ranked: Sequence[RankedCandidate], snippets: Snippets) -> Iterator[SearchHit]:
        """Yield the results in the order of their ranks, with their snippets."""
        matches = {match.candidate.key: match for match in ranked}
        for key, ruling in self.rulings.get(matches).items():
            match = matches[key]
            yield SearchHit(ruling, snippets.make(ruling), match.rating.score, match.match)

    def _is_excluded(
        self, query: Query, expander: QueryExpander, filters: Sequence[Filter]
    ) -> bool:
        """Whether the rulings with all words of a query are those that it excludes."""
        wanted = without_exclusions(query.root)
        if wanted in (None, query.root):
            return False
        return self._rank(replace(query, root=wanted), expander, filters, 1).match == "all"

    def _games(self, query: Query, game: str | None = None) -> list[str]:
        """The games to search: those that the query asks for, else all; of these a given one."""
        games = _asked_for(query, "game") or list(self.languages)
        return [name for name in games if not game or name == game]

    def _languages(
        self, query: Query, game: str | None = None, lang: str | None = None
    ) -> list[str]:
        """The languages to search: those that the query asks for, among those of its games."""
        codes = (code for name in self._games(query, game) for code in self.languages.get(name, ()))
        wanted = _asked_for(query, "lang")
        chosen = {
            code for code in codes if (not lang or code == lang) and (not wanted or code in wanted)
        }
        return sorted(chosen, key=language_order)


def _reason_hidden(
    filters: Sequence[Filter], rank: Callable[[Sequence[Filter]], Ranking]
) -> HiddenBy:
    """Return what hides the rulings on a card: the filters, or that they are no longer in force."""
    if filters and rank(()).ranked:
        return "filter"
    return "standing" if rank([Filter("status", "any")]).ranked else ""


def _on_cards(
    ranking: Ranking, cards: Sequence[NamedCard], rank: Callable[[list[Filter]], Ranking]
) -> Ranking:
    """The rulings that name the cards, if the query is a card's name and nothing else.

    Cards that have the words among others are left out, if rulings name one exactly so.
    """
    sole = [card for card in cards if card.sole]
    named = [card for card in sole if card.exact and card.rulings] or sole
    if any(card.rulings for card in named):
        narrowed = rank([Filter("card", card.name) for card in named])
        about = [ranked._replace(match="all") for ranked in narrowed.ranked]
        total = max(narrowed.total, len(about))
        return Ranking(about, total, "all", "answer", narrowed.slots) if about else ranking
    return Ranking() if named and ranking.match == "near" else ranking


def _parsed(text: str, as_of: str, games: Container[str] = ()) -> Query:
    query = parse(text, games)
    return replace(query, filters=(*query.filters, Filter("asof", as_of))) if as_of else query


def _asked_for(query: Query, name: str) -> list[str]:
    return [item.value.lower() for item in query.filters if item.name == name and not item.negated]


def _narrowed(filters: Sequence[Filter], name: str, value: str | None) -> list[Filter]:
    """Filters narrowed to one value of a field; it must be among the typed values, if any."""
    typed = [item for item in filters if item.name == name and not item.negated]
    if not value:
        return list(filters)
    is_among = not typed or any(item.value.lower() == value for item in typed)
    others = [item for item in filters if item not in typed]
    return [*others, Filter(name, value if is_among else "")]


def _corrected(text: str, corrections: Mapping[str, str]) -> str | None:
    """A query with its slips corrected; None without slips."""
    corrected = WORD.sub(lambda word: corrections.get(word[0], word[0]), text)
    return corrected if corrected != text else None
