"""The outermost application: limits, host check, security headers, request log and metrics.

Not Starlette's TrustedHostMiddleware, whose errors are plain text: this one is as long as its
wrapper would be, and every error here is a problem document.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.server.metrics import Metrics
from kb.server.request_log import RequestLog
from kb.server.responses import HttpError, problem_response

# In bytes, path and query.
MAX_URL = 4_000
# In bytes.
MAX_BODY = 2_000_000
# How long the body of a request may take, in seconds.
BODY_TIMEOUT = 30.0
# The policy that the pages carry themselves, and that no other site may frame them.
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
_LOCAL_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?")
_METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
_API = "/api/v1"
_API_ROUTES = frozenset(
    (
        "search",
        "suggest",
        "rulings",
        "cards",
        "topics",
        "sources",
        "changes",
        "openapi.json",
        "problems",
    )
)
_OPERATIONS = ("/healthz", "/readyz", "/metrics")
_REJECTIONS = {
    HTTPStatus.REQUEST_URI_TOO_LONG: f"The URL is longer than {MAX_URL} characters.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: (
        f"The request body is larger than {MAX_BODY // 1_000_000} MB."
    ),
    HTTPStatus.REQUEST_TIMEOUT: f"The request body took longer than {BODY_TIMEOUT:.0f} seconds.",
    HTTPStatus.MISDIRECTED_REQUEST: (
        "While editing is on without a token, this server answers only at 127.0.0.1 and localhost."
    ),
}


class RequestMiddleware:
    """Wraps the application that answers requests."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        log: RequestLog,
        *,
        local_only: bool,
        unlogged: frozenset[str] = frozenset(),
    ) -> None:
        """`local_only` rejects other host names, so that no site can rebind a name to this machine.

        Requests for the paths in `unlogged` are counted and not logged.
        """
        self.app = app
        self.metrics = metrics
        self.log = log
        self.local_only = local_only
        self.unlogged = unlogged

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, request = time.perf_counter(), Request(scope)
        request_id = scope["kb.id"] = _request_id(request)
        causes = scope["kb.causes"] = []
        method, status, complete = scope["method"], 0, False

        async def send_with_headers(message: Message) -> None:
            nonlocal status, complete
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in {**_SECURITY_HEADERS, "X-Request-ID": request_id}.items():
                    headers.setdefault(name, value)
            else:
                complete = not message.get("more_body", False)
                message = {**message, "body": b""} if method == "HEAD" else message
            await send(message)

        try:
            await self._answer(request, scope, _limit_body(receive), send_with_headers)
        except _BodyRefused as error:
            if not status:
                await _rejection(error.status)(scope, receive, send_with_headers)
        except Exception as error:
            self.log.failure(request_id, scope["path"], error)
            if not status:
                await internal_error(request, error)(scope, receive, send_with_headers)
            elif not complete:
                raise
        finally:
            seconds = time.perf_counter() - start
            for cause in causes:
                self.log.cause(request_id, scope["path"], cause)
            counted = method if method in _METHODS else "other"
            self.metrics.count(counted, _route(scope["path"]), status, seconds)
            if scope["path"] not in self.unlogged:
                self.log.request(method, scope["path"], status, seconds, request_id)

    async def _answer(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        rejected = self._rejected(request, scope)
        if rejected is not None:
            await _rejection(rejected)(scope, receive, send)
            return
        if scope["method"] == "HEAD" and scope["path"].startswith("/api/"):
            scope = {**scope, "method": "GET"}
        await self.app(scope, receive, send)

    def _rejected(self, request: Request, scope: Scope) -> HTTPStatus | None:
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_URL:
            return HTTPStatus.REQUEST_URI_TOO_LONG
        if _content_length(request) > MAX_BODY:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        if self.local_only and not _LOCAL_HOST.fullmatch(request.headers.get("host", "")):
            return HTTPStatus.MISDIRECTED_REQUEST
        return None


def note_cause(request: Request, error: HttpError) -> None:
    """Have the log of this request say why it failed, where clients are not told."""
    if error.cause:
        request.scope.get("kb.causes", []).append(error.cause)


def internal_error(request: Request, error: Exception) -> Response:
    """Return the response to an internal error: only the id under which the log has it."""
    request_id = request.scope.get("kb.id", "-")
    detail = f"An internal error occurred. The server log has the details under the id {request_id}"
    return problem_response(HTTPStatus.INTERNAL_SERVER_ERROR, detail)


def _rejection(status: HTTPStatus) -> Response:
    return problem_response(status, _REJECTIONS[status], {"Connection": "close"})


def _request_id(request: Request) -> str:
    """Return the id that a proxy gave the request, if it is harmless in a log, else a new one."""
    given = request.headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def _content_length(request: Request) -> int:
    given = request.headers.get("content-length", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 20 else 0


class _BodyRefused(Exception):
    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


def _limit_body(receive: Receive) -> Receive:
    """Count the bytes of a body as they come; without a Content-Length its size is unknown."""
    size, ended = 0, False
    end = time.monotonic() + BODY_TIMEOUT

    async def limited() -> Message:
        nonlocal size, ended
        try:
            # After the body this waits for the client to disconnect, for as long as it takes.
            rest = None if ended else max(0.0, end - time.monotonic())
            message = await asyncio.wait_for(receive(), rest)
        except TimeoutError:
            raise _BodyRefused(HTTPStatus.REQUEST_TIMEOUT) from None
        size += len(message.get("body", b""))
        ended = not message.get("more_body", False)
        if size > MAX_BODY:
            raise _BodyRefused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        return message

    return limited


def _route(path: str) -> str:
    """Return the route that a path belongs to; there are few, whatever paths clients invent."""
    if path in _OPERATIONS:
        return path
    if path == _API or path.startswith(f"{_API}/"):
        name = path.removeprefix(_API).lstrip("/").partition("/")[0]
        return f"{_API}/{name}" if name in _API_ROUTES else _API
    for prefix in ("/edit", "/live", "/mcp", "/discord", "/telegram"):
        if path == prefix or path.startswith(f"{prefix}/"):
            return prefix
    return "static" if path.startswith("/static/") else "page"
