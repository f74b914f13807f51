"""A pool of searchers of the current build, each used by one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TypeVar

from kb.core.problems import NotBuilt, Unavailable
from kb.pipeline.builds import Builds
from kb.pipeline.catalogue import Catalogue
from kb.pipeline.open_base import OpenBase
from kb.server.responses import HttpError

T = TypeVar("T")
# Number of requests that may wait for each searcher.
QUEUE_LENGTH = 4
# Longest wait for a searcher, in seconds.
QUEUE_TIMEOUT = 3.0


class SearchPool:
    """Lends the current build to threads: `size` run at once, QUEUE_LENGTH times as many wait."""

    def __init__(self, builds: Builds, base_url: str = "", size: int = 4) -> None:
        self.builds = builds
        self.base_url = base_url
        # Of the build with this id; the one used last is at the end.
        self._idle: list[OpenBase] = []
        self._build_id = ""
        self._catalogue = Catalogue()
        self._lock = threading.Lock()
        self._running_slots = threading.BoundedSemaphore(size)
        self._queue_slots = threading.BoundedSemaphore(size * (QUEUE_LENGTH + 1))

    def run(self, work: Callable[[OpenBase], T]) -> T:
        """Call `work` with the current build.

        Raises Unavailable when too many requests wait, NotBuilt when nothing is built; the message
        is for clients, and the reason is the cause of the error.
        """
        with self._slot():
            try:
                with self._lease() as build:
                    return work(build)
            except Unavailable as error:
                detail = "The search is not available at the moment; try again in a few seconds."
                raise Unavailable(detail) from error
            except NotBuilt as error:
                raise NotBuilt("There is nothing to search in; `kb build` makes it.") from error

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """Wait for a running slot; raises Unavailable when too many wait, or it takes too long."""
        with ExitStack() as acquired:
            for slots, timeout in ((self._queue_slots, 0), (self._running_slots, QUEUE_TIMEOUT)):
                if not slots.acquire(timeout=timeout):
                    detail = "The server is busy with other searches; try again in a moment."
                    raise Unavailable(detail)
                acquired.callback(slots.release)
            yield

    @contextmanager
    def _lease(self) -> Iterator[OpenBase]:
        current = self.builds.current()
        outdated: list[OpenBase] = []
        with self._lock:
            if self._build_id != current:
                outdated, self._idle = self._idle, []
                self._build_id, self._catalogue = current, Catalogue()
            catalogue = self._catalogue
            # The searcher used last has most of its index in memory.
            base = self._idle.pop() if self._idle else None
        _close(outdated)
        base = base or OpenBase(self.builds.open(current), catalogue, self.base_url)
        is_sound = False
        try:
            yield base
            is_sound = True
        except HttpError:
            is_sound = True
            raise
        finally:
            with self._lock:
                is_kept = is_sound and base.catalogue is self._catalogue
                if is_kept:
                    self._idle.append(base)
            if not is_kept:
                _close([base])

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, []
        _close(idle)


def _close(bases: Iterable[OpenBase]) -> None:
    """Close searchers outside the lock, because a close may take long."""
    for base in bases:
        with suppress(Exception):
            base.searcher.close()
