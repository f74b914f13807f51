"""What each part of the search adds on the askers' queries: alone, and what is lost without it.

    python -m tests.benchmarks.ablations DATA    DATA: a build's folder, such as .kb/rulings

Prints the table of kb/help/searching.md: success at 1 and at 3 over the queries of
tests/gold/asker.tsv that a ruling answers.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

from kb.pipeline.paths import Paths
from kb.search import candidates
from kb.search.document import ASKED
from kb.search.engines.base import AnyOf
from kb.search.expansion import QueryExpander
from kb.search.keyboards import KeyboardReader
from kb.search.ranking import Rating, Scorer
from kb.search.searcher import Searcher

QUERIES = Path(__file__).parent.parent / "gold" / "asker.tsv"


def _nothing(*_: Any) -> None:
    """Guess nothing, read nothing."""


def _without_questions(self: Scorer, packed: str, *rest: Any) -> Rating:
    return _rate(self, "\n".join(line for line in packed.split("\n") if line[0] != ASKED), *rest)


_rate = Scorer.rate


# What takes each part out of the search.
PARTS: dict[str, list[tuple[object, str, object]]] = {
    "questions that people ask": [(Scorer, "rate", _without_questions)],
    "jargon and everyday words": [(QueryExpander, "_guess_ideas", _nothing)],
    "the nearest rulings": [(candidates, "any_word", lambda *_: AnyOf(()))],
    "keyboards": [(KeyboardReader, "read", _nothing)],
    "slips and words that look alike": [
        (QueryExpander, "_slip", _nothing),
        (QueryExpander, "_guess_alike", _nothing),
    ],
}


def success(folder: Path, without: Iterable[str]) -> tuple[float, float]:
    """Success at 1 and at 3 of the queries without some parts."""
    with QUERIES.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    ranks = []
    with ExitStack() as stack:
        for part in without:
            for owner, name, replacement in PARTS[part]:
                stack.enter_context(mock.patch.object(owner, name, replacement))
        searcher = stack.enter_context(Searcher(folder))
        for row in rows:
            if row["kind"] != "unanswered":
                expected = set(row["expected"].split(","))
                hits = searcher.search(row["query"], limit=3).results
                right = (expected & set(map(str, hit.ruling.sources)) for hit in hits)
                ranks.append(next((rank for rank, found in enumerate(right, 1) if found), 0))
    return ranks.count(1) / len(ranks), sum(rank > 0 for rank in ranks) / len(ranks)


def main(data: str) -> None:
    """Print the table."""
    folder = Paths(Path(), Path(data)).current

    def cells(without: Iterable[str]) -> str:
        return "{:.2f} / {:.2f}".format(*success(folder, without))

    print("| | with nothing else | without it |\n|---|--:|--:|")
    print(f"| nothing; everything | {cells(PARTS)} | {cells(())} |")
    for part in PARTS:
        print(f"| {part} | {cells([one for one in PARTS if one != part])} | {cells([part])} |")


if __name__ == "__main__":
    main(sys.argv[1])
