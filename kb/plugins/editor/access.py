"""Who may read and write in the editor? This machine, or anyone who has logged in with the token.

A log-in sets a cookie that other sites cannot send (SameSite=Strict). Requests that write also need
this server's Origin, which other sites cannot set.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections import Counter
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from kb.server.responses import HttpError

COOKIE = "kb-edit"
# Maximum number of wrong tokens from one address in _WINDOW seconds.
_MAX_FAILURES = 10
_WINDOW = 60.0


class Access:
    """Checks requests; without a token, everyone who reaches the server has access."""

    def __init__(self, token: str = "") -> None:
        self._token = token
        # Another token ends the access of everyone who logged in with this one.
        self._cookie = hmac.new(token.encode(), b"kb editor", hashlib.sha256).hexdigest()
        # The wrong tokens of each address since a moment.
        self._failures: Counter[str] = Counter()
        self._since = time.monotonic()

    def is_granted(self, request: Request) -> bool:
        return not self._token or _equal(request.cookies.get(COOKIE, ""), self._cookie)

    def check_read(self, request: Request) -> None:
        """Raise HttpError unless a request may read."""
        if not self.is_granted(request):
            detail = "Log in at /edit/login in another tab, then try again."
            raise HttpError(HTTPStatus.FORBIDDEN, detail)

    def check_write(self, request: Request) -> None:
        """Raise HttpError unless a page of this server sent the request."""
        check_same_origin(request)
        self.check_read(request)
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
            raise HttpError(status, "The body must be application/json.")

    def log_in(self, token: str, address: str) -> None:
        """Raise HttpError 403 for a wrong token, 429 after too many from an address."""
        now = time.monotonic()
        if now - self._since > _WINDOW:
            self._failures, self._since = Counter(), now
        if self._failures[address] >= _MAX_FAILURES:
            raise HttpError(
                HTTPStatus.TOO_MANY_REQUESTS,
                "Too many wrong tokens. Wait a minute, then try again.",
                {"Retry-After": str(int(_WINDOW))},
            )
        if not _equal(token, self._token):
            self._failures[address] += 1
            raise HttpError(HTTPStatus.FORBIDDEN, "The token is wrong.")

    def set_cookie(self, response: Response, request: Request) -> None:
        response.set_cookie(
            COOKIE,
            self._cookie,
            path="/edit",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )


def _equal(text: str, expected: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(text.encode(), expected.encode())


def check_same_origin(request: Request) -> None:
    """Raise HttpError for a request from a page of another site."""
    origin = request.headers.get("origin", "").partition(":")[2]
    site = request.headers.get("sec-fetch-site", "same-origin")
    if origin != f"//{request.headers.get('host', '')}" or site != "same-origin":
        raise HttpError(HTTPStatus.FORBIDDEN, "Only pages of this server may write.")
