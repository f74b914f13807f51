"""The table of published builds; each build has a schema of its own, such as `kb_1`."""

from __future__ import annotations

from sqlalchemy import Table
from sqlmodel import Field, SQLModel

CONTROL_SCHEMA = "kb"


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
