"""The outermost middleware: limits, security headers, the request log.

Not uvicorn's access log, which has no duration, no id of the request and no JSON.
"""

from __future__ import annotations

import json
import re
import secrets
import sys
import time
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, TextIO

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.core.problems import escape_control, print_message
from kb.server.responses import internal_error

# An unchanged cause is logged again after this time, in seconds.
_REPEAT_CAUSE = 60.0
# Largest body, in bytes.
MAX_BODY = 2_000_000
# The policy in the pages themselves, and `frame-ancestors`: no site may frame a page.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self';"
    " form-action 'self'; frame-ancestors 'none'"
)
_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_REQUEST_ID = re.compile(r"[\w-]{1,64}")
# What programs ask for again and again.
_UNLOGGED = ("/healthz", "/readyz", "/live/state")


@dataclass
class RequestLog:
    """Writes method, path, status, duration and id of requests; never the query: it is private."""

    format: str = "none"
    out: TextIO = field(default_factory=lambda: sys.stderr)
    _last_cause: tuple[str, float] = field(default=("", 0.0), init=False, repr=False)

    def request(self, method: str, path: str, status: int, seconds: float, request_id: str) -> None:
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
        """Write the traceback of an internal error, in every format; clients get only the id."""
        trace = "".join(traceback.format_exception(error))
        self._write(
            f"kb: request {request_id} for {path!r} failed\n{trace.rstrip()}",
            error=type(error).__name__,
            path=path,
            id=request_id,
            trace=trace,
        )

    def cause(self, request_id: str, path: str, cause: str) -> None:
        """Write why a part of the server is unavailable, in every format.

        The same cause is written once a minute: every request has it while a database is away.
        """
        now = time.monotonic()
        last, moment = self._last_cause
        if cause == last and now - moment < _REPEAT_CAUSE:
            return
        self._last_cause = (cause, now)
        text = f"kb: request {request_id} for {path!r}: {escape_control(cause)}"
        self._write(text, cause=cause, path=path, id=request_id)

    def _write(self, text: str, **row: Any) -> None:
        # As ASCII: a path may hold characters that a terminal obeys.
        line = json.dumps(row) if self.format == "json" else text
        print_message(line, self.out)


class RequestMiddleware:
    """Wraps the application with limits, headers and log."""

    def __init__(self, app: ASGIApp, log: RequestLog) -> None:
        self.app = app
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, request = time.perf_counter(), Request(scope)
        method, path = scope["method"], scope["path"]
        request_id = scope["kb.id"] = _request_id(request)
        scope["kb.causes"] = []
        status, complete = 0, False

        async def send_with_headers(message: Message) -> None:
            nonlocal status, complete
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(MutableHeaders(scope=message), status, request_id)
            else:
                complete = not message.get("more_body", False)
            await send(message)

        try:
            # The operations of the API are GET requests; the server leaves out the body.
            is_head = method == "HEAD" and path.startswith("/api/")
            asked = {**scope, "method": "GET"} if is_head else scope
            await self.app(asked, receive, send_with_headers)
        except Exception as error:
            self.log.failure(request_id, path, error)
            if not status:
                await internal_error(request, error)(scope, receive, send_with_headers)
            elif not complete:
                raise
        finally:
            seconds = time.perf_counter() - start
            for cause in scope["kb.causes"]:
                self.log.cause(request_id, path, cause)
            if path not in _UNLOGGED:
                self.log.request(method, path, status, seconds, request_id)


def _add_headers(headers: MutableHeaders, status: int, request_id: str) -> None:
    for name, value in {**_SECURITY_HEADERS, "X-Request-ID": request_id}.items():
        headers.setdefault(name, value)
    if status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        # The rest of the request is not read.
        headers["Connection"] = "close"
    etag = headers.get("etag", "")
    if "content-encoding" in headers and etag.startswith('"'):
        # Compressed bytes may differ between two responses with the same file.
        headers["ETag"] = f"W/{etag}"


def _request_id(request: Request) -> str:
    """Return the proxy's id of the request if it is safe in a log, else a new id."""
    proxy_id = request.headers.get("x-request-id", "")
    return proxy_id if _REQUEST_ID.fullmatch(proxy_id) else secrets.token_hex(8)
