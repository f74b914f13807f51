"""Results of functions, kept while the same process computes the same things again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeVar

K = TypeVar("K")
R = TypeVar("R")
_Known = tuple[tuple[object, ...], Any]
# A result that nobody has asked for in so many rounds is forgotten.
_ROUNDS = 20


class Computed(dict[K, R]):
    """What a function returns for each key, computed when it is first asked for.

    Nothing is ever forgotten: for the words of a library, not for those of queries.
    """

    def __init__(self, function: Callable[[K], R]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: K) -> R:
        self[key] = value = self._function(key)
        return value


class Memo:
    """Keeps the last result of a function for each key.

    A result is used again where every argument equals the one that it was computed from. It can
    depend on nothing else: `call` hands the function nothing but these. `keep`: without it every
    call computes, for whoever calls once.
    """

    def __init__(self, *, keep: bool = True) -> None:
        self.keep = keep
        self._known: dict[Hashable, _Known] = {}
        self._used: dict[Hashable, _Known] = {}
        self._round = 0

    def call(self, key: Hashable, function: Callable[..., R], *arguments: object) -> R:
        """Return what a function returns for some arguments, which nobody may change later."""
        if not self.keep:
            return function(*arguments)
        place = (function, key)
        known = self._used.get(place) or self._known.get(place)
        if known is None or known[0] != arguments:
            known = arguments, function(*arguments)
        self._used[place] = known
        result: R = known[1]
        return result

    def state(self, key: Hashable, create: Callable[[], R]) -> R:
        """Return the same object for each call, a new one where none is kept.

        Whoever asks for it brings it up to date.
        """
        return self.call(key, create)

    def end_round(self) -> None:
        """Forget what was not asked for in some rounds, so that memory stays bounded."""
        self._round += 1
        if self._round % _ROUNDS == 0:
            self._known, self._used = self._used, {}
