"""Prometheus metrics: requests, their duration, running searches; no queries and no paths."""

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

# Names the folder in which several worker processes share their metrics.
MULTIPROCESS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
# In seconds.
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The metrics of one worker process."""

    def __init__(self, running_searches: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "kb_requests",
            "Requests answered",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "kb_request_seconds",
            "Time to answer",
            ("route",),
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._searches = Gauge(
            "kb_searches_running",
            "Searches running",
            registry=self._registry,
            multiprocess_mode="livesum",
        )
        self._running_searches = running_searches

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Record one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def exposition(self) -> tuple[bytes, str]:
        """Return the metrics of all worker processes as Prometheus reads them, with media type."""
        self._searches.set(self._running_searches())
        registry = self._registry
        if os.environ.get(MULTIPROCESS_VARIABLE):
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry), CONTENT_TYPE_LATEST
