"""The cache of the analysers' answers: asked once, never in the way."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from pathlib import Path

import pytest

from kb.language import answers
from kb.language.answers import Answers

asked: list[list[str]] = []


def analyse(words: Collection[str]) -> dict[str, list[str]]:
    asked.append(sorted(words))
    return {word: [word.upper(), word] if word != "x" else [] for word in words}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    asked.clear()
    return tmp_path / "cache" / "words.sqlite"


def test_each_word_is_asked_for_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Answers(path).ask("pl lemmas", ["kot", "x"], analyse)
    assert first == {"kot": ["KOT", "kot"], "x": []}
    assert len(Answers(path).ask("pl lemmas", ["kot", "pies", "x"], analyse)) == 3
    Answers(path).ask("pl forms", ["kot"], analyse)
    assert asked == [["kot", "x"], ["pies"], ["kot"]]
    # Other analysers, or another program, answer anew, and the old answers go.
    monkeypatch.setattr(answers, "program_version", lambda: "another")
    Answers(path).ask("pl lemmas", ["kot"], analyse)
    assert asked[3:] == [["kot"]]
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT DISTINCT version FROM answer").fetchall() == [("another",)]


def test_a_damaged_file_is_replaced(path: Path) -> None:
    path.parent.mkdir()
    Answers(path).ask("pl lemmas", [f"word{number}" for number in range(2_000)], analyse)
    for content in (b"no database" * 1_000, path.read_bytes()[:8_192], b""):
        path.write_bytes(content)
        asked.clear()
        for _ in range(3):
            assert Answers(path).ask("pl lemmas", ["kot"], analyse) == {"kot": ["KOT", "kot"]}
        assert len(asked) == 1


def test_without_a_cache_all_is_computed(path: Path) -> None:
    path.parent.write_text("a file where the folder should be", encoding="utf-8")
    for _ in range(2):
        assert Answers(path).ask("pl lemmas", ["kot"], analyse)
    assert len(asked) == 2
