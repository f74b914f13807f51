"""Sessions of the editor.

Without a token, a session begins with a page of the editor opened on this machine; with a token,
after a log-in. A session is a signed name in a cookie that other sites cannot send
(SameSite=Strict). Requests that write also need the page's own token in a header, which other sites
cannot read, and this server's Origin, which they cannot set.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from collections import OrderedDict
from http import HTTPStatus
from ipaddress import ip_address, ip_network

from starlette.requests import Request
from starlette.responses import Response

from kb.server.responses import HttpError

COOKIE = "kb-edit"
TOKEN_HEADER = "x-kb-token"
# Maximum number of wrong tokens from one address in _WINDOW seconds.
_MAX_FAILURES = 10
_WINDOW = 60.0
# Maximum number of remembered addresses; the oldest failures are forgotten first.
_MAX_ADDRESSES = 1_000
# Prefix of the network whose addresses all belong to one IPv6 client, in bits.
_IPV6_PREFIX = 64


class Sessions:
    """The sessions of one run of the server; the next run knows none of them."""

    def __init__(self, token: str = "") -> None:
        """`token` is needed to log in; without one, opening a page begins a session."""
        self.token = token
        self._secret = secrets.token_bytes(32)
        self._failures: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    def _sign(self, purpose: str, name: str) -> str:
        return hmac.new(self._secret, f"{purpose} {name}".encode(), hashlib.sha256).hexdigest()

    def name(self, request: Request) -> str:
        """Return the name of the request's session, or an empty text."""
        name, _, signature = request.cookies.get(COOKIE, "").partition(".")
        return name if name and _equal(signature, self._sign("cookie", name)) else ""

    def page_token(self, name: str) -> str:
        """Return the token for the requests of a session's pages that write."""
        return self._sign("page", name)

    def set_cookie(self, response: Response, name: str, request: Request) -> None:
        """Set the session's cookie in the response to a request."""
        response.set_cookie(
            COOKIE,
            f"{name}.{self._sign('cookie', name)}",
            path="/edit",
            secure=request.url.scheme == "https",
            httponly=True,
            samesite="strict",
        )

    def enter(self, request: Request) -> str:
        """Return the session of an opened page, or a new one; an empty text demands a log-in."""
        return self.name(request) or ("" if self.token else secrets.token_urlsafe(18))

    def log_in(self, token: str, address: str) -> str:
        """Return a new session, an empty text for a wrong token.

        Raises HttpError 429 after too many wrong tokens from an address.
        """
        now, client = time.monotonic(), _network(address)
        with self._lock:
            recent = [t for t in self._failures.get(client, ()) if now - t < _WINDOW]
            if len(recent) >= _MAX_FAILURES:
                raise HttpError(
                    HTTPStatus.TOO_MANY_REQUESTS,
                    "Too many wrong tokens. Wait a minute, then try again.",
                    {"Retry-After": str(int(_WINDOW))},
                )
            if self.token and _equal(token, self.token):
                return secrets.token_urlsafe(18)
            self._failures[client] = [*recent, now]
            self._failures.move_to_end(client)
            while len(self._failures) > _MAX_ADDRESSES:
                self._failures.popitem(last=False)
            return ""

    def check_read(self, request: Request) -> str:
        """Return the session of a request. Raises HttpError without a session."""
        name = self.name(request)
        if not name:
            raise _unknown_session()
        return name

    def check_write(self, request: Request) -> None:
        """Raise HttpError unless a page of this server sent the request."""
        check_same_origin(request)
        name = self.check_read(request)
        if not _equal(request.headers.get(TOKEN_HEADER, ""), self.page_token(name)):
            raise _unknown_session()
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
            raise HttpError(status, "The body must be application/json.")


def _network(address: str) -> str:
    """Return the IPv4 address, or the network of an IPv6 address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    mapped = parsed.ipv4_mapped
    return str(mapped or ip_network((parsed.packed, _IPV6_PREFIX), strict=False))


def _equal(text: str, expected: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(text.encode(), expected.encode())


def _unknown_session() -> HttpError:
    detail = "The session has expired. Reload the page."
    return HttpError(HTTPStatus.FORBIDDEN, detail, session=True)


def check_same_origin(request: Request) -> None:
    """Raise HttpError for a request from a page of another site."""
    origin = request.headers.get("origin", "").partition(":")[2]
    site = request.headers.get("sec-fetch-site", "same-origin")
    if origin != f"//{request.headers.get('host', '')}" or site != "same-origin":
        raise HttpError(HTTPStatus.FORBIDDEN, "Only pages of this server may write.")
