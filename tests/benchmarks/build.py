"""`kb build`: everything, and where nothing has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.benchmarks.bench import Base, Bench, tried
from tests.benchmarks.measure import repeated
from tests.benchmarks.table import Figure, figure

FAMILY = "site"
COLD, NOTHING = "cold", "nothing changed"
WHOLE = "kb build: store, index, browser index, site"


def measure(bench: Bench, size: int) -> Iterator[Figure]:
    """The figures of one size."""
    base = bench.copy(size, "build")
    yield from _whole(bench, base, COLD, WHOLE, base.clear)
    if not base.site.is_dir():
        return
    yield from _whole(bench, base, NOTHING, "kb build", lambda: None, f"{len(base.pages):,} pages")
    bench.keep(base)


def _whole(
    bench: Bench, base: Base, what: str, who: str, before: Callable[[], None], note: str = ""
) -> list[Figure]:
    """`kb build` after something was done to the base."""

    def measured() -> Figure:
        runs = repeated(bench.plan, base.command(), before, env=base.env)
        return figure(FAMILY, what, base.size, who, runs, True, note)

    return tried(FAMILY, what, base.size, who, measured)
