"""Indexes of one build that all its readers share: cards, slugs, completions by prefix."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, Generic, TypeVar

from kb.core.characters import clean_typed
from kb.language import fold, tokenize
from kb.linking.names import CardNames
from kb.search.card_lookup import CardsByName, cards_by_name, names_by_game, slugs
from kb.search.searcher import Searcher
from kb.store.lists import topics
from kb.store.queries import Store

K = TypeVar("K")
T = TypeVar("T")
GameAndName = tuple[str, str]


class PrefixIndex(Generic[K]):
    """Finds the keys of names by a typed prefix of any word, without case and diacritics."""

    def __init__(self, names: Iterable[tuple[str, K]]) -> None:
        # The text from a word of a name on, whether it is not the first word, the name's length.
        self._rows: list[tuple[str, bool, int, K]] = []
        for name, key in names:
            folded = fold(name)
            starts = dict.fromkeys([0, *(token.start for token in tokenize(folded))])
            self._rows += [(folded[start:], start > 0, len(folded), key) for start in starts]
        self._rows.sort(key=lambda row: row[:3])

    def complete(
        self, typed: str, limit: int, accept: Callable[[K], bool] = lambda key: True
    ) -> list[K]:
        """Return the keys of matching names: matches at the start first, then short names."""
        folded = fold(clean_typed(typed))
        if not folded:
            return []
        start = bisect_left(self._rows, folded, key=itemgetter(0))
        end = bisect_left(self._rows, folded + "\U0010ffff", key=itemgetter(0))
        rows = [row for row in self._rows[start:end] if accept(row[3])]
        rows.sort(key=lambda row: (row[1], row[2], row[0]))
        return list(dict.fromkeys(row[3] for row in rows))[:limit]


class Catalogue:
    """Values computed on first use and shared by all threads that read one build."""

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
        return self.cached("cards", lambda: cards_by_name(store))

    def card_names(self, store: Store, game: str = "") -> dict[str, CardNames]:
        """Return the names of the cards of a game, by default of each game."""
        by_game = self.cached("card names", lambda: names_by_game(self.cards(store)))
        return {key: names for key, names in by_game.items() if not game or key == game}

    def slugs(self, store: Store, game: str) -> dict[str, str]:
        return self.cached(f"slugs {game}", lambda: slugs(self.cards(store), game))

    def names(self, store: Store, game: str) -> dict[str, str]:
        slugs = self.slugs(store, game)
        return self.cached(f"names {game}", lambda: {slug: name for name, slug in slugs.items()})

    def complete_cards(self, store: Store, typed: str, game: str, limit: int) -> list[GameAndName]:
        """Return game and name of the cards whose name or label matches; of all games for ""."""
        index = self.cached("card completions", lambda: PrefixIndex(self._card_names(store)))
        return index.complete(typed, limit, lambda key: not game or key[0] == game)

    def complete_topics(self, store: Store, typed: str, game: str, limit: int) -> list[GameAndName]:
        index = self.cached("topic completions", lambda: PrefixIndex(_topic_titles(store)))
        return index.complete(typed, limit, lambda key: not game or key[0] == game)

    def _card_names(self, store: Store) -> Iterator[tuple[str, GameAndName]]:
        for key, cards in self.cards(store).items():
            labels = (name for card in cards for name in (card.label, *card.other_names))
            for name in dict.fromkeys((key[1], *labels)):
                yield name, key


def _topic_titles(store: Store) -> Iterator[tuple[str, GameAndName]]:
    for topic in topics(store):
        for title in topic["title"].values():
            yield title, (topic["game"], topic["id"])


def complete_words(
    searcher: Searcher, typed: str, languages: Sequence[str], limit: int
) -> list[tuple[str, str]]:
    """Return words that begin like the last one typed, as language and word, the shortest first."""
    # Without the bar, `clean_typed` would remove a space at the end, which ends the last word.
    typed = clean_typed(f"{typed}|")[:-1]
    tokens = [token.text for token in tokenize(typed)]
    if not tokens or not typed[-1:].isalnum():
        return []
    prefix = fold(tokens[-1])
    words = [
        (lang, searcher.table.unfolded(word, lang))
        for lang in languages
        for word in searcher.vocabularies(lang).shortest(prefix, limit)
    ]
    return sorted(words, key=lambda pair: (len(pair[1]), pair))[:limit]
