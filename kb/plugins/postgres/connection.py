"""Connections to PostgreSQL, with time limits that libpq and the server keep.

The address of a database may set other limits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Engine
from sqlmodel import create_engine

from kb.core.problems import Unavailable
from kb.plugins.postgres.address import parse_address

# Milliseconds that the server spends on a reader's statement, and on a publish's wait for a lock.
_STATEMENT_TIMEOUT = 2_000
_LOCK_TIMEOUT = 2_000
_LIMITS: dict[str, Any] = {
    # Seconds, for each server of an address.
    "connect_timeout": 2,
    # Milliseconds without an answer from the network.
    "tcp_user_timeout": 2_000,
    # Seconds, to find out during a statement that the server's machine is gone.
    "keepalives_idle": 2,
    "keepalives_interval": 1,
}


def reading_engine(url: str) -> Engine:
    """Return an engine for reading, with a pool that tests each connection before its use.

    If an address names several servers, a lost connection is replaced by one to the next server.
    Raises KbError for a malformed address or without psycopg.
    """
    return create_engine(
        "postgresql+psycopg://",
        creator=_connector(url, f"-c statement_timeout={_STATEMENT_TIMEOUT}"),
        # Readers hold no locks between statements.
        isolation_level="AUTOCOMMIT",
        pool_pre_ping=True,
    )


def publishing_engine(url: str) -> Engine:
    """Return an engine for publishing; see `reading_engine`."""
    return create_engine(
        "postgresql+psycopg://", creator=_connector(url, f"-c lock_timeout={_LOCK_TIMEOUT}")
    )


def _connector(url: str, options: str) -> Callable[[], Any]:
    """Return a function that connects, or raises Unavailable without a password."""
    address = parse_address(url)
    import psycopg

    parameters = _LIMITS | address.parameters
    parameters["options"] = f"{options} {parameters.get('options', '')}"

    def connect() -> Any:
        try:
            return psycopg.connect(**parameters)
        except (psycopg.Error, OSError) as error:
            reason = address.public_reason(error)
            raise Unavailable(f"the database {address.name} cannot be reached: {reason}") from None

    return connect
