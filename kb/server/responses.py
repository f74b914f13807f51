"""HTTP responses: JSON and files with ETags; every error as a problem document."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response

from kb.core.json import compact
from kb.core.problems import NotBuilt, escape_control, explain
from kb.core.urls import media_type

# What goes wrong inside, without queries: they are private. Python prints it on standard error.
log = logging.getLogger("kb.server")
JSON = "application/json"
PROBLEM_JSON = "application/problem+json"
NO_STORE = {"Cache-Control": "no-store"}
# Cache-Control of files that may change at any time.
REVALIDATE = "no-cache"
# Number of hexadecimal digits in an ETag.
_ETAG_LENGTH = 32
# Seconds after which a client may ask again.
_RETRY_AFTER = 5
_DETAILS = {
    404: "There is nothing at this address; /api/v1/ lists what the API has.",
    413: "The request body is too large.",
}


@dataclass(frozen=True)
class SiteFile:
    """One file of the site.

    `digest`: SHA-256 of the bytes in hexadecimal digits. `place`: its path on disk, if any. A large
    file has no `body`; its digest comes from time, size and inode.
    """

    media: str
    digest: str
    body: bytes | None
    place: Path | None = None

    @classmethod
    def from_bytes(cls, path: str, body: bytes, place: Path | None = None) -> SiteFile:
        """Return a file of the given bytes; `path` decides its media type."""
        return cls(media_type(path), hashlib.sha256(body).hexdigest(), body, place)


class HttpError(HTTPException):
    """An error response: status, detail, and further `members` of the problem document."""

    def __init__(
        self,
        status: int,
        detail: str,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        super().__init__(status, detail, headers)
        self.members = members

    def __str__(self) -> str:
        return self.detail


def problem_response(
    status: int, detail: str, headers: Mapping[str, str] | None = None, **members: Any
) -> Response:
    """Return an error as `application/problem+json` (RFC 9457)."""
    document = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": detail,
        **members,
    }
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status, {**NO_STORE, **(headers or {})}, PROBLEM_JSON)


def json_response(
    request: Request,
    value: object,
    headers: Mapping[str, str] | None = None,
    *,
    etag_of: object = None,
) -> Response:
    """Return plain data or a dataclass as JSON with an ETag.

    `etag_of`: what the ETag stands for, if not the value: without a search's duration, for example.
    """
    body = compact(value).encode("utf-8")
    hashed = body if etag_of is None else compact(etag_of).encode("utf-8")
    file = SiteFile(JSON, hashlib.sha256(hashed).hexdigest(), body)
    return file_response(request, file, REVALIDATE, headers, weak=etag_of is not None)


def file_response(
    request: Request,
    file: SiteFile,
    cache_control: str,
    headers: Mapping[str, str] | None = None,
    *,
    status: int = HTTPStatus.OK,
    weak: bool = False,
) -> Response:
    """Return a file, status 304 for a known ETag, or byte ranges of a file on disk."""
    tag = file.digest[:_ETAG_LENGTH]
    etag = f'W/"{tag}"' if weak else f'"{tag}"'
    fields = {"ETag": etag, "Cache-Control": cache_control, **(headers or {})}
    if status == HTTPStatus.OK and _has_tag(request.headers.get("if-none-match", ""), tag):
        return Response(None, HTTPStatus.NOT_MODIFIED, {**fields, "Vary": "Accept-Encoding"})
    is_partial = "range" in request.headers and status == HTTPStatus.OK
    if file.place is not None and (file.body is None or is_partial):
        return FileResponse(file.place, status, fields, file.media)
    return Response(file.body, status, fields, file.media)


def _has_tag(if_none_match: str, tag: str) -> bool:
    tags = {each.strip().removeprefix("W/").strip('"') for each in if_none_match.split(",")}
    return "*" in tags or tag in tags


def handle_errors(app: Starlette) -> None:
    """Install the handlers in an application."""
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(NotBuilt, _not_built)
    app.add_exception_handler(RequestValidationError, _invalid_parameters)
    app.add_exception_handler(Exception, _internal_error)


async def _internal_error(request: Request, error: Exception) -> Response:
    # uvicorn logs the error.
    detail = "An internal error occurred. The server log has the details."
    return problem_response(HTTPStatus.INTERNAL_SERVER_ERROR, detail)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error, HttpError):
        return problem_response(error.status_code, error.detail, error.headers, **error.members)
    detail = _DETAILS.get(error.status_code, str(error.detail))
    allowed = (error.headers or {}).get("Allow")
    if allowed:
        methods = ", ".join(sorted(allowed.split(", ")))
        detail = f"{request.method} is not allowed at this address; allowed: {methods}."
    return problem_response(error.status_code, detail, error.headers)


async def _not_built(request: Request, error: Exception) -> Response:
    # The client gets a fixed text.
    if error.__cause__:
        log.warning("kb: %r: %s", request.url.path, escape_control(str(error.__cause__)))
    headers = {"Retry-After": str(_RETRY_AFTER)}
    return problem_response(HTTPStatus.SERVICE_UNAVAILABLE, str(error), headers)


async def _invalid_parameters(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = [
        {"parameter": str(item["loc"][-1]), "message": explain(item)} for item in error.errors()
    ]
    return await _http_error(request, invalid_parameters(errors))


def invalid_parameters(errors: Sequence[Mapping[str, str]]) -> HttpError:
    """Return the error for parameters, each with its message."""
    detail = "; ".join(f"{item['parameter']}: {item['message']}" for item in errors)
    return HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, detail, errors=errors)
