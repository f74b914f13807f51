"""HTTP responses: JSON, problem details, and files with ETags, byte ranges and gzip."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any, BinaryIO

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from kb.core.json import compact
from kb.core.media import compress
from kb.server.site_files import SiteFile

JSON = "application/json"
PROBLEM_JSON = "application/problem+json"
NO_STORE = {"Cache-Control": "no-store"}
# Cache-Control of what may change at any time.
REVALIDATE = "no-cache"
_CHUNK = 256 * 1024
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")


class HttpError(Exception):
    """A request that gets an error response: a status, a detail, and further `members` of it.

    `cause` is for the log alone: what clients need not know.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        headers: Mapping[str, str] | None = None,
        *,
        cause: str = "",
        **members: Any,
    ) -> None:
        super().__init__(detail)
        self.cause = cause
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
        self.members = members

    def response(self) -> Response:
        """The error as a problem document."""
        return problem_response(self.status, self.detail, self.headers, **self.members)


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
    """Return a value as JSON with an ETag.

    `etag_of` replaces the value in a weak ETag where two equal answers differ in their bytes, as by
    the time that a search took.
    """
    file = json_file(value, etag_of=etag_of, compressed=accepts_gzip(request))
    return file_response(request, file, REVALIDATE, headers, weak=etag_of is not None)


def json_file(value: object, *, etag_of: object = None, compressed: bool = False) -> SiteFile:
    """Return a value as a file of JSON, with the digest of `etag_of` where that is given."""
    body = compact(value).encode("utf-8")
    hashed = body if etag_of is None else compact(etag_of).encode("utf-8")
    gzip = compress(body, JSON) if compressed else None
    return SiteFile(JSON, hashlib.sha256(hashed).hexdigest(), len(body), body, gzip)


def file_response(
    request: Request,
    file: SiteFile,
    cache_control: str,
    headers: Mapping[str, str] | None = None,
    *,
    status: int = HTTPStatus.OK,
    weak: bool = False,
) -> Response:
    """Return a file, in gzip if the client accepts it; 304 if it has it, 206 for a byte range."""
    gzip = file.gzip if file.gzip is not None and accepts_gzip(request) else None
    span = _byte_range(request, file) if status == HTTPStatus.OK and not weak else None
    if span is not None:
        gzip = None
    # Compressed bytes are another representation, so they have a strong ETag of their own.
    etag = f'"{file.etag}{"-gz" if gzip is not None else ""}"'
    fields = {
        "ETag": f"W/{etag}" if weak else etag,
        "Cache-Control": cache_control,
        "Vary": "Accept-Encoding",
        **(headers or {}),
    }
    if status == HTTPStatus.OK and _client_has(request, file):
        _close(file)
        return Response(None, HTTPStatus.NOT_MODIFIED, fields)
    fields["Content-Type"] = file.media
    if span is not None:
        start, stop = span
        if start >= stop:
            _close(file)
            message = f"The range lies outside the file, which has {file.size} bytes."
            raise HttpError(
                HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE,
                message,
                {"Content-Range": f"bytes */{file.size}"},
            )
        status = HTTPStatus.PARTIAL_CONTENT
        fields["Content-Range"] = f"bytes {start}-{stop - 1}/{file.size}"
    if gzip is not None:
        fields["Content-Encoding"] = "gzip"
    return _with_body(request, file, span or (0, file.size), gzip, status, fields)


def _with_body(
    request: Request,
    file: SiteFile,
    span: tuple[int, int],
    gzip: bytes | None,
    status: int,
    fields: dict[str, str],
) -> Response:
    start, stop = span
    if file.stream is None:
        return Response(gzip or (file.body or b"")[start:stop], status, fields)
    fields["Content-Length"] = str(stop - start)
    if request.method == "HEAD":
        _close(file)
        return Response(None, status, fields)
    return StreamingResponse(_chunks(file.stream, start, stop), status, fields)


def _chunks(stream: BinaryIO, start: int, stop: int) -> Iterator[bytes]:
    with stream:
        stream.seek(start)
        while start < stop and (chunk := stream.read(min(_CHUNK, stop - start))):
            start += len(chunk)
            yield chunk


def _close(file: SiteFile) -> None:
    if file.stream is not None:
        file.stream.close()


def accepts_gzip(request: Request) -> bool:
    """Return whether the client accepts gzip; `gzip;q=0` refuses it."""
    for part in request.headers.get("accept-encoding", "").lower().split(","):
        name, _, parameters = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return parameters.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def _client_has(request: Request, file: SiteFile) -> bool:
    """Return whether If-None-Match names this file, compressed or not."""
    tags = {
        tag.strip().removeprefix("W/").strip('"').removesuffix("-gz")
        for tag in request.headers.get("if-none-match", "").split(",")
    }
    return "*" in tags or file.etag in tags


def _byte_range(request: Request, file: SiteFile) -> tuple[int, int] | None:
    """Return the requested byte range as start and stop, None for the whole file.

    Several ranges, other units, and an If-Range that names another version get the whole file, as
    RFC 9110 (14.2) allows. A range that cannot be satisfied has its start at or after its stop.
    """
    match = _RANGE.fullmatch(request.headers.get("range", "").strip())
    condition = request.headers.get("if-range", "")
    if not match or request.method != "GET" or condition not in ("", f'"{file.etag}"'):
        return None
    first, last = match.groups()
    if first and last and int(last) < int(first):
        return None
    if first:
        return int(first), min(int(last) + 1, file.size) if last else file.size
    return (max(file.size - int(last), 0), file.size) if last else None
