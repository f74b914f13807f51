"""A store that is missing, damaged or of another version is not opened."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kb.core.problems import NotBuilt
from kb.store.queries import Store


def test_missing_damaged_or_old(tmp_path: Path, small_build: Path) -> None:
    text, old = tmp_path / "text.sqlite", tmp_path / "old.sqlite"
    text.write_text("not a database, but long enough to be looked at" * 50, encoding="utf-8")
    old.write_bytes((small_build / "kb.sqlite").read_bytes())
    with closing(sqlite3.connect(old)) as db:
        db.execute("UPDATE about SET value = '0' WHERE name = 'layout'")
        db.commit()
    for place in (tmp_path / "nothing.sqlite", text, old):
        with pytest.raises(NotBuilt):
            Store(place)
