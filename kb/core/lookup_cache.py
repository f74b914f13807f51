"""Values that were looked up, kept for the next time: the least recently asked dropped first."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class LookupCache(Generic[K, V]):
    """At most `size` values by key; `look_up` gives those of several keys that are not here."""

    def __init__(self, size: int, look_up: Callable[[list[K]], Iterable[tuple[K, V]]]) -> None:
        self._size, self._look_up = size, look_up
        self._values: dict[K, V] = {}

    def get(self, keys: Iterable[K]) -> dict[K, V]:
        """The values of some keys, in their order; keys that have none are left out."""
        wanted = list(keys)
        values = self._values
        missing = [key for key in wanted if key not in values]
        if missing:
            values.update(self._look_up(missing))
        found = {key: values.pop(key) for key in dict.fromkeys(wanted) if key in values}
        # What is asked for stands last, and is dropped last.
        values.update(found)
        while len(values) > self._size:
            del values[next(iter(values))]
        return found
