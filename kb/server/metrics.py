"""Prometheus metrics: requests, their duration, running searches; no queries and no paths."""

from __future__ import annotations

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, make_asgi_app
from prometheus_client.multiprocess import MultiProcessCollector
from starlette.types import Receive, Scope, Send

# Names the folder in which several worker processes share their metrics.
MULTIPROCESS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
# In seconds.
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class Metrics:
    """The metrics of one worker process; the application answers for all processes."""

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self._requests = Counter(
            "kb_requests", "Requests answered", ("method", "route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "kb_request_seconds", "Time to answer", ("route",), buckets=_BUCKETS, registry=registry
        )
        self.searches = Gauge(
            "kb_searches_running",
            "Searches running",
            registry=registry,
            multiprocess_mode="livesum",
        )
        if os.environ.get(MULTIPROCESS_VARIABLE):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        self._exposition = make_asgi_app(registry)

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Record one request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the metrics as Prometheus reads them."""
        await self._exposition(scope, receive, send)
