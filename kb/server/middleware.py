"""The outermost middleware: limits, security headers, and an id for each request."""

from __future__ import annotations

import re
import secrets
from http import HTTPStatus

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kb.server.responses import internal_error, log

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


class RequestMiddleware:
    """Adds headers to each response, and logs internal errors; clients get only the id."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        request_id = scope["kb.id"] = _request_id(request)
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
            is_head = request.method == "HEAD" and scope["path"].startswith("/api/")
            asked = {**scope, "method": "GET"} if is_head else scope
            await self.app(asked, receive, send_with_headers)
        except Exception as error:
            log.error("kb: request %s for %r failed", request_id, scope["path"], exc_info=error)
            if not status:
                await internal_error(request, error)(scope, receive, send_with_headers)
            elif not complete:
                raise


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
