"""Hashes of all that pages show of a ruling, kept from one site to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kb.core.json import data_hash
from kb.records.history import RevisionDiff
from kb.records.model import Ruling


class Around(NamedTuple):
    """What a ruling's page shows of it beside its own record; see `PageCollector`."""

    ties: Mapping[str, tuple[str, ...]]
    past: tuple[RevisionDiff, ...]
    meaning: str


class RulingHashes:
    """Hashes of all that pages show of the rulings of a game, kept while these are the same."""

    def __init__(self) -> None:
        self._shared: tuple[object, ...] = ()
        # By key, the ruling's own hashes and that of all.
        self._known: dict[str, tuple[tuple[str, ...], str]] = {}

    def hashes(
        self,
        rulings: Iterable[Ruling],
        shared: tuple[object, ...],
        own: Sequence[Mapping[str, str]],
        around: Callable[[Ruling], Around],
    ) -> dict[str, str]:
        """Return them by id.

        `shared`, `own`: all that `around` and they themselves depend on, of all rulings and by key.
        """
        old = self._known if shared == self._shared else {}
        self._shared, self._known = shared, {}
        contents = own[0]
        hashes = {}
        for ruling in rulings:
            key = ruling.key
            token = tuple([one.get(key, "") for one in own])
            known = old.get(key)
            if known is None or known[0] != token:
                known = token, data_hash([contents[key], *around(ruling)])
            self._known[key] = known
            hashes[ruling.id] = known[1]
        return hashes
