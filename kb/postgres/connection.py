"""Connections to PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine
from sqlmodel import create_engine

from kb.core.problems import Unavailable
from kb.postgres.address import parse_address

# Milliseconds that the server spends on a reader's statement, and on a publish's wait for a lock.
STATEMENT_TIMEOUT = 2_000
LOCK_TIMEOUT = 2_000
# Seconds that each server of an address may take to answer a new connection; psycopg counts at
# least two.
_CONNECT_TIMEOUT = 2
# Seconds (the last one: milliseconds) after which a lost network is noticed.
_KEEPALIVES: dict[str, int] = {
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}


def reading_engine(url: str) -> Engine:
    """Return an engine for reading, with a pool that tests each connection before its use.

    If an address names several servers, a lost connection is replaced by one to the next server.
    Raises KbError for a malformed address or without psycopg.
    """
    return create_engine(
        "postgresql+psycopg://",
        creator=_connector(url, f"-c statement_timeout={STATEMENT_TIMEOUT}"),
        # Readers hold no locks between statements.
        isolation_level="AUTOCOMMIT",
        pool_pre_ping=True,
    )


def publishing_engine(url: str) -> Engine:
    """Return an engine for publishing; see `reading_engine`."""
    return create_engine(
        "postgresql+psycopg://", creator=_connector(url, f"-c lock_timeout={LOCK_TIMEOUT}")
    )


def _connector(url: str, options: str) -> Callable[[], Any]:
    """Return a function that connects, or raises Unavailable without a password."""
    address = parse_address(url)
    import psycopg

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
