"""What every question to one build may need and no question changes: cards by name, addresses, and words to complete."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from kb.commands.cards import CardsByName, cards_by_name
from kb.core import urls
from kb.language import fold, tokenize
from kb.search.searcher import Searcher
from kb.store.lists import topics
from kb.store.queries import Store

T = TypeVar("T")
K = TypeVar("K")
_KEPT = 64


class Catalogue:
    """Made a piece at a time, when a question first needs it; shared by the threads that ask the same build."""

    def __init__(self) -> None:
        self._made: OrderedDict[str, Any] = OrderedDict()
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What `make` gives, made once and then held; of many names the latest are."""
        with self._lock:
            if name in self._made:
                self._made.move_to_end(name)
                return self._made[name]  # type: ignore[no-any-return]
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            with self._lock:
                if name in self._made:
                    return self._made[name]  # type: ignore[no-any-return]
            value = make()
            with self._lock:
                self._made[name] = value
                while len(self._made) > _KEPT:
                    self._made.popitem(last=False)
            return value

    def cards(self, store: Store) -> CardsByName:
        """The cards of all games by game and name."""
        return self.once("cards", lambda: cards_by_name(store))

    def pieces(self, store: Store, game: str) -> dict[str, str]:
        """The addresses of a game's cards, by name."""
        return self.once(
            f"pieces {game}",
            lambda: urls.slugs(name for owner, name in self.cards(store) if owner == game),
        )

    def named(self, store: Store, game: str) -> dict[str, str]:
        """The names of a game's cards, by address."""
        return self.once(
            f"named {game}",
            lambda: {piece: name for name, piece in self.pieces(store, game).items()},
        )

    def card_starts(self, store: Store) -> Starts[tuple[str, str]]:
        """The cards of all games by the words that their names begin with."""

        def make() -> Starts[tuple[str, str]]:
            found = self.cards(store)
            return Starts(
                (name, key) for key, group in found.items() for name in (key[1], *_others(group))
            )

        return self.once("card starts", make)

    def topic_starts(self, store: Store) -> Starts[tuple[str, str]]:
        """The topics of all games by the words that their titles begin with."""

        def make() -> Starts[tuple[str, str]]:
            return Starts(
                (title, (one["game"], one["id"]))
                for one in topics(store)
                for title in one["title"].values()
            )

        return self.once("topic starts", make)


def _others(cards: Iterable[Any]) -> list[str]:
    return list(dict.fromkeys(name for card in cards for name in (card.label, *card.other_names)))


class Starts(Generic[K]):
    """Names to be completed from what somebody has typed, in whatever case and without diacritics, at any of their words."""

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
        self._folded = [row[0] for row in rows]
        self._rows = rows

    def complete(
        self, typed: str, limit: int, allowed: Callable[[K], bool] = lambda key: True
    ) -> list[K]:
        """The names that have words beginning so: those that begin so themselves first, shorter ones before longer."""
        folded = fold(" ".join(typed.split()))
        if not folded:
            return []
        at = bisect_left(self._folded, folded)
        found: list[tuple[bool, int, str, K]] = []
        while at < len(self._rows) and self._folded[at].startswith(folded):
            text, inner, length, _, key = self._rows[at]
            if allowed(key):
                found.append((inner, length, text, key))
            at += 1
        return list(dict.fromkeys(one[3] for one in sorted(found, key=lambda one: one[:3])))[:limit]


def words(
    searcher: Searcher, typed: str, languages: Sequence[str], limit: int
) -> list[tuple[str, str]]:
    """Words of the texts that begin like the last one typed: pairs of language and word, as the texts write it."""
    tokens = [token.text for token in tokenize(typed)]
    if not tokens or not typed[-1:].isalnum():
        return []
    folded = fold(tokens[-1])
    found = []
    for lang in languages:
        found += [
            (lang, searcher.table.unfolded(word, lang))
            for word in searcher.table.starting(folded, lang, limit)
        ]
    return sorted(found, key=lambda one: (len(one[1]), one))[:limit]
