"""The store: made from the records alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from kb.core.problems import NotBuilt
from kb.records.library import Library
from kb.store.load import build_store
from kb.store.queries import Store


@pytest.fixture(scope="module")
def path(good: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("store") / "kb.sqlite"
    build_store(good, made)
    return made


def test_cards_of_a_ruling(path: Path) -> None:
    with Store(path) as store:
        assert store.counts() == {"games": 1, "rulings": 5, "cards": 7, "sources": 2, "terms": 2}
        ruling = store.ruling("demo/one-pilot")
        assert ruling is not None
        assert ruling.cards == ("Anakin Skywalker", "Anakin Skywalker (C)", "Łowca Światów")
        assert store.rulings_on(
            "demo", ["Anakin Skywalker", "Anakin Skywalker (A)", "Anakin Skywalker (C)"]
        ) == (["one-pilot"], ["example"])
        assert store.ruling("demo/nothing") is None
        assert [
            ruling.id for ruling in store.rulings(["demo/example", "demo/no", "demo/one-pilot"])
        ] == ["example", "one-pilot"]
        assert store.keys("single-pilot") == ["demo/one-pilot"]
        assert store.keys("one-pilot") == ["demo/one-pilot"]


def test_foreign_keys_hold(path: Path) -> None:
    with sqlite3.connect(path) as db:
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_missing_damaged_or_old(tmp_path: Path, path: Path) -> None:
    with pytest.raises(NotBuilt):
        Store(tmp_path / "nothing.sqlite")
    (tmp_path / "text.sqlite").write_text(
        "not a database, but long enough to be looked at" * 50, encoding="utf-8"
    )
    with pytest.raises(NotBuilt):
        Store(tmp_path / "text.sqlite")
    (tmp_path / "old.sqlite").write_bytes(path.read_bytes())
    with sqlite3.connect(tmp_path / "old.sqlite") as db:
        db.execute("UPDATE about SET value = '0' WHERE name = 'layout'")
    with pytest.raises(NotBuilt):
        Store(tmp_path / "old.sqlite")


def test_the_same_records_give_the_same_rows(good: Library, tmp_path: Path, path: Path) -> None:
    build_store(good, tmp_path / "again.sqlite")
    dumps = []
    for one in (path, tmp_path / "again.sqlite"):
        with sqlite3.connect(one) as db:
            dumps.append(list(db.iterdump()))
    assert dumps[0] == dumps[1]
