"""Who may edit: whoever opened an edit page of this server on this machine, or has given the token that it was started with.

A session is a signed name in a cookie that other sites cannot send along (SameSite=Strict). What writes needs besides the page's
own token in a header, and an Origin that is this server's: another site can neither read the one nor set the other.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
import time
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from kb.server.responses import Refused

COOKIE, HEADER = "kb-edit", "x-kb-token"
# How many wrong tokens are looked at in how many seconds.
TRIES, WITHIN = 10, 60.0


class Sessions:
    """The sessions of one run of the server: a new run knows none of them."""

    def __init__(self, token: str = "") -> None:
        """`token`: what has to be given before editing; where it is empty, every page that is opened begins a session."""
        self.token = token
        self._secret = secrets.token_bytes(32)
        self._wrong: list[float] = []
        self._lock = threading.Lock()

    def _signed(self, purpose: str, name: str) -> str:
        return hmac.new(self._secret, f"{purpose} {name}".encode(), hashlib.sha256).hexdigest()

    def name(self, request: Request) -> str:
        """The session of a request; empty when it has none."""
        name, _, mark = request.cookies.get(COOKIE, "").partition(".")
        return (
            name
            if name and hmac.compare_digest(mark.encode(), self._signed("cookie", name).encode())
            else ""
        )

    def page_token(self, name: str) -> str:
        """What a session's pages send along with what they write."""
        return self._signed("page", name)

    def begin(self, response: Response, name: str, *, secure: bool) -> None:
        """Puts a session into the cookie of an answer."""
        response.set_cookie(
            COOKIE,
            f"{name}.{self._signed('cookie', name)}",
            path="/edit",
            secure=secure,
            httponly=True,
            samesite="strict",
        )

    def opened(self, request: Request) -> str:
        """The session of a page that is opened, a new one where no token is asked for; empty when one has to log in."""
        return self.name(request) or ("" if self.token else secrets.token_urlsafe(18))

    def log_in(self, given: str) -> str:
        """The name of a new session for whoever gives the token; empty for a wrong one. Raises Refused after too many."""
        now = time.monotonic()
        with self._lock:
            self._wrong = [one for one in self._wrong if now - one < WITHIN]
            if len(self._wrong) >= TRIES:
                raise Refused(
                    HTTPStatus.TOO_MANY_REQUESTS,
                    "too many wrong tokens; wait a minute",
                    {"Retry-After": "60"},
                )
            if self.token and hmac.compare_digest(given.encode(), self.token.encode()):
                return secrets.token_urlsafe(18)
            self._wrong.append(now)
            return ""

    def reads(self, request: Request) -> str:
        """The session of a request that reads. Raises Refused without one."""
        name = self.name(request)
        if not name:
            raise Refused(
                HTTPStatus.FORBIDDEN,
                "open the page of the editor anew: this session is not known",
                session=True,
            )
        return name

    def writes(self, request: Request) -> None:
        """Raises Refused for a request that does not come from a page of this server."""
        same_origin(request)
        name = self.reads(request)
        if not hmac.compare_digest(
            request.headers.get(HEADER, "").encode(), self.page_token(name).encode()
        ):
            raise Refused(
                HTTPStatus.FORBIDDEN,
                "open the page of the editor anew: its token is not known",
                session=True,
            )
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise Refused(
                HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "what is written is sent as application/json"
            )


def same_origin(request: Request) -> None:
    """Raises Refused for a request that another site makes a browser send."""
    origin = request.headers.get("origin", "")
    ours = f"//{request.headers.get('host', '')}"
    if (
        origin.partition(":")[2] != ours
        or request.headers.get("sec-fetch-site", "same-origin") != "same-origin"
    ):
        raise Refused(HTTPStatus.FORBIDDEN, "only pages of this server may write")
