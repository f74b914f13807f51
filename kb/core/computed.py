"""A dictionary whose values are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
R = TypeVar("R")


class Computed(dict[K, R]):
    """What a function returns for each key.

    Nothing is ever forgotten: for the words of a library, not for those of queries.
    """

    def __init__(self, function: Callable[[K], R]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, key: K) -> R:
        self[key] = value = self._function(key)
        return value
