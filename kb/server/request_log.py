"""The request log: one line a request on standard error."""

from __future__ import annotations

import json
import sys
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TextIO

LOG_FORMATS = ("none", "text", "json")


@dataclass
class RequestLog:
    """Writes method, path, status, time and id of a request; never the query, which is private."""

    format: str = "none"
    out: TextIO = field(default_factory=lambda: sys.stderr)

    def request(self, method: str, path: str, status: int, seconds: float, request_id: str) -> None:
        """Write the line of one request."""
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        if self.format == "json":
            row = {
                "time": now,
                "method": method,
                "path": path,
                "status": status,
                "ms": round(seconds * 1000, 2),
                "id": request_id,
            }
            self._write(json.dumps(row, ensure_ascii=False))
        elif self.format == "text":
            printable = "".join(char if char.isprintable() else "?" for char in path)
            duration = f"{seconds * 1000:.1f} ms"
            self._write(f"{now} {method} {printable} {status} {duration} {request_id}")

    def failure(self, request_id: str, path: str, error: BaseException) -> None:
        """Write the traceback of an internal error, in every format; no client gets it."""
        trace = "".join(traceback.format_exception(error))
        if self.format == "json":
            row = {
                "error": type(error).__name__,
                "path": path,
                "id": request_id,
                "trace": trace,
            }
            self._write(json.dumps(row))
        else:
            self._write(f"kb: request {request_id} for {path!r} failed\n{trace.rstrip()}")

    def _write(self, line: str) -> None:
        print(line, file=self.out, flush=True)
