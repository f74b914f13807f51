"""Queries and mentions written by hand, by which search and card finder are measured."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path


def read_rows(name: str) -> list[dict[str, str]]:
    """The rows of a table of this folder."""
    with Path(__file__).with_name(name).open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def success(ranks: Sequence[int]) -> tuple[float, float]:
    """The shares of the queries with an expected ruling first, and among the first three.

    A rank of 0 stands for none.
    """
    return tuple(sum(0 < rank <= most for rank in ranks) / len(ranks) for most in (1, 3))  # type: ignore[return-value]


def all_queries() -> list[str]:
    """The queries of judges, askers and Czech players."""
    names = ("queries.tsv", "asker.tsv", "czech.tsv")
    return [row["query"] for name in names for row in read_rows(name)]
