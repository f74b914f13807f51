"""The outermost middleware: headers for the safety of every response."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# The policy of the pages, each of which names the site of its own pictures in itself; and no site
# may frame a page.
CONTENT_SECURITY_POLICY = (
    "default-src 'self'; img-src 'self' data: https:; object-src 'none'; base-uri 'self';"
    " form-action 'self'; frame-ancestors 'none'"
)
_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "strict-origin-when-cross-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class SecurityHeaders:
    """Adds headers to each response that does not have them, also to those of internal errors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_headers(MutableHeaders(scope=message))
            await send(message)

        await self.app(scope, receive, send_with_headers)


def _add_headers(headers: MutableHeaders) -> None:
    for name, value in _SECURITY_HEADERS.items():
        headers.setdefault(name, value)
    etag = headers.get("etag", "")
    if "content-encoding" in headers and etag.startswith('"'):
        # Compressed bytes may differ between two responses with the same file.
        headers["ETag"] = f"W/{etag}"
