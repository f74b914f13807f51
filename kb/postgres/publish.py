"""Load a build and its site into PostgreSQL, in one transaction."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import MetaData, func, inspect, text, union
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.schema import CreateSchema, DropSchema
from sqlmodel import Session, SQLModel, col, delete, select

from kb.core import urls
from kb.core.media import compress, media_type
from kb.core.problems import KbError, NotBuilt
from kb.pipeline.output_folder import listed_files, read_stamp
from kb.pipeline.paths import Paths
from kb.postgres.connection import publishing_engine
from kb.postgres.index import FORMS
from kb.postgres.schemas import (
    CONTROL_SCHEMA,
    CONTROL_TABLES,
    PAGE_TABLE,
    ContentRow,
    CurrentRow,
    LastRow,
    PageRow,
    schema_name,
)
from kb.search.engines.base import chosen
from kb.search.engines.database import INDEX_TABLES
from kb.store.queries import first_line, open_file
from kb.store.tables import STORE_TABLES, AboutRow

# The key of the advisory lock that a publish holds: "kb" in ASCII.
_LOCK_KEY = 0x6B62
# Rows of one INSERT.
_CHUNK = 5_000
_WRONG_ENGINE = (
    "only an index of the engine `database` can be published; run `kb build --engine database`"
)
# For users' own SQL, such as `words @@ 'pl:jednostka & pl:pilot'`.
_ADD_TEXT_SEARCH = (
    "ALTER TABLE {0}.index_document ADD COLUMN words tsvector"
    " GENERATED ALWAYS AS (array_to_tsvector(string_to_array(terms, ' '))) STORED",
    "CREATE INDEX ON {0}.index_document USING gin (words)",
)
# A file of a build, and its content.
FileRows = tuple[PageRow, ContentRow]


@dataclass(frozen=True)
class Published:
    """The number of a published build, and the number of its site's files."""

    build: int
    files: int


def publish(paths: Paths, url: str, site: Path | None) -> Published:
    """Publish the current build and the site in a folder.

    Raises KbError without a build of the engine `database`, or when the server refuses.
    """
    folder = _build_folder(paths)
    if site is not None and not (site / urls.HOME).is_file():
        raise KbError(f"no site in {site}: run `kb build`, or name its folder with --site")
    names = [] if site is None else _own_files(site)

    def files() -> Iterator[FileRows]:
        yield forms_file(folder)
        for name in names:
            body = (site or folder).joinpath(name).read_bytes()
            media = media_type(name)
            yield _file_rows(name, media, body, compress(body, media))

    site_id = str(read_stamp(site).get("build", "")) if site else ""
    return Published(load_build(url, folder, files(), site_id), len(names))


def load_build(url: str, folder: Path, files: Iterable[FileRows], site: str = "") -> int:
    """Load a build and make it the current build; return its number.

    `files`: the form table and the site's files; `site`: the id of the site. Raises KbError, and
    changes nothing, while another publish is running or when the server refuses.
    """
    with _transaction(url) as session:
        _take_lock(session)
        number = _next_number(session)
        schema = schema_name(number)
        session.execute(CreateSchema(schema))
        session.connection().execution_options(schema_translate_map={None: schema})
        _copy_store(session, folder / "kb.sqlite")
        for statement in _ADD_TEXT_SEARCH:
            session.execute(text(statement.format(schema)))
        session.add(AboutRow(name="site", value=site))
        _add_files(session, files)
        current = session.get(CurrentRow, True)
        session.merge(CurrentRow(build=number, before=current.build if current else None))
    with _transaction(url) as session:
        _drop_old_builds(session)
    return number


def roll_back(url: str) -> int:
    """Make the previous build the current build; return its number.

    A second time raises KbError, because the build after it is no previous one.
    """
    with _transaction(url) as session:
        _take_lock(session)
        if not inspect(session.connection()).has_table("current", CONTROL_SCHEMA):
            raise KbError("nothing is published in the database yet; run `kb publish`")
        current = session.exec(select(CurrentRow)).one()
        if current.before is None:
            raise KbError(
                f"build {current.build} is current, and there is no build before it;"
                " kb publish loads a newer one"
            )
        current.build, current.before = current.before, None
        return current.build


