"""Connections to PostgreSQL, and the files of a published build."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine
from sqlmodel import col, create_engine, select

from kb.core.extras import require_extra
from kb.core.problems import NotBuilt, Unavailable
from kb.postgres.address import parse_address
from kb.postgres.schemas import ContentRow, CurrentRow, PageRow, schema_name
from kb.store.queries import ANSWER_TIMEOUT, read_all

# Seconds that each server of an address may take to answer a new connection; psycopg counts at
# least two.
_CONNECT_TIMEOUT = 2
# Milliseconds that a reader's statement may take in the server.
STATEMENT_TIMEOUT = 2_000
# Seconds that a reader waits for a connection of its pool.
_POOL_TIMEOUT = 1.0
# Seconds that a reader waits for the number of the current build.
_CURRENT_TIMEOUT = 1.5
# Seconds (the last one: milliseconds) after which a lost network is noticed.
_KEEPALIVES: dict[str, int] = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


def reading_engine(url: str, connections: int = 1) -> Engine:
    """Return an engine for reading, with a pool that tests each connection before its use.

    If an address names several servers, a lost connection is replaced by one to the next server.
    Raises KbError for a malformed address or without psycopg.
    """
    options = f"-c statement_timeout={STATEMENT_TIMEOUT}"
    return create_engine(
        "postgresql+psycopg://",
        creator=_connector(url, options),
        pool_pre_ping=True,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=_POOL_TIMEOUT,
    )


def publishing_engine(url: str) -> Engine:
    """Return an engine for publishing; see `reading_engine`."""
    return create_engine("postgresql+psycopg://", creator=_connector(url))


def _connector(url: str, options: str = "") -> Callable[[], Any]:
    """Return a function that connects, or raises Unavailable without a password."""
    require_extra("postgres")
    import psycopg

    address = parse_address(url)
    parameters: dict[str, Any] = {
        **_KEEPALIVES,
        **address.parameters,
        "connect_timeout": _CONNECT_TIMEOUT,
    }
    parameters["options"] = f"{parameters.get('options', '')} {options}".strip()

    def connect() -> Any:
        try:
            return psycopg.connect(**parameters)
        except (psycopg.Error, OSError) as error:
            reason = address.public_reason(error)
            raise Unavailable(f"the database {address.name} cannot be reached: {reason}") from None

    return connect


def current_build(engine: Engine, timeout: float = _CURRENT_TIMEOUT) -> int:
    """Return the number of the current build. Raises NotBuilt without any."""
    try:
        builds = read_all(engine, select(CurrentRow.build), timeout)
    except Unavailable:
        raise
    except NotBuilt:
        builds = []
    if not builds:
        raise NotBuilt("nothing is published in the database yet; run `kb publish`")
    return int(builds[0])


def build_engine(engine: Engine, build: int) -> Engine:
    """Return an engine with the same connections that reads one build."""
    return engine.execution_options(schema_translate_map={None: schema_name(build)})


def file_digest(engine: Engine, path: str, timeout: float = ANSWER_TIMEOUT) -> str | None:
    """Return the SHA-256 of a file of a build, None without such a file."""
    digests = read_all(engine, select(PageRow.sha256).where(PageRow.path == path), timeout)
    return digests[0] if digests else None


def read_file(
    engine: Engine, path: str, timeout: float = ANSWER_TIMEOUT
) -> tuple[PageRow, bytes] | None:
    """Return a file of a build with its bytes, None without such a file."""
    rows = read_all(
        engine,
        select(PageRow, ContentRow)
        .join(ContentRow, col(ContentRow.sha256) == PageRow.sha256)
        .where(PageRow.path == path),
        timeout,
    )
    for page, content in rows:
        return page, gzip.decompress(content.body) if content.packed else content.body
    return None
