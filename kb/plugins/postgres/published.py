"""Published builds in PostgreSQL, each in a schema of its own, and their table."""

from __future__ import annotations

import zlib

from sqlalchemy import Table
from sqlmodel import Field, SQLModel, col, select

from kb.core.problems import NotBuilt, Unavailable
from kb.language import FormTable
from kb.plugins.postgres.connection import reading_engine
from kb.records.history import Change
from kb.search.engines.database import DatabaseIndex
from kb.search.searcher import Searcher
from kb.store.queries import Store, read_all

CONTROL_SCHEMA = "kb"
_NOTHING = "nothing is published in the database yet, or its role may not read it; run `kb publish`"


def schema_name(build: int) -> str:
    """Return the name of a build's schema."""
    return f"kb_{build}"


class BuildRow(SQLModel, table=True):
    """A build that `kb publish` loaded; `forms`: its table of forms, compressed with zlib.

    No other schema is ever dropped. A number is never used again.
    """

    __tablename__ = "build"
    __table_args__ = ({"schema": CONTROL_SCHEMA},)
    number: int = Field(primary_key=True, sa_column_kwargs={"autoincrement": False})
    is_current: bool
    forms: bytes


BUILD_TABLE: Table = SQLModel.metadata.tables[f"{CONTROL_SCHEMA}.build"]


class PublishedBuilds:
    """The builds in a database; threads may share it. See Builds of kb.pipeline.builds."""

    def __init__(self, url: str) -> None:
        """Raises KbError for a malformed address or without psycopg."""
        self._engine = reading_engine(url)

    def current(self) -> str:
        current = select(BuildRow.number).where(col(BuildRow.is_current))
        try:
            numbers = read_all(self._engine, current)
        except Unavailable:
            raise
        except NotBuilt:
            numbers = []
        if not numbers:
            raise NotBuilt(_NOTHING)
        return str(numbers[0])

    def open(self, build_id: str) -> Searcher:
        number = int(build_id)
        forms = read_all(self._engine, select(BuildRow.forms).where(BuildRow.number == number))
        if not forms:
            raise NotBuilt(f"build {number} is gone from the database")
        tables = {None: schema_name(number)}
        store = Store(self._engine.execution_options(schema_translate_map=tables))
        # In memory: a copy on disk would have to be named, checked and deleted.
        return Searcher.over(FormTable(zlib.decompress(forms[0])), DatabaseIndex(store))

    def history(self) -> list[Change] | None:
        """Return None: a database has no records with their history."""
        return None
