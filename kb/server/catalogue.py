"""What all requests to one build share: cards by name, slugs, completions by a prefix."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

from kb.core import urls
from kb.core.similar import SimilarIds
from kb.language import fold, tokenize
from kb.language.fold import clean_typed
from kb.search.cards import CardsByName, cards_by_name
from kb.search.searcher import Searcher
from kb.store.lists import topics
from kb.store.model import StoredCard
from kb.store.queries import Store

K = TypeVar("K")
T = TypeVar("T")


class PrefixIndex(Generic[K]):
    """Names with their keys, found whatever the case and the diacritics of what is typed."""

    def __init__(self, names: Iterable[tuple[str, K]]) -> None:
        rows = []
        for name, key in names:
            folded = fold(name)
            starts = dict.fromkeys([0, *(token.start for token in tokenize(folded))])
            rows += [
                (folded[start:], bool(start), len(folded), number, key)
                for number, start in enumerate(starts)
            ]
        rows.sort(key=lambda row: row[:4])
        self._suffixes = [row[0] for row in rows]
        self._rows = rows

    def complete(
        self, typed: str, limit: int, accept: Callable[[K], bool] = lambda key: True
    ) -> list[K]:
        """Return the keys of matching names: matches at the start first, then shorter names."""
        folded = fold(clean_typed(typed))
        if not folded:
            return []
        position = bisect_left(self._suffixes, folded)
        matches: list[tuple[bool, int, str, K]] = []
        while position < len(self._rows) and self._suffixes[position].startswith(folded):
            suffix, inner, length, _, key = self._rows[position]
            if accept(key):
                matches.append((inner, length, suffix, key))
            position += 1
        matches.sort(key=lambda match: match[:3])
        return list(dict.fromkeys(match[3] for match in matches))[:limit]


class Catalogue:
    """Values computed on first use, and shared by all threads that read the same build."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._computing = threading.RLock()

    def cached(self, name: str, compute: Callable[[], T]) -> T:
        """Return the value of that name, computed once by one thread."""
        if name not in self._values:
            with self._computing:
                if name not in self._values:
                    self._values[name] = compute()
        value: T = self._values[name]
        return value

    def cards(self, store: Store) -> CardsByName:
        """Return the cards of all games by game and name."""
        return self.cached("cards", lambda: cards_by_name(store))

    def slugs(self, store: Store, game: str) -> dict[str, str]:
        """Return the slugs of a game's cards by name."""

        def compute() -> dict[str, str]:
            return urls.slugs(name for owner, name in self.cards(store) if owner == game)

        return self.cached(f"slugs {game}", compute)

    def names(self, store: Store, game: str) -> dict[str, str]:
        """Return the names of a game's cards by slug."""

        def compute() -> dict[str, str]:
            return {slug: name for name, slug in self.slugs(store, game).items()}

        return self.cached(f"names {game}", compute)

    def similar(self, name: str, ids: Callable[[], Iterable[str]]) -> SimilarIds:
        """Return the ids of that name, for hints."""
        return self.cached(f"similar {name}", lambda: SimilarIds(ids()))

    def card_completions(self, store: Store) -> PrefixIndex[tuple[str, str]]:
        """Return the cards of all games, as game and name, by their names and labels."""

        def compute() -> PrefixIndex[tuple[str, str]]:
            return PrefixIndex(
                (name, key)
                for key, cards in self.cards(store).items()
                for name in dict.fromkeys((key[1], *_names(cards)))
            )

        return self.cached("card completions", compute)

    def topic_completions(self, store: Store) -> PrefixIndex[tuple[str, str]]:
        """Return the topics of all games, as game and id, by their titles."""

        def compute() -> PrefixIndex[tuple[str, str]]:
            return PrefixIndex(
                (title, (topic["game"], topic["id"]))
                for topic in topics(store)
                for title in topic["title"].values()
            )

        return self.cached("topic completions", compute)


def _names(cards: Iterable[StoredCard]) -> Iterator[str]:
    for card in cards:
        yield card.label
        yield from card.other_names


def complete_words(
    searcher: Searcher, typed: str, languages: Sequence[str], limit: int
) -> list[tuple[str, str]]:
    """Return words that begin like the last one typed, as language and word, the shortest first."""
    # A space at the end ends the last word.
    typed = clean_typed(f"{typed}|")[:-1]
    tokens = [token.text for token in tokenize(typed)]
    if not tokens or not typed[-1:].isalnum():
        return []
    prefix = fold(tokens[-1])
    words = [
        (lang, searcher.table.unfolded(word, lang))
        for lang in languages
        for word in searcher.table.starting(prefix, lang, limit)
    ]
    return sorted(words, key=lambda pair: (len(pair[1]), pair))[:limit]
