"""Parse the address of a database, and keep its password out of messages.

Errors quote no part of a malformed address, because a `/` or `@` in the password moves the borders
between the parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from kb.core.problems import WrongUsage
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
