"""Answers over HTTP: what a client holds already is not sent again, what it can unpack is sent packed, errors are data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kb.server.static import ASK, File, packed

JSON = "application/json"
PROBLEM = "application/problem+json"


class Refused(Exception):
    """A request that cannot be answered: `status`, what is wrong, and `more` members for the problem document."""

    def __init__(
        self, status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers, self.more = (
            status,
            detail,
            dict(headers or {}),
            more,
        )


def problem(
    status: int, detail: str, headers: Mapping[str, str] | None = None, **more: Any
) -> Response:
    """An error as `application/problem+json` (RFC 9457): what is wrong and what to do."""
    told = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        **more,
    }
    body = json.dumps(told, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status, {"Cache-Control": "no-store", **(headers or {})}, PROBLEM)


def data(
    request: Request,
    value: object,
    headers: Mapping[str, str] | None = None,
    *,
    tag: str = "",
    cache: str = ASK,
) -> Response:
    """A value as JSON. `tag` stands for the content where that differs from one answer to the next (the time that it took)."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    digest = tag or hashlib.sha256(body).hexdigest()
    file = File(JSON, digest, len(body), body, packed(body, JSON) if unpacks(request) else None)
    return answer(request, file, cache, headers, weak=bool(tag))


def answer(
    request: Request,
    file: File,
    cache: str,
    headers: Mapping[str, str] | None = None,
    *,
    status: int = 200,
    weak: bool = False,
) -> Response:
    """A file as an answer: 304 where the client holds it, in gzip where it takes that. `file.body` is there."""
    assert file.body is not None
    short = file.packed if file.packed is not None and unpacks(request) else None
    told = {**heads(file, cache, packed=short is not None, weak=weak), **(headers or {})}
    if status == HTTPStatus.OK and holds(request, file.digest):
        return Response(None, HTTPStatus.NOT_MODIFIED, told)
    if short is not None:
        told["Content-Encoding"] = "gzip"
    return Response(
        short if short is not None else file.body, status, {**told, "Content-Type": file.media}
    )


def heads(file: File, cache: str, *, packed: bool = False, weak: bool = False) -> dict[str, str]:
    """The headers by which caches tell one edition of a file from another; the packed bytes have a tag of their own."""
    tag = f'"{file.digest[:32]}{"-gz" if packed else ""}"'
    return {"ETag": f"W/{tag}" if weak else tag, "Cache-Control": cache, "Vary": "Accept-Encoding"}


def unpacks(request: Request) -> bool:
    """Whether a client takes gzip."""
    for part in request.headers.get("accept-encoding", "").lower().split(","):
        name, _, rest = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return rest.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def holds(request: Request, digest: str) -> bool:
    """Whether a client says that it holds the content already."""
    given = request.headers.get("if-none-match", "")
    tags = {
        one.strip().removeprefix("W/").strip('"').removesuffix("-gz") for one in given.split(",")
    }
    return "*" in tags or digest[:32] in tags
