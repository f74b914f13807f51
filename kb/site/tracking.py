"""What a page reads while it is collected, so that it is collected again only where that differs.

Nobody lists the dependencies of a page: whatever it reads from a tracked mapping is noted.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, ValuesView
from contextlib import contextmanager
from typing import Any, TypeVar

import orjson

from kb.core.json import bytes_hash

V = TypeVar("V")
W = TypeVar("W")


class ReadLog:
    """The mappings whose reads are noted, and the names of what was read of them.

    `name` is read whatever is collected; `hash_` is its hash.
    """

    def __init__(self, name: str = "", hash_: str = "") -> None:
        self.names: set[str] = set()
        self._name, self._hash = name, hash_
        self._mappings: list[TrackedMapping[Any]] = []

    def tracked(
        self,
        kind: str,
        values: Mapping[str, V],
        hashes: Mapping[str, str] | Callable[[], Mapping[str, str]] | None = None,
    ) -> TrackedMapping[V]:
        """A mapping whose reads are noted.

        `hashes`: those of its values by key, where these are no plain data or their hashes are
        known, or what returns them.
        """
        mapping = TrackedMapping(self, f"{self._name} {kind}", values, hashes)
        self._mappings.append(mapping)
        return mapping

    @contextmanager
    def recording(self) -> Iterator[set[str]]:
        """Yield the names of what the body reads."""
        outer, self.names = self.names, {self._name}
        try:
            yield self.names
        finally:
            self.names = outer

    def hashes(self) -> dict[str, str]:
        """A hash of all that can be read, by the names that reads are noted under."""
        hashes = {self._name: self._hash}
        for mapping in self._mappings:
            hashes |= mapping.hashes()
        return hashes


class TrackedMapping(Mapping[str, V]):
    """A mapping that notes which of its keys are read, even those that it does not have.

    A read of all keys, or of their number, is noted under `name` alone.
    """

    def __init__(
        self,
        log: ReadLog,
        name: str,
        values: Mapping[str, V],
        hashes: Mapping[str, str] | Callable[[], Mapping[str, str]] | None,
    ) -> None:
        self._log, self._name, self._values, self._hashes = log, name, values, hashes
        self._prefix = f"{name} "

    def __getitem__(self, key: str) -> V:
        self._log.names.add(self._prefix + key)
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        self._log.names.add(self._name)
        return iter(self._values)

    def __len__(self) -> int:
        self._log.names.add(self._name)
        return len(self._values)

    def items(self) -> ItemsView[str, V]:
        """All keys with their values."""
        self._log.names.add(self._name)
        return self._values.items()

    def values(self) -> ValuesView[V]:
        """All values."""
        self._log.names.add(self._name)
        return self._values.values()

    def derived(self, function: Callable[[V], W]) -> TrackedMapping[W]:
        """What a function returns for each value, computed once; a read is noted as one of this."""
        values = _Derived(self._values, function)
        return TrackedMapping(self._log, self._name, values, self._hashes)

    def hashes(self) -> dict[str, str]:
        """The hash of each value, and one of all, by the names that reads are noted under."""
        known = self._hashes() if callable(self._hashes) else self._hashes
        if known is None:
            known = value_hashes(self._values)
        own = {self._prefix + key: known[key] for key in self._values}
        return {**own, self._name: _hash(own)}


def value_hashes(values: Mapping[str, object]) -> dict[str, str]:
    """The hashes of plain data by key."""
    return {key: _hash(value) for key, value in values.items()}


def _hash(value: object) -> str:
    # Not `data_hash`: that hashes an object by its key, whatever else has changed in it.
    try:
        return bytes_hash(orjson.dumps(value))
    except TypeError:
        # Half a surrogate pair, for which JSON has no bytes.
        return bytes_hash(repr(value).encode("utf-8", "backslashreplace"))


class _Derived(Mapping[str, W]):
    """What a function returns for each value of a mapping."""

    def __init__(self, values: Mapping[str, V], function: Callable[[V], W]) -> None:
        self._keys = values
        self._compute: Callable[[str], W] = lambda key: function(values[key])
        self._known: dict[str, W] = {}

    def __getitem__(self, key: str) -> W:
        if key not in self._known:
            self._known[key] = self._compute(key)
        return self._known[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)


def differing(old: Mapping[str, str], new: Mapping[str, str]) -> set[str]:
    """The names whose hashes differ, those that have come or gone among them."""
    return {name for name, _ in old.items() ^ new.items()}
