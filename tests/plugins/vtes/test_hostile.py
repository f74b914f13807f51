"""Rulings of VTES as somebody may send them who means harm, and random ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.records.library import Library
from tests.security.imports import check_bombs, check_random_files

SAMPLE = """1|Abbot:
  - 'Not with {Étienne}. [LSJ 20010101] [LSJ 20010102-2]'
  - text: A [RBK x]
    overrides:
      2|B: C [LSJ 1]
G00001|Circle:
  - D [ANK 20030230]
""".encode()


@pytest.mark.thorough
def test_bombs(tmp_path: Path) -> None:
    check_bombs("vtes", "rulings.yaml", tmp_path)


@pytest.mark.hypothesis
def test_random_files(good: Library) -> None:
    check_random_files("vtes", "rulings.yaml", SAMPLE, good.games["demo"])
