"""Limits of connections: the time for a request's headers and an answer, the number per client.

uvicorn waits for headers and for slow readers without a limit, and refuses every client at its
limit of connections. Here a client with many idle or slow connections loses its oldest ones.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

# Longest time for request line and headers, in seconds.
HEADER_TIMEOUT = 10.0
# A client that takes fewer bytes of an answer in so many seconds loses it.
SEND_TIMEOUT, MIN_SENT = 30.0, 10_000
# Per process; below the usual limit of 1,024 open files, since files of the site are opened too.
MAX_CONNECTIONS = 600
MAX_PER_ADDRESS = 250


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol with these limits; its own time-out begins after the first response."""

    # The addresses of the open connections, the oldest connection first.
    _open: ClassVar[dict[LimitedProtocol, str]] = {}
    _header_timer: asyncio.TimerHandle | None = None
    _send_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count a new connection; close another one above a limit."""
        super().connection_made(transport)
        address = self.client[0] if self.client else ""
        self._open[self] = address
        self._set_header_timer()
        counts = Counter(self._open.values())
        if counts[address] > MAX_PER_ADDRESS:
            self._close_one(address)
        elif counts.total() > MAX_CONNECTIONS:
            self._close_one(max(counts, key=lambda each: counts[each]))

    def _close_one(self, address: str) -> None:
        """Close the oldest idle connection of an address, else the newest one."""
        connections = [each for each, other in self._open.items() if other == address]
        victim = next((each for each in connections if each.is_idle), connections[-1])
        # Stop counting it now; `connection_lost` is called only later.
        del self._open[victim]
        victim.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        self._cancel_header_timer()
        self._cancel_send_timer()
        self._open.pop(self, None)
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

    def pause_writing(self) -> None:
        """Watch the progress of a client while it has much of an answer still to take."""
        super().pause_writing()
        self._cancel_send_timer()
        self._set_send_timer()

    def resume_writing(self) -> None:
        """Stop watching."""
        super().resume_writing()
        self._cancel_send_timer()

    def _set_send_timer(self) -> None:
        unsent = self.transport.get_write_buffer_size()
        self._send_timer = self.loop.call_later(SEND_TIMEOUT, self._check_progress, unsent)

    def _cancel_send_timer(self) -> None:
        if self._send_timer is not None:
            self._send_timer.cancel()
            self._send_timer = None

    def _check_progress(self, before: int) -> None:
        self._send_timer = None
        if before - self.transport.get_write_buffer_size() < MIN_SENT:
            self.transport.abort()
        else:
            self._set_send_timer()
