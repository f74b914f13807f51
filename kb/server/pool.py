"""What answers questions: searchers over the published build, each used by one thread at a time, moved over when a new one is.

A place of builds (`Builds`) tells which one is published and opens it: a folder on this machine is one, a database another.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol, TypeVar

from kb.build.paths import Paths
from kb.core.problems import NotBuilt
from kb.records.history import Change, changes
from kb.search.searcher import Searcher
from kb.server.catalogue import Catalogue
from kb.server.responses import Refused

T = TypeVar("T")
# How many may wait for a searcher for each that there is, and for how long, in seconds.
QUEUE, PATIENCE = 4, 5.0
_TRIES = 3
# How often it is looked whether a new build is published, in seconds.
_LOOK = 0.2


class Builds(Protocol):
    """Where builds are published."""

    def current(self) -> str:
        """What the published build is called. Raises NotBuilt when there is none."""

    def open(self, build: str) -> Searcher:
        """A searcher over a build, with its store. Raises NotBuilt when it cannot be used or is gone."""

    def history(self) -> list[Change] | None:
        """Every change of a record, newest first; None where the records have no history or are elsewhere."""


@dataclass(frozen=True)
class Folders:
    """Builds in the folders that `kb build` makes."""

    places: Paths

    def current(self) -> str:
        """The number of the published build."""
        return self.places.current.name

    def open(self, build: str) -> Searcher:
        """A searcher over the build of that number."""
        return Searcher(self.places.data / "builds" / build)

    def history(self) -> list[Change] | None:
        """The records' git history."""
        return changes(self.places.rulings)


@dataclass
class Base:
    """One searcher with its store, and what all searchers of its build share."""

    build: str
    searcher: Searcher
    catalogue: Catalogue


class Pool:
    """Lends bases of the published build to threads: at most `size` work at once, QUEUE times as many wait for a moment."""

    def __init__(self, builds: Builds, size: int = 4) -> None:
        self.builds, self.size = builds, size
        self.busy = 0
        self._idle: list[Base] = []
        self._catalogue: tuple[str, Catalogue] | None = None
        self._lock = threading.Lock()
        self._places = threading.BoundedSemaphore(size)
        self._waiting = threading.BoundedSemaphore(size * (QUEUE + 1))
        self._seen: tuple[float, str] = (0.0, "")

    def ask(self, work: Callable[[Base], T]) -> T:
        """Does `work` with a base of the published build.

        One that turns out to be damaged or gone is dropped and another tried. Raises Refused with 503 when too many ask at
        once, or when nothing is built.
        """
        with self._place():
            for left in range(_TRIES, 0, -1):
                try:
                    with self._lent() as base:
                        return work(base)
                except NotBuilt as error:
                    self._seen = (0.0, "")
                    if left == 1:
                        again = {"Retry-After": "5"}
                        told = f"nothing to search in ({error}); `kb build` makes it"
                        raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, told, again) from error
            raise AssertionError

    @contextmanager
    def _place(self) -> Iterator[None]:
        """A place among those who work; raises Refused when there is none and the queue is full, or it takes too long."""
        if not self._waiting.acquire(blocking=False):
            raise _busy()
        try:
            if not self._places.acquire(timeout=PATIENCE):
                raise _busy()
            try:
                self.busy += 1
                yield
            finally:
                self.busy -= 1
                self._places.release()
        finally:
            self._waiting.release()

    @contextmanager
    def _lent(self) -> Iterator[Base]:
        build = self.current()
        with self._lock:
            base = next((one for one in self._idle if one.build == build), None)
            old = [one for one in self._idle if one.build != build]
            self._idle = [one for one in self._idle if one.build == build and one is not base]
        for one in old:
            with suppress(Exception):
                one.searcher.close()
        base = base or self._open(build)
        try:
            yield base
        except Refused:
            self._back(base)
            raise
        except BaseException:
            with suppress(Exception):
                base.searcher.close()
            raise
        self._back(base)

    def _back(self, base: Base) -> None:
        with self._lock:
            self._idle.append(base)

    def current(self) -> str:
        """What the published build is called, looked up a few times a second. Raises NotBuilt when there is none."""
        moment, build = self._seen
        if build and time.monotonic() - moment < _LOOK:
            return build
        build = self.builds.current()
        self._seen = (time.monotonic(), build)
        return build

    def _open(self, build: str) -> Base:
        searcher = self.builds.open(build)
        with self._lock:
            if self._catalogue is None or self._catalogue[0] != build:
                self._catalogue = (build, Catalogue())
            return Base(build, searcher, self._catalogue[1])

    def close(self) -> None:
        """Closes what is not lent."""
        with self._lock:
            idle, self._idle = self._idle, []
        for one in idle:
            one.searcher.close()


def _busy() -> Refused:
    told = "too many questions at once; ask again in a moment"
    return Refused(HTTPStatus.SERVICE_UNAVAILABLE, told, {"Retry-After": "1"})
