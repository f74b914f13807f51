"""What the first answer of an empty browser loads: bytes as a server sends them, and rounds."""

from __future__ import annotations

import gzip
import json
import statistics
from functools import cache
from pathlib import Path

import pytest

from kb.site.assets import SEARCH_SCRIPT
from tests.browsers import run_node
from tests.gold import all_queries

# The page and its files besides the shards; the glossary comes after the answer.
PAGE = [
    "search/index.html",
    "static/kb.css",
    "static/theme.js",
    "static/site.js",
    "static/search-start.js",
    "static/search-client.js",
    "static/search-worker.js",
    "static/search-core.js",
    "static/search-words-en.js",
    "static/search.js",
    "static/search/base.js",
]
# 277 and 147 KB with 201 rulings and 6,382 questions, whose index has 736 KB in 199 files.
BYTES, MEDIAN_BYTES = 285 * 1024, 155 * 1024
ROUNDS, MEDIAN_ROUNDS = 7, 4


@pytest.mark.thorough
def test_first_answers_stay_in_their_budget(real_base: Path, tmp_path: Path) -> None:
    queries = all_queries()
    # The longest load most.
    queries = queries[::30] + sorted(queries, key=len)[-6:]
    site = real_base / "site"
    (tmp_path / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
    script = site / "static" / SEARCH_SCRIPT
    program = Path(__file__).with_name("loaded.cjs")
    index = site / "static" / "search"
    answers = run_node(program, script, index, tmp_path / "queries.json")

    @cache
    def sent(name: str) -> int:
        return len(gzip.compress((site / name).read_bytes(), 6))

    page = sum(map(sent, PAGE))
    totals = {}
    rounds = []
    for query, loaded in zip(queries, answers, strict=True):
        totals[query] = page + sum(sent(f"static/search/{file}") for file in loaded["files"])
        rounds.append(loaded["rounds"])
    largest = max(totals, key=lambda query: totals[query])
    median = statistics.median(totals.values())
    print(f"\n{len(queries)} queries: {median / 1024:.0f} KB, most {totals[largest] / 1024:.0f} KB")
    print(f"rounds {statistics.median(rounds)}, most {max(rounds)}")
    assert totals[largest] <= BYTES, largest
    assert median <= MEDIAN_BYTES
    assert max(rounds) <= ROUNDS
    assert statistics.median(rounds) <= MEDIAN_ROUNDS
