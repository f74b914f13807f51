"""The request log: one line a request on standard error.

Not uvicorn's access log, which has no duration, no id of the request and no JSON.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, TextIO

from kb.core.problems import escape_control, print_message

# In seconds.
_REPEAT_CAUSE = 60.0
LOG_FORMATS = ("none", "text", "json")


@dataclass
class RequestLog:
    """Writes method, path, status, time and id of a request; never the query, which is private."""

    format: str = "none"
    out: TextIO = field(default_factory=lambda: sys.stderr)
    _last_cause: tuple[str, float] = field(default=("", 0.0), init=False, repr=False)

    def request(self, method: str, path: str, status: int, seconds: float, request_id: str) -> None:
        """Write the line of one request."""
        if self.format == "none":
            return
        now, ms = datetime.now(UTC).isoformat(timespec="milliseconds"), seconds * 1000
        printable = "".join(char if char.isprintable() else "?" for char in path)
        self._write(
            f"{now} {method} {printable} {status} {ms:.1f} ms {request_id}",
            time=now,
            method=method,
            path=path,
            status=status,
            ms=round(ms, 2),
            id=request_id,
        )

    def failure(self, request_id: str, path: str, error: BaseException) -> None:
        """Write the traceback of an internal error, in every format; no client gets it."""
        trace = "".join(traceback.format_exception(error))
        self._write(
            f"kb: request {request_id} for {path!r} failed\n{trace.rstrip()}",
            error=type(error).__name__,
            path=path,
            id=request_id,
            trace=trace,
        )

    def cause(self, request_id: str, path: str, cause: str) -> None:
        """Write why a part of the server is unavailable, in every format; no client gets it.

        The same cause is written once a minute: while a database is away, every request has it.
        """
        now = time.monotonic()
        last, moment = self._last_cause
        if cause == last and now - moment < _REPEAT_CAUSE:
            return
        self._last_cause = (cause, now)
        text = f"kb: request {request_id} for {path!r}: {escape_control(cause)}"
        self._write(text, cause=cause, path=path, id=request_id)

    def _write(self, text: str, **row: Any) -> None:
        line = json.dumps(row, ensure_ascii=False) if self.format == "json" else text
        print_message(line, self.out)
