"""Load a build into PostgreSQL, in one transaction."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from sqlalchemy import func, inspect, text, update
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.schema import CreateSchema, DropSchema
from sqlmodel import Session, SQLModel, col, delete, select

from kb.core.problems import KbError, NotBuilt
from kb.language import FORMS_FILE
from kb.pipeline.data_folder import verify_checksums
from kb.pipeline.paths import Paths
from kb.plugins.postgres.connection import publishing_engine
from kb.plugins.postgres.published import BUILD_TABLE, CONTROL_SCHEMA, BuildRow, schema_name
from kb.search.engines.base import engine_of
from kb.search.engines.database import CREATE_TSVECTOR, INDEX_TABLES
from kb.store.model import STORE_FILE
from kb.store.queries import Store, first_line, open_file
from kb.store.tables import STORE_TABLES

# The key of the advisory lock that a publish holds: "kb" in ASCII.
_LOCK_KEY = 0x6B62
# PostgreSQL's code of an error after `lock_timeout`.
_LOCK_NOT_AVAILABLE = "55P03"
# Rows of one INSERT.
_CHUNK = 5_000
_WRONG_ENGINE = (
    "only an index of the engine `database` can be published; run `kb build --engine database`"
)


def publish(paths: Paths, url: str) -> int:
    """Publish the current build; return its number. Raises KbError; see `load_build`."""
    try:
        folder = paths.current
        engine = engine_of(folder)
        verify_checksums(folder)
        Store(folder / STORE_FILE).close()
    except NotBuilt as error:
        raise KbError(f"{error}; {_WRONG_ENGINE}") from None
    if engine != "database":
        raise KbError(_WRONG_ENGINE)
    return load_build(url, folder)


def load_build(url: str, folder: Path) -> int:
    """Load the build in a folder and make it the current build; return its number.

    The build that was current stays, for `roll_back`; older ones are dropped. Raises KbError, and
    changes nothing, while another publish is running or when the server refuses.
    """
    with _transaction(url) as session:
        builds = _lock_builds(session)
        for number, is_current in builds.items():
            if not is_current:
                session.execute(DropSchema(schema_name(number), cascade=True, if_exists=True))
        session.execute(delete(BuildRow).where(col(BuildRow.is_current).is_(False)))
        session.execute(update(BuildRow).values(is_current=False))
        number = _free_number(session, builds)
        _copy_store(session, folder / STORE_FILE, schema_name(number))
        forms = zlib.compress((folder / FORMS_FILE).read_bytes())
        session.add(BuildRow(number=number, is_current=True, forms=forms))
    return number


def roll_back(url: str) -> int:
    """Make the previous build the current build; return its number.

    Raises KbError a second time, because the build that was left is newer, not older.
    """
    with _transaction(url) as session:
        builds = _lock_builds(session)
        current = next((number for number, is_current in builds.items() if is_current), None)
        if current is None:
            raise KbError("nothing is published in the database yet; run `kb publish`")
        previous = max((number for number in builds if number < current), default=None)
        if previous is None:
            raise KbError(
                f"build {current} is current, and there is no build before it;"
                " kb publish loads a newer one"
            )
        session.execute(update(BuildRow).values(is_current=col(BuildRow.number) == previous))
        return previous


@contextmanager
def _transaction(url: str) -> Iterator[Session]:
    """Yield a session of one transaction. Raises KbError for errors of the database."""
    engine = publishing_engine(url)
    try:
        with Session(engine) as session, session.begin():
            yield session
    except SQLAlchemyError as error:
        raise KbError(f"{_reason(error)}; the published build is unchanged") from None
    finally:
        engine.dispose()


def _reason(error: SQLAlchemyError) -> str:
    cause = error.orig if isinstance(error, DBAPIError) else None
    if getattr(cause, "sqlstate", None) == _LOCK_NOT_AVAILABLE:
        return (
            "another session has locked an old build, for example by an open transaction that has"
            " read it; end that session and publish again"
        )
    return f"the database refused: {first_line(error)}"


def _lock_builds(session: Session) -> dict[int, bool]:
    """Keep other publishes out; return the published builds: whether each is the current one.

    Creates the table of builds. Raises KbError while another publish is running.
    """
    if not session.scalar(select(func.pg_try_advisory_xact_lock(_LOCK_KEY))):
        raise KbError("another publish is running in this database; wait until it has ended")
    session.execute(CreateSchema(CONTROL_SCHEMA, if_not_exists=True))
    SQLModel.metadata.create_all(session.connection(), tables=[BUILD_TABLE])
    return dict(session.exec(select(BuildRow.number, BuildRow.is_current)).all())


def _free_number(session: Session, builds: dict[int, bool]) -> int:
    """Return the number of a new build, above all others, whose schema nobody else has."""
    schemas = inspect(session.connection()).get_schema_names()
    numbers = count(max(builds, default=0) + 1)
    return next(number for number in numbers if schema_name(number) not in schemas)


def _copy_store(session: Session, store: Path, schema: str) -> None:
    """Copy every table of the store's file into a new schema."""
    session.execute(CreateSchema(schema))
    tables = [*STORE_TABLES, *INDEX_TABLES]
    connection = session.connection().execution_options(schema_translate_map={None: schema})
    SQLModel.metadata.create_all(connection, tables, checkfirst=False)
    source = open_file(store)
    try:
        with source.connect() as reader:
            for table in tables:
                for rows in reader.execute(table.select()).mappings().partitions(_CHUNK):
                    connection.execute(table.insert(), [dict(row) for row in rows])
    finally:
        source.dispose()
    for statement in CREATE_TSVECTOR:
        session.execute(text(statement.format(schema)))
