"""Writes a library into a new store file; everything in it comes from the records."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel, create_engine

from kb.records.library import Library
from kb.store import tables
from kb.store.queries import LAYOUT
from kb.store.rows import game_rows, insert, ruling_rows


def build_store(library: Library, path: Path) -> None:
    """Write the good records into a new SQLite file at `path`, which must not exist yet."""
    engine = create_engine(f"sqlite:///{path}")
    try:
        SQLModel.metadata.create_all(engine, tables=_tables())
    except DBAPIError as error:
        # A full disk is told as by whoever writes without SQLAlchemy.
        raise error.orig or error from None
    finally:
        engine.dispose()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA foreign_keys = ON")
        insert(db, game_rows(library.games.values()))
        insert(db, ruling_rows(library, library.rulings.values()))
        db.execute(f"PRAGMA user_version = {LAYOUT}")


def _tables() -> list[Any]:
    return [
        value.__table__
        for value in vars(tables).values()
        if isinstance(value, type) and hasattr(value, "__table__")
    ]
