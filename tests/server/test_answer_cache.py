"""Answers of the API in memory: of the current build, bounded."""

from __future__ import annotations

from kb.server.answer_cache import AnswerCache, CachedAnswer
from kb.server.responses import json_file


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
