"""Limits of the time that a client may take for a request, and for taking an answer."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

# Every connection is checked at this interval, in seconds.
CHECK_INTERVAL = 15.0
# A client with fewer bytes of an answer taken between two checks loses the connection.
MIN_SENT = 5_000


class LimitedProtocol(H11Protocol):
    """uvicorn's protocol, which by itself waits for ever for a request and for slow readers.

    A connection is closed when two checks find the same incomplete request, or no request, and when
    the client takes hardly anything of an answer between them.
    """

    _timer: asyncio.TimerHandle | None = None
    # The request of the last check, and the bytes of answers that were unsent then.
    _checked: tuple[object, int] = ("", 0)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._check()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def resume_writing(self) -> None:
        """Note that the client has taken most of what was unsent."""
        super().resume_writing()
        self._checked = "", 0

    def _check(self) -> None:
        unsent, cycle = self.transport.get_write_buffer_size(), self.cycle
        last_cycle, last_unsent = self._checked
        is_waiting = cycle is None or cycle.response_complete or cycle.more_body
        if last_unsent and last_unsent - unsent < MIN_SENT:
            self.transport.abort()
        elif is_waiting and not unsent and cycle is last_cycle:
            self.transport.close()
        else:
            self._checked = cycle, unsent
            self._timer = self.loop.call_later(CHECK_INTERVAL, self._check)
