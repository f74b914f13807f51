"""Answers of the API that come from memory: the same bytes, of the current build, bounded."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from kb.search.searcher import Searcher
from kb.server.answer_cache import AnswerCache, CachedAnswer
from kb.server.responses import json_file
from tests.serving import site

SEARCH = "/api/v1/search"


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


def test_a_repeated_query_is_searched_once(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    search = Searcher.search

    def counted(self: Searcher, text: str, *rest: object) -> object:
        searched.append(text)
        return search(self, text, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Searcher, "search", counted)
    with TestClient(site(built / "site"), base_url="http://127.0.0.1") as client:
        asked = [{"q": "pilot"}, {"q": "pilot", "limit": 1}, {"q": "pilot", "offset": 1}]
        for parameters in asked:
            first = client.get(SEARCH, params=parameters)
            again = client.get(SEARCH, params=parameters)
            assert first.status_code == again.status_code == 200
            assert first.content == again.content
            assert first.headers["etag"] == again.headers["etag"]
            assert first.headers["x-total-count"] == again.headers["x-total-count"]
            unchanged = client.get(
                SEARCH, params=parameters, headers={"If-None-Match": first.headers["etag"]}
            )
            assert unchanged.status_code == 304 and not unchanged.content
        plain = client.get(SEARCH, params=asked[0], headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.json()["results"] == client.get(SEARCH, params=asked[0]).json()["results"]
    assert len(searched) == len(asked)
