"""Limits of connections: how long a client may take for a request, and how many it may open.

uvicorn waits for headers without end, and turns everybody away at its limit of connections. Here a
client that opens many connections and sends nothing, or a byte now and then, loses the oldest ones.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any, ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

# How long the request line and headers of any request may take, in seconds.
HEADER_TIMEOUT = 10.0
# Per process. Below the usual limit of 1,024 open files, of which the site's files need some.
MAX_CONNECTIONS = 600
MAX_PER_ADDRESS = 250


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol with the limits of this module; its own begins after the first answer."""

    # By address, in the order of their opening.
    _open: ClassVar[defaultdict[str, dict[LimitedProtocol, None]]] = defaultdict(dict)
    _header_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count a new connection, and close an idle one where there are too many."""
        super().connection_made(transport)
        own = self._open[self._address]
        own[self] = None
        self._set_header_timer()
        if len(own) > MAX_PER_ADDRESS:
            _close_one(own)
        elif sum(map(len, self._open.values())) > MAX_CONNECTIONS:
            _close_one(max(self._open.values(), key=len))

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._cancel_header_timer()
        own = self._open[self._address]
        own.pop(self, None)
        if not own:
            self._open.pop(self._address, None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Wait for the rest of a request's headers for a limited time."""
        super().data_received(data)
        if not self.is_idle:
            self._cancel_header_timer()
        elif self._header_timer is None:
            self._set_header_timer()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _set_header_timer(self) -> None:
        self._header_timer = self.loop.call_later(HEADER_TIMEOUT, self._header_timed_out)

    def _cancel_header_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _header_timed_out(self) -> None:
        self._header_timer = None
        if self.is_idle and not self.transport.is_closing():
            self.transport.close()


def _close_one(connections: dict[LimitedProtocol, Any]) -> None:
    """Close the oldest idle connection, else the newest one."""
    idle = (connection for connection in connections if connection.is_idle)
    victim = next(idle, None) or next(reversed(connections))
    # At once for the count; the transport tells later that it has closed.
    connections.pop(victim)
    victim.transport.abort()
