"""Connections to PostgreSQL: addresses, whose passwords no message shows, and time limits.

libpq and the server keep the limits; the address of a database may set others. Errors quote no part
of a malformed address, because a `/` or `@` in the password moves the borders between the parts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Engine
from sqlmodel import create_engine

from kb.core.problems import Unavailable, WrongUsage
from kb.plugins.postgres import EXTRA, SCHEMES

_PREFIXES = tuple(f"{scheme}://" for scheme in SCHEMES)
_SECRETS = ("password", "sslpassword", "oauth_client_secret")
_PORTS = re.compile(r"(\d{1,5}(,\d{1,5})*)?")
_MALFORMED = (
    "the address of the database is malformed; it has the form"
    " postgresql+psycopg://user:password@host/name, and in a password / @ : ? # % are written"
    " %2F %40 %3A %3F %23 %25"
)


@dataclass(frozen=True)
class DatabaseAddress:
    """The parameters of psycopg; messages may show `name`."""

    parameters: dict[str, str] = field(repr=False)

    @property
    def name(self) -> str:
        """The database and its host, for messages."""
        database = self.parameters.get("dbname") or "kb"
        host = self.parameters.get("host") or "this machine"
        return f"{database} at {host}"

    def public_reason(self, error: Exception) -> str:
        """Return the first line of an error's message, unless it quotes a secret."""
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        secrets = [self.parameters[name] for name in _SECRETS if self.parameters.get(name)]
        return type(error).__name__ if any(secret in reason for secret in secrets) else reason


def parse_address(url: str) -> DatabaseAddress:
    """Parse the address of a database.

    Raises WrongUsage for a malformed address, KbError without psycopg.
    """
    EXTRA.require()
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    if not url.startswith(_PREFIXES):
        raise WrongUsage("not the address of a database; it begins with postgresql+psycopg://")
    plain = url.replace("+psycopg", "", 1)
    # libpq ends a password at the first `@`, and the authority at the first `/`.
    user_part, _, rest = plain.partition("://")[2].partition("@")
    if "@" in rest or (rest and "/" in user_part):
        raise WrongUsage(_MALFORMED)
    try:
        parameters = {
            name: str(value) for name, value in conninfo_to_dict(plain).items() if value is not None
        }
    except (psycopg.Error, ValueError):
        raise WrongUsage(_MALFORMED) from None
    if not _PORTS.fullmatch(parameters.get("port", "")):
        raise WrongUsage(_MALFORMED)
    return DatabaseAddress(parameters)


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
