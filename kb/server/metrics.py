"""Figures for Prometheus: requests, how long they took, what is running. No word of a query and no address is in them."""

from __future__ import annotations

import os
from collections.abc import Callable

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

# Where several processes serve, each writes its figures into files of this folder, and whichever is asked adds them up.
SHARED = "PROMETHEUS_MULTIPROC_DIR"
_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The figures of one server, or of the process that it is one of."""

    def __init__(self, running: Callable[[], int]) -> None:
        """`running` tells how many searches are at work."""
        self._own = CollectorRegistry()
        self._requests = Counter(
            "kb_requests", "Requests answered", ("method", "route", "status"), registry=self._own
        )
        self._seconds = Histogram(
            "kb_request_seconds", "Time to answer", ("route",), buckets=_BOUNDS, registry=self._own
        )
        self._running = Gauge(
            "kb_searches_running",
            "Searches at work",
            registry=self._own,
            multiprocess_mode="livesum",
        )
        self._ask = running

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Takes in one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> tuple[bytes, str]:
        """The figures as Prometheus reads them, and their media type."""
        self._running.set(self._ask())
        registry = self._own
        if os.environ.get(SHARED):
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
