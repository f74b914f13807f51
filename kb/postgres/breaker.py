"""Fails fast while a database server does not answer."""

from __future__ import annotations

import threading
import time

from kb.core.problems import Unavailable

# How long nobody asks a server that has just not answered, in seconds.
RETRY_AFTER = 1.0
# How long the others wait for the outcome of one attempt, in seconds; longer than any takes.
_ATTEMPT = 5.0


class CircuitBreaker:
    """Opens when a server has not answered in time, so that requests do not pile up behind it.

    After RETRY_AFTER one thread tries again; its outcome decides for all.
    """

    def __init__(self) -> None:
        self._open_until = 0.0
        self._tripped = False
        self._prober = 0
        self._lock = threading.Lock()

    @property
    def is_open(self) -> bool:
        """Whether the server is known not to answer."""
        return self._tripped and time.monotonic() < self._open_until

    def check(self) -> None:
        """Raise Unavailable while the breaker is open."""
        if not self._tripped:
            return
        with self._lock:
            now, thread = time.monotonic(), threading.get_ident()
            if now < self._open_until and thread != self._prober:
                raise Unavailable("the database has not answered a moment ago")
            self._open_until = now + _ATTEMPT
            self._prober = thread

    def trip(self) -> None:
        """Open the breaker: the server has not answered."""
        with self._lock:
            self._tripped = True
            self._prober = 0
            self._open_until = time.monotonic() + RETRY_AFTER

    def reset(self) -> None:
        """Close the breaker: the server has answered."""
        if self._tripped:
            with self._lock:
                self._tripped = False
