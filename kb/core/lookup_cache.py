"""A cache of looked-up values, which drops the least recently used ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LookupCache(Generic[K, V]):
    """At most `size` values by key; `look_up` returns the values of missing keys."""

    def __init__(self, size: int, look_up: Callable[[list[K]], Iterable[tuple[K, V]]]) -> None:
        self._size, self._look_up = size, look_up
        self._values: dict[K, V] = {}

    def get(self, keys: Iterable[K]) -> dict[K, V]:
        """Return the values of keys, in their order, without the keys that have no value."""
        unique, values = dict.fromkeys(keys), self._values
        missing = [key for key in unique if key not in values]
        if missing:
            values.update(self._look_up(missing))
        answer = {key: values.pop(key) for key in unique if key in values}
        # The values of this call stand last, and are dropped last.
        values.update(answer)
        while len(values) > self._size:
            del values[next(iter(values))]
        return answer
