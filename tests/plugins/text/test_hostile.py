"""Plain documents as somebody may send them who means harm, and random ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.records.library import Library
from tests.security.imports import check_bombs, check_random_files

SAMPLE = """FAQ

Piloci

1. Jeden pilot.

2.1 Drugi: przykład: x.

Pytanie 1: Co?
Odpowiedź: To.

Uwaga tłumacza: y.

- a
- b
term - meaning of it
other - to znaczenie
""".encode()


@pytest.mark.thorough
def test_bombs(tmp_path: Path) -> None:
    check_bombs("text", "in.txt", tmp_path)


@pytest.mark.hypothesis
def test_random_files(good: Library) -> None:
    check_random_files("text", "in.txt", SAMPLE, good.games["demo"])
