"""The browser's search gives what `kb search` gives: every gold query and every kind of syntax through both.

The scores are the same formula over the same postings; what may differ is the order of equals and a tie at the last digit.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from kb.commands.places import Places
from kb.index.search import Searcher
from tests.browser.conftest import Dom, element

GOLD = Path(__file__).parent.parent / "gold" / "queries.tsv"
SYNTAX = [
    '"council quorum"', '"build zone" pilot', "overk*", "pilot -strefa", "ekwipunek OR upkeep",
    "(pilot OR ekwipunek) kontrola", "kind:errata", "-kind:ruling game:swtcg", 'card:"Darth Sidious"', "card:sidiousa",
    "card:vir", "topic:pilots", "authority:translator overkill", "source:swtcg-clarifications#hidden-cost",
    "after:2003 konfrontacja", "before:2003", "status:any pilot", "lang:en pilot", "lang:sk vplyv", "game:berserk 113",
    "game:nothing pilot", "xyzzyqwv", "(((", '"', "-", "OR", "a:b:c", "п. 113.5", "R2D2", "r2-d2 e",
    "„strefie budowy”", "kosc OR", "stackowaniem", "neutralise", "the", "w", "żeton*", "-(pilot OR ekwipunek) strefa",
]  # fmt: skip


@pytest.fixture(scope="module")
def queries() -> list[str]:
    with GOLD.open(encoding="utf-8") as file:
        return [row["query"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)] + SYNTAX


@pytest.fixture(scope="module")
def answers(queries: list[str], built: Path, dom: Dom) -> list[dict[str, object]]:
    """What the browser's code says to each query, all in one page opened from a file."""
    script = """
      const engine = KBSearch(KB_DATA);
      const said = QUERIES.map((query) => {
        const answer = engine.search(query, "", "");
        const hits = answer.hits.slice(0, 10).map((hit) => [KB_DATA.rulings[hit.doc].slice(0, 2).join("/"), hit.score]);
        return { total: answer.total, relaxed: answer.relaxed, suggestion: answer.suggestion, hits };
      });
      document.getElementById("said").textContent = JSON.stringify(said);
    """
    page = built / "site" / "parity.html"
    page.write_text(
        '<!DOCTYPE html><meta charset="utf-8"><title>parity</title><pre id="said"></pre>'
        '<script src="static/search-data.js"></script>'
        f'<script src="static/search-core.js"></script><script>const QUERIES = {json.dumps(queries)};{script}</script>',
        encoding="utf-8",
    )
    found = json.loads(element(dom(page.as_uri()), "said"))
    assert isinstance(found, list) and len(found) == len(queries)
    return found


def test_first_results_agree(queries: list[str], answers: list[dict[str, object]], built: Path, rulings_root: Path) -> None:
    differing, totals = [], []
    with Searcher(Places(rulings_root, built / "data").current) as searcher:
        for query, theirs in zip(queries, answers, strict=True):
            mine = searcher.search(query, limit=10)
            ours = [hit.ruling.key for hit in mine.results[:3]]
            hits = theirs["hits"]
            assert isinstance(hits, list)
            if [key for key, _ in hits[:3]] != ours:
                differing.append((query, ours, hits[:3], [round(hit.score, 3) for hit in mine.results[:3]]))
            if (mine.total, mine.relaxed, mine.suggestion or "") != (theirs["total"], theirs["relaxed"], theirs["suggestion"]):
                totals.append(
                    (query, mine.total, theirs["total"], mine.relaxed, theirs["relaxed"], mine.suggestion, theirs["suggestion"])
                )
    alike, equal = 1 - len(differing) / len(queries), 1 - len(totals) / len(queries)
    print(f"\n{len(queries)} queries: first three alike in {alike:.3f}, totals in {equal:.3f}")
    assert len(differing) <= 0.02 * len(queries), differing
    assert len(totals) <= 0.02 * len(queries), totals
