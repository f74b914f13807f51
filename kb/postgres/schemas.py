"""The schemas of PostgreSQL and their tables.

Each build has a schema of its own, `kb_1`, `kb_2`; the tables of the schema `kb` say which build is
current.
"""

from __future__ import annotations

from sqlalchemy import Table
from sqlmodel import Field, SQLModel

from kb.store.tables import Text

CONTROL_SCHEMA = "kb"


def schema_name(build: int) -> str:
    """Return the name of a build's schema."""
    return f"kb_{build}"


class CurrentRow(SQLModel, table=True):
    """The current build, and the one before; a single row."""

    __tablename__ = "current"
    __table_args__ = ({"schema": CONTROL_SCHEMA},)
    one: bool = Field(default=True, primary_key=True)
    build: int
    before: int | None = None


class LastRow(SQLModel, table=True):
    """The highest number that a build was given; a single row."""

    __tablename__ = "last"
    __table_args__ = ({"schema": CONTROL_SCHEMA},)
    one: bool = Field(default=True, primary_key=True)
    build: int = 0


class ContentRow(SQLModel, table=True):
    """The bytes of files of any build, in gzip where they are `packed`; each stored once."""

    __tablename__ = "content"
    __table_args__ = ({"schema": CONTROL_SCHEMA},)
    sha256: str = Field(primary_key=True)
    packed: bool
    body: bytes


class PageRow(SQLModel, table=True):
    """A file of a build: path, media type, size and SHA-256 of its bytes."""

    __tablename__ = "page"
    path: str = Field(sa_type=Text, primary_key=True)
    media: str
    size: int
    sha256: str


_tables = SQLModel.metadata.tables
CONTROL_TABLES: list[Table] = [
    _tables[f"{CONTROL_SCHEMA}.{name}"] for name in ("current", "last", "content")
]
PAGE_TABLE: Table = _tables["page"]
