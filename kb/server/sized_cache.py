"""A cache with a limit of its total size, which drops the least recently read values first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

V = TypeVar("V")
# Memory of an entry beside its value, in bytes.
_ENTRY_OVERHEAD = 1_000


class SizedCache(Generic[V]):
    """Values by key, for several threads; `size_of` returns the bytes of a value."""

    def __init__(self, limit: int, size_of: Callable[[V], int]) -> None:
        self._limit, self._size_of = limit, size_of
        self._size = 0
        self._values: OrderedDict[Hashable, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> V | None:
        """Return a value, None for an unknown key."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Hashable, value: V) -> None:
        """Add or replace a value."""
        with self._lock:
            if key in self._values:
                self._size -= self._memory(self._values.pop(key))
            self._values[key] = value
            self._size += self._memory(value)
            while self._size > self._limit:
                _, dropped = self._values.popitem(last=False)
                self._size -= self._memory(dropped)

    def _memory(self, value: V) -> int:
        return _ENTRY_OVERHEAD + self._size_of(value)
