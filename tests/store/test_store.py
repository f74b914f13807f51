"""The store: made from the records alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from kb.core.problems import NotBuilt
from kb.records.library import Library
from kb.store.lists import ruling_counts
from kb.store.load import build_store
from kb.store.queries import Store


@pytest.fixture(scope="module")
def path(good: Library, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("store") / "kb.sqlite"
    build_store(good, made)
    return made


def test_cards_of_a_ruling(path: Path) -> None:
    with Store(path) as store:
        assert ruling_counts(store) == {"demo": 5} and len(list(store.cards("demo"))) == 7
        ruling = store.ruling("demo/one-pilot")
        assert ruling is not None
        assert ruling.cards == ("Anakin Skywalker", "Anakin Skywalker (C)", "Łowca Światów")
        labels = ["Anakin Skywalker", "Anakin Skywalker (A)", "Anakin Skywalker (C)"]
        assert store.rulings_on("demo", labels) == (["one-pilot"], ["example"])
        assert store.ruling("demo/nothing") is None
        several = store.rulings(["demo/example", "demo/no", "demo/one-pilot"])
        assert [ruling.id for ruling in several] == ["example", "one-pilot"]
        assert store.keys("single-pilot") == store.keys("one-pilot") == ["demo/one-pilot"]


def test_missing_damaged_or_old(tmp_path: Path, path: Path) -> None:
    text, old = tmp_path / "text.sqlite", tmp_path / "old.sqlite"
    text.write_text("not a database, but long enough to be looked at" * 50, encoding="utf-8")
    old.write_bytes(path.read_bytes())
    with sqlite3.connect(old) as db:
        db.execute("UPDATE about SET value = '0' WHERE name = 'layout'")
    for place in (tmp_path / "nothing.sqlite", text, old):
        with pytest.raises(NotBuilt):
            Store(place)