@contextmanager
def _transaction(url: str) -> Iterator[Session]:
    """Yield a session of one transaction. Raises KbError for errors of the database."""
    engine = publishing_engine(url)
    try:
        with Session(engine) as session, session.begin():
            yield session
    except SQLAlchemyError as error:
        raise KbError(
            f"the database refused: {first_line(error)}; the published build is unchanged"
        ) from None
    finally:
        engine.dispose()


def _try_lock(session: Session) -> bool:
    return bool(session.scalar(select(func.pg_try_advisory_xact_lock(_LOCK_KEY))))


def _take_lock(session: Session) -> None:
    if not _try_lock(session):
        raise KbError("another publish is running in this database; wait until it has ended")


def _next_number(session: Session) -> int:
    """Return the number of a new build; create the tables that all builds share."""
    session.execute(CreateSchema(CONTROL_SCHEMA, if_not_exists=True))
    SQLModel.metadata.create_all(session.connection(), tables=CONTROL_TABLES)
    last = session.get(LastRow, True) or LastRow()
    last.build += 1
    session.add(last)
    return last.build


def _copy_store(session: Session, store: Path) -> None:
    """Copy every table of the store's file."""
    tables = [*STORE_TABLES, *INDEX_TABLES]
    connection = session.connection()
    SQLModel.metadata.create_all(connection, [*tables, PAGE_TABLE], checkfirst=False)
    source = open_file(store)
    try:
        with source.connect() as reader:
            for table in tables:
                for rows in reader.execute(table.select()).mappings().partitions(_CHUNK):
                    connection.execute(table.insert(), [dict(row) for row in rows])
    finally:
        source.dispose()


def _add_files(session: Session, files: Iterable[FileRows]) -> None:
    """Add the list of files, and the contents that the database does not have yet."""
    stored = set(session.exec(select(ContentRow.sha256)).all())
    for page, content in files:
        if content.sha256 not in stored:
            stored.add(content.sha256)
            session.add(content)
        session.add(page)
        # Frees the memory of the rows.
        session.flush()
        session.expunge_all()


def _drop_old_builds(session: Session) -> None:
    """Drop all builds except the current and the previous one, and contents of no build."""
    if not _try_lock(session):
        return
    current = session.exec(select(CurrentRow)).one()
    used = [schema_name(build) for build in (current.build, current.before) if build]
    for name in inspect(session.connection()).get_schema_names():
        if name.startswith("kb_") and name[3:].isdigit() and name not in used:
            session.execute(DropSchema(name, cascade=True))
    pages = [PAGE_TABLE.to_metadata(MetaData(), schema=name) for name in used]
    kept = union(*(page.select().with_only_columns(page.c.sha256) for page in pages))
    session.execute(delete(ContentRow).where(col(ContentRow.sha256).not_in(kept)))


def _build_folder(paths: Paths) -> Path:
    try:
        folder = paths.current
        engine = chosen(folder)
    except NotBuilt as error:
        raise KbError(f"{error}; {_WRONG_ENGINE}") from None
    if engine != "database":
        raise KbError(_WRONG_ENGINE)
    return folder


def _own_files(site: Path) -> list[str]:
    """Return the files of a site that its build wrote, so without .git and other files."""
    own = listed_files(site)
    if own is None:
        raise KbError(f"{site}: has no list of its files; run `kb build`")
    return sorted(own)


def forms_file(folder: Path) -> FileRows:
    """Return the rows of a build's form table."""
    forms = (folder / "forms.sqlite").read_bytes()
    return _file_rows(FORMS, "application/vnd.sqlite3", forms, gzip.compress(forms, 6, mtime=0))


def _file_rows(path: str, media: str, body: bytes, packed: bytes | None) -> FileRows:
    """Return the rows of a file; `packed`: its bytes in gzip."""
    digest = hashlib.sha256(body).hexdigest()
    return (
        PageRow(path=path, media=media, size=len(body), sha256=digest),
        ContentRow(sha256=digest, packed=packed is not None, body=packed or body),
    )
