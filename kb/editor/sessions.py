"""Sessions of the editor.

Without a token, a session begins when somebody opens a page of the editor on this machine; with
one, when somebody gives the token. A session is a signed name in a cookie that other sites cannot
send (SameSite=Strict). Requests that write also need the page's own token in a header, and an
Origin that is this server's: other sites can neither read the former nor set the latter.
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
# How many wrong tokens are allowed in _WINDOW seconds from one address.
_MAX_FAILURES = 10
_WINDOW = 60.0
# How many addresses are remembered; beyond that, the oldest failures are forgotten.
_MAX_ADDRESSES = 1_000
# An IPv6 client has all addresses of a network with a prefix of so many bits.
_IPV6_PREFIX = 64


class Sessions:
    """The sessions of one run of the server; the next run knows none of them."""

    def __init__(self, token: str = "") -> None:
        """`token` has to be given to log in; where it is empty, opening a page begins a session."""
        self.token = token
        self._secret = secrets.token_bytes(32)
        self._failures: OrderedDict[str, list[float]] = OrderedDict()
        self._lock = threading.Lock()

    def _sign(self, purpose: str, name: str) -> str:
        return hmac.new(self._secret, f"{purpose} {name}".encode(), hashlib.sha256).hexdigest()

    def name(self, request: Request) -> str:
        """Return the session of a request, empty when it has none."""
        name, _, signature = request.cookies.get(COOKIE, "").partition(".")
        return name if name and _equal(signature, self._sign("cookie", name)) else ""

    def page_token(self, name: str) -> str:
        """Return the token that the pages of a session send with what they write."""
        return self._sign("page", name)

    def set_cookie(self, response: Response, name: str, *, secure: bool) -> None:
        """Put a session into the cookie of a response."""
        response.set_cookie(
            COOKIE,
            f"{name}.{self._sign('cookie', name)}",
            path="/edit",
            secure=secure,
            httponly=True,
            samesite="strict",
        )

    def enter(self, request: Request) -> str:
        """Return the session of an opened page, if need be a new one; empty to demand a log-in."""
        return self.name(request) or ("" if self.token else secrets.token_urlsafe(18))

    def log_in(self, token: str, address: str) -> str:
        """Return a new session, empty for a wrong token.

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
        """Return the session of a request that reads. Raises HttpError without one."""
        name = self.name(request)
        if not name:
            raise _unknown_session()
        return name

    def check_write(self, request: Request) -> None:
        """Raise HttpError unless the request comes from a page of this server."""
        check_same_origin(request)
        name = self.check_read(request)
        if not _equal(request.headers.get(TOKEN_HEADER, ""), self.page_token(name)):
            raise _unknown_session()
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
            raise HttpError(status, "The body must be application/json.")


def _network(address: str) -> str:
    """Return the client of an address: the IPv4 address, or the network of the IPv6 address."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.version == 4:
        return str(parsed)
    mapped = parsed.ipv4_mapped
    return str(mapped or ip_network((parsed.packed, _IPV6_PREFIX), strict=False))


def _equal(given: str, expected: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())


def _unknown_session() -> HttpError:
    detail = "The session has expired. Reload the page."
    return HttpError(HTTPStatus.FORBIDDEN, detail, session=True)


def check_same_origin(request: Request) -> None:
    """Raise HttpError for a request that another site makes a browser send."""
    origin = request.headers.get("origin", "").partition(":")[2]
    site = request.headers.get("sec-fetch-site", "same-origin")
    if origin != f"//{request.headers.get('host', '')}" or site != "same-origin":
        raise HttpError(HTTPStatus.FORBIDDEN, "Only pages of this server may write.")
