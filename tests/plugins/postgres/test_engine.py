"""Searches in PostgreSQL give the answers of the other engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.pipeline.builds import open_current
from kb.plugins.postgres.publish import load_build
from tests.gold.test_relevance import (  # noqa: F401
    SMALL,
    all_engines,
    assert_alike,
    differing,
    small_engines,
)


def test_it_gives_the_same_answers_of_the_small_game(
    small_engines: Path,  # noqa: F811
    database: str,
) -> None:
    load_build(database, small_engines)
    with open_current(database) as searcher:
        assert differing(small_engines, SMALL, searcher) == []


@pytest.mark.thorough
def test_it_gives_the_same_answers(all_engines: Path, database: str) -> None:  # noqa: F811
    load_build(database, all_engines)
    with open_current(database) as searcher:
        assert_alike(all_engines, searcher)
