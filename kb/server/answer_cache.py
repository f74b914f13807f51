"""Answers to repeated requests: those of the current build, as they are sent."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass

from kb.server.site_files import SiteFile

# Size of the answers in memory, in bytes.
ANSWERS_SIZE = 16_000_000
# Memory that an entry takes beside its bytes.
_ENTRY_OVERHEAD = 1_000


@dataclass(frozen=True)
class CachedAnswer:
    """An answer as JSON, with what its headers and the log of unanswered queries need."""

    file: SiteFile
    total: int
    match: str

    @property
    def size(self) -> int:
        """Its bytes in memory, about."""
        return _ENTRY_OVERHEAD + len(self.file.body or b"")


class AnswerCache:
    """Answers of one build by their requests, the least recently asked dropped first.

    Threads may share it.
    """

    def __init__(self, size: int = ANSWERS_SIZE) -> None:
        self._limit, self._size = size, 0
        self._build = ""
        self._answers: OrderedDict[Hashable, CachedAnswer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, build_id: str, request: Hashable) -> CachedAnswer | None:
        """Return the answer to a request, None where that build has not answered it."""
        with self._lock:
            if build_id != self._build or request not in self._answers:
                return None
            self._answers.move_to_end(request)
            return self._answers[request]

    def put(self, build_id: str, request: Hashable, answer: CachedAnswer) -> None:
        """Add an answer; those of another build are dropped."""
        with self._lock:
            if build_id != self._build:
                self._answers.clear()
                self._build, self._size = build_id, 0
            previous = self._answers.pop(request, None)
            self._size += answer.size - (previous.size if previous else 0)
            self._answers[request] = answer
            while self._size > self._limit:
                _, dropped = self._answers.popitem(last=False)
                self._size -= dropped.size
