"""Files of Scryfall as somebody may send them who means harm, and random ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.records.library import Library
from tests.security.imports import check_bombs, check_random_files

SAMPLE = (Path(__file__).parent / "scryfall-rulings.json").read_bytes()


@pytest.mark.thorough
def test_bombs(tmp_path: Path) -> None:
    check_bombs("scryfall", "in.json", tmp_path)


@pytest.mark.hypothesis
def test_random_files(good: Library) -> None:
    check_random_files("scryfall", "in.json", SAMPLE, good.games["demo"])
