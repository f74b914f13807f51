"""What every request passes: bounds, the name of the host, headers for safety, one line in the log, one count in the figures."""

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
from typing import TextIO

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.server.metrics import Metrics
from kb.server.responses import problem

LONGEST_URL = 4_000
LARGEST_BODY = 2_000_000
# The policy that the pages carry themselves, and that no other site may frame them.
POLICY = "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}
_ID = re.compile(r"[\w-]{1,64}")
_LOCAL = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?")
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS")
LOGS = ("none", "text", "json")


@dataclass
class Log:
    """One line a request: method, path, status, time and id. What people look for stands behind the `?` and is not written."""

    form: str = "none"
    out: TextIO = field(default_factory=lambda: sys.stderr)

    def request(self, method: str, path: str, status: int, seconds: float, name: str) -> None:
        """Writes the line of one request."""
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        if self.form == "json":
            row = {
                "time": moment,
                "method": method,
                "path": path,
                "status": status,
                "ms": round(seconds * 1000, 2),
                "id": name,
            }
            print(json.dumps(row, ensure_ascii=False), file=self.out, flush=True)
        elif self.form == "text":
            plain = "".join(char if char.isprintable() else "?" for char in path)
            print(
                f"{moment} {method} {plain} {status} {seconds * 1000:.1f} ms {name}",
                file=self.out,
                flush=True,
            )

    def failure(self, name: str, path: str, error: BaseException) -> None:
        """Writes what went wrong inside, whatever the form: it is for whoever runs the server, and never sent to a client."""
        told = "".join(traceback.format_exception(error))
        if self.form == "json":
            print(
                json.dumps(
                    {"error": type(error).__name__, "path": path, "id": name, "trace": told}
                ),
                file=self.out,
                flush=True,
            )
        else:
            print(
                f"kb: request {name} for {path!r} failed\n{told}", file=self.out, flush=True, end=""
            )


class Guard:
    """The outermost application."""

    def __init__(
        self,
        app: ASGIApp,
        metrics: Metrics,
        log: Log,
        *,
        local_only: bool,
        quiet: frozenset[str] = frozenset(),
    ) -> None:
        """`local_only`: only requests that name this machine are answered, so that no other site can reach it by a name of its
        own. Requests for the paths in `quiet` are counted and not logged."""
        self.app, self.metrics, self.log, self.local_only, self.quiet = (
            app,
            metrics,
            log,
            local_only,
            quiet,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start, request = time.perf_counter(), Request(scope)
        given = request.headers.get("x-request-id", "")
        name = given if _ID.fullmatch(given) else secrets.token_hex(8)
        scope["kb.id"] = name
        method, status, whole = scope["method"], 0, False

        async def told(message: Message) -> None:
            nonlocal status, whole
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for key, value in {**_SAFE, "X-Request-ID": name}.items():
                    headers.setdefault(key, value)
            else:
                whole = not message.get("more_body", False)
                message = {**message, "body": b""} if method == "HEAD" else message
            await send(message)

        try:
            await self._answer(request, scope, _bounded(receive), told)
        except _TooLarge:
            if not status:
                await self._refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)(scope, receive, told)
        except Exception as error:
            self.log.failure(name, scope["path"], error)
            if not status:
                await failed(request, error)(scope, receive, told)
            elif not whole:
                raise
        finally:
            seconds = time.perf_counter() - start
            self.metrics.count(
                method if method in METHODS else "other", _route(scope), status, seconds
            )
            if scope["path"] not in self.quiet:
                self.log.request(method, scope["path"], status, seconds, name)

    async def _answer(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_URL:
            await self._refusal(HTTPStatus.REQUEST_URI_TOO_LONG)(scope, receive, send)
        elif _stated(request) > LARGEST_BODY:
            await self._refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)(scope, receive, send)
        elif self.local_only and not _LOCAL.fullmatch(request.headers.get("host", "")):
            await self._refusal(HTTPStatus.MISDIRECTED_REQUEST)(scope, receive, send)
        else:
            if scope["method"] == "HEAD":
                scope = {**scope, "method": "GET"} if scope["path"].startswith("/api/") else scope
            await self.app(scope, receive, send)

    @staticmethod
    def _refusal(status: HTTPStatus) -> ASGIApp:
        told = {
            HTTPStatus.REQUEST_URI_TOO_LONG: f"the address is longer than {LONGEST_URL} characters; ask for less at once",
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE: f"the request is larger than {LARGEST_BODY // 1_000_000} MB",
            HTTPStatus.MISDIRECTED_REQUEST: "while it edits, this server answers at 127.0.0.1 and localhost only",
        }
        return problem(status, told[status], {"Connection": "close"})


def failed(request: Request, error: Exception) -> Response:
    """What a client is told when something went wrong inside."""
    told = f"something went wrong inside; the log of the server tells more under the id {request.scope.get('kb.id', '-')}"
    return problem(HTTPStatus.INTERNAL_SERVER_ERROR, told)


def _stated(request: Request) -> int:
    """How large a request says its body is."""
    given = request.headers.get("content-length", "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 20 else 0


class _TooLarge(Exception):
    pass


def _bounded(receive: Receive) -> Receive:
    """The body of a request, up to its bound."""
    size = 0

    async def bounded() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > LARGEST_BODY:
            raise _TooLarge
        return message

    return bounded


def _route(scope: Scope) -> str:
    """The kind of address that was asked for: few, whatever clients ask for."""
    path = scope["path"]
    if path in ("/healthz", "/readyz", "/metrics"):
        return str(path)
    for first in ("/api/v1", "/edit", "/live"):
        if path == first or path.startswith(f"{first}/"):
            return (
                "/".join(path.split("/")[: first.count("/") + 2]) if _plain(path, first) else first
            )
    return "static" if path.startswith("/static/") else "page"


_KNOWN = {
    "search",
    "suggest",
    "rulings",
    "cards",
    "topics",
    "sources",
    "changes",
    "openapi.json",
    "problems",
}


def _plain(path: str, first: str) -> bool:
    return first == "/api/v1" and path.removeprefix(f"{first}/").partition("/")[0] in _KNOWN
