"""A connection that waits for a limited time; only this module subclasses psycopg's."""

from __future__ import annotations

import time
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

from kb.core.problems import Unavailable
from kb.postgres.breaker import CircuitBreaker

T = TypeVar("T")
# How long a statement of a reader may take in the server, in seconds.
STATEMENT_TIMEOUT = 2.0
# How long a reader waits for the answer: a server that is frozen ends no statement itself.
ANSWER_TIMEOUT = 2.5


class _NoAnswer(Exception):
    pass


class BoundedConnection(psycopg.Connection[Any]):
    """Raises Unavailable, and closes itself, when the server does not answer in time.

    `breaker` is shared by the connections to one server.
    """

    breaker = CircuitBreaker()

    def wait(self, gen: PQGen[T], *args: Any, **options: Any) -> T:
        """Wait for an answer; see psycopg.Connection.wait."""
        self.breaker.check()
        try:
            answer = super().wait(_bounded(gen, ANSWER_TIMEOUT), *args, **options)
        except _NoAnswer:
            self.breaker.trip()
            self.close()
            raise Unavailable(f"the database has not answered for {ANSWER_TIMEOUT} s") from None
        except psycopg.Error:
            self.breaker.reset()
            raise
        self.breaker.reset()
        return answer


def _bounded(gen: PQGen[T], seconds: float) -> PQGen[T]:
    """Pass on a generator that psycopg resumes at least every tenth of a second; end it in time."""
    end = time.monotonic() + seconds
    try:
        wanted = next(gen)
        while True:
            ready = yield wanted
            if not ready and time.monotonic() > end:
                raise _NoAnswer
            wanted = gen.send(ready)
    except StopIteration as stop:
        answer: T = stop.value
        return answer
