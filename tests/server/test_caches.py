"""What the server holds in memory: answers of the current build, files of a database; bounded."""

from __future__ import annotations

from kb.server.answer_cache import AnswerCache, CachedAnswer
from kb.server.database import FileCache
from kb.server.responses import json_file
from kb.server.site_files import SiteFile


def answer(text: str) -> CachedAnswer:
    return CachedAnswer(json_file({"text": text}), 1, "all")


def test_a_cache_holds_one_build_and_drops_what_was_asked_longest_ago() -> None:
    cache = AnswerCache(3 * answer("x").size)
    for name in "abc":
        cache.put("1", name, answer(name))
    assert cache.get("1", "a") == answer("a")
    cache.put("1", "d", answer("d"))
    assert cache.get("1", "b") is None
    assert cache.get("1", "a") and cache.get("1", "c") and cache.get("1", "d")
    assert cache.get("2", "a") is None
    cache.put("2", "a", answer("new"))
    assert cache.get("2", "a") == answer("new") and cache.get("1", "c") is None


def test_files_of_a_database_are_dropped_beyond_64_mb() -> None:
    cache = FileCache()
    for number in range(10):
        cache.put(f"{number}.bin", SiteFile("application/octet-stream", "", bytes(20_000_000)))
    assert [number for number in range(10) if cache.get(f"{number}.bin")] == [7, 8, 9]
