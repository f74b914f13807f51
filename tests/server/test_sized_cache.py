"""Values in memory: bounded, the least recently read dropped first."""

from __future__ import annotations

import time

from kb.server.database import DatabaseFiles
from kb.server.site_files import SiteFile
from kb.server.sized_cache import SizedCache


def test_a_cache_drops_what_was_asked_longest_ago() -> None:
    cache = SizedCache[str](6_100, len)
    for name in "abc":
        cache.put(name, name * 1_000)
    assert cache.get("a") == "a" * 1_000
    cache.put("d", "d" * 1_000)
    assert cache.get("b") is None
    assert cache.get("a") and cache.get("c") and cache.get("d")
    cache.put("d", "new")
    assert cache.get("d") == "new"
    cache.put("large", "x" * 10_000)
    assert cache.get("large") is cache.get("a") is None


def test_files_of_a_database_are_dropped_beyond_64_mb() -> None:
    files = DatabaseFiles("postgresql://nowhere/kb")
    for number in range(10):
        file = SiteFile("application/octet-stream", "", bytes(20_000_000))
        files.cache.put(f"{number}.bin", (time.monotonic(), file))
    assert [number for number in range(10) if files.cached(f"{number}.bin")] == [7, 8, 9]
