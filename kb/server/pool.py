"""A pool of searchers over the current build, each used by one thread at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Protocol, TypeVar

from kb.core.problems import NotBuilt, Unavailable
from kb.pipeline.paths import Paths
from kb.records.history import Change, changes
from kb.search.catalogue import Catalogue
from kb.search.searcher import Searcher
from kb.server.responses import HttpError
from kb.store.queries import Store

T = TypeVar("T")
UNAVAILABLE = "The search is not available at the moment; try again in a few seconds."
# Number of requests that may wait for each searcher.
QUEUE_LENGTH = 4
# Longest wait for a searcher, in seconds.
QUEUE_TIMEOUT = 3.0
# Attempts of a request whose build is damaged or gone.
_ATTEMPTS = 3
# A database that did not answer is asked again after this time, in seconds.
_RETRY_AFTER = 1.0


class Builds(Protocol):
    """A storage of builds: folders on this machine, or a database."""

    def current(self) -> str:
        """Return the id of the current build. Raises NotBuilt when there is none."""

    def open(self, build_id: str) -> Searcher:
        """Open a build. Raises NotBuilt when it is damaged or gone."""

    def history(self) -> list[Change] | None:
        """Return every change of a record, newest first; None without a history."""


@dataclass(frozen=True)
class FolderBuilds:
    """Builds in the folders that `kb build` writes."""

    paths: Paths

    def current(self) -> str:
        """Return the name of the current build's folder."""
        return self.paths.current.name

    def open(self, build_id: str) -> Searcher:
        """Open the build in the folder of that name."""
        return Searcher(self.paths.data / "builds" / build_id)

    def history(self) -> list[Change] | None:
        """Read the records' git history."""
        return changes(self.paths.rulings)


@dataclass
class OpenBuild:
    """A searcher of one thread, and the catalogue that all searchers of its build share."""

    id: str
    searcher: Searcher
    catalogue: Catalogue

    @property
    def store(self) -> Store:
        return self.searcher.store


class SearchPool:
    """Lends open builds to threads: `size` run at once, QUEUE_LENGTH times as many wait."""

    def __init__(self, builds: Builds, size: int = 4) -> None:
        self.builds = builds
        self.size = size
        self.running = 0
        self._idle: list[OpenBuild] = []
        self._catalogue: tuple[str, Catalogue] | None = None
        self._lock = threading.Lock()
        self._running_slots = threading.BoundedSemaphore(size)
        self._queue_slots = threading.BoundedSemaphore(size * (QUEUE_LENGTH + 1))
        self._failed: tuple[float, str] = (-_RETRY_AFTER, "")

    def run(self, work: Callable[[OpenBuild], T]) -> T:
        """Call `work` with the current build, again with the next one if it is damaged or gone.

        Raises HttpError 503 when too many requests wait, or when nothing is built.
        """
        self._check_available()
        with self._slot():
            for attempts_left in range(_ATTEMPTS, 0, -1):
                try:
                    with self._lease() as build:
                        return work(build)
                except NotBuilt as error:
                    is_away = isinstance(error, Unavailable)
                    if is_away:
                        self._failed = (time.monotonic(), str(error))
                    if is_away or attempts_left == 1:
                        raise _no_build(error) from error
            raise AssertionError

    def _check_available(self) -> None:
        """Raise HttpError at once while a database is known not to answer."""
        moment, reason = self._failed
        if time.monotonic() - moment < _RETRY_AFTER:
            raise _no_build(Unavailable(reason))

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """Wait for a running slot; raises HttpError when the queue is full or the wait too long."""
        with ExitStack() as acquired:
            for slots, timeout in ((self._queue_slots, 0), (self._running_slots, QUEUE_TIMEOUT)):
                if not slots.acquire(timeout=timeout):
                    raise _too_busy()
                acquired.callback(slots.release)
            self._check_available()
            with self._lock:
                self.running += 1
            try:
                yield
            finally:
                with self._lock:
                    self.running -= 1

    @contextmanager
    def _lease(self) -> Iterator[OpenBuild]:
        current = self.builds.current()
        with self._lock:
            # The searcher used last has most of its index in memory.
            build = next((idle for idle in reversed(self._idle) if idle.id == current), None)
            outdated = [idle for idle in self._idle if idle.id != current]
            self._idle = [idle for idle in self._idle if idle.id == current and idle is not build]
        for idle in outdated:
            with suppress(Exception):
                idle.searcher.close()
        build = build or self._open(current)
        try:
            yield build
        except HttpError:
            self._return(build)
            raise
        except BaseException:
            with suppress(Exception):
                build.searcher.close()
            raise
        self._return(build)

    def _return(self, build: OpenBuild) -> None:
        with self._lock:
            self._idle.append(build)

    def _open(self, build_id: str) -> OpenBuild:
        searcher = self.builds.open(build_id)
        with self._lock:
            if self._catalogue is None or self._catalogue[0] != build_id:
                self._catalogue = (build_id, Catalogue())
            return OpenBuild(build_id, searcher, self._catalogue[1])

    def warm_up(self) -> None:
        """Read the indexes of searches and completions, so that the first ones are quick."""

        def read(build: OpenBuild) -> None:
            build.searcher.warm_up()
            build.catalogue.complete_cards(build.store, "a", game="", limit=1)

        with suppress(HttpError):
            self.run(read)

    def close(self) -> None:
        """Close the idle searchers."""
        with self._lock:
            idle, self._idle = self._idle, []
        for build in idle:
            build.searcher.close()


def _no_build(error: NotBuilt) -> HttpError:
    away = isinstance(error, Unavailable)
    detail = UNAVAILABLE if away else "There is nothing to search in; `kb build` makes it."
    status = HTTPStatus.SERVICE_UNAVAILABLE
    return HttpError(status, detail, {"Retry-After": "5"}, cause=str(error))


def _too_busy() -> HttpError:
    detail = "The server is busy with other searches; try again in a moment."
    return HttpError(HTTPStatus.SERVICE_UNAVAILABLE, detail, {"Retry-After": "1"})
