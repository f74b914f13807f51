"""The pages of the site: its files as they were built, at the addresses that they have."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse

from kb.core import urls
from kb.server.responses import Refused, answer, heads, holds, problem
from kb.server.static import ASK, File, Files, kept, made, safe

Dress = Callable[[], Callable[[bytes], bytes]]
_METHODS = ("GET", "HEAD")


class Pages:
    """Answers every request that nothing else takes with a file of the site, or with its own page for what is not there."""

    def __init__(self, files: Files, dress: Dress | None = None) -> None:
        """`dress` gives what adds to a page that a person opens; what programs fetch stays as it was built."""
        self.files, self.dress = files, dress

    async def __call__(self, request: Request) -> Response:
        try:
            return await self._answer(request)
        except Refused as refused:
            return problem(refused.status, str(refused), refused.headers)

    async def _answer(self, request: Request) -> Response:
        if request.method not in _METHODS:
            return problem(
                HTTPStatus.METHOD_NOT_ALLOWED,
                "pages are read with GET",
                {"Allow": ", ".join(_METHODS)},
            )
        address = request.url.path.removeprefix("/")
        if not address or address.endswith("/"):
            address += urls.HOME
        dress = self.dress() if self.dress is not None and _opened(request) else None
        file = await self._file(address)
        if file is None:
            return await self._missing(request, address, dress)
        if dress is not None and file.body is not None and file.media.startswith("text/html"):
            file = made(address, dress(file.body))
        cache = kept(address, request.url.query, file)
        if file.body is not None:
            return answer(request, file, cache)
        told = {**heads(file, cache), "Content-Length": str(file.size), "Content-Type": file.media}
        if holds(request, file.digest):
            return Response(None, HTTPStatus.NOT_MODIFIED, heads(file, cache))
        if request.method == "HEAD":
            return Response(None, HTTPStatus.OK, told)
        return StreamingResponse(file.pieces(), HTTPStatus.OK, told)

    async def _file(self, address: str) -> File | None:
        if not safe(address):
            return None
        return self.files.held(address) or await run_sync(self.files.get, address)

    async def _missing(
        self, request: Request, address: str, dress: Callable[[bytes], bytes] | None
    ) -> Response:
        if safe(address) and await self._file(f"{address}/{urls.HOME}"):
            return RedirectResponse(f"/{address}/", HTTPStatus.PERMANENT_REDIRECT)
        page = await self._file(urls.NOT_FOUND)
        if page is None and dress is not None:
            return RedirectResponse(
                "/live/problems", HTTPStatus.TEMPORARY_REDIRECT, {"Cache-Control": "no-store"}
            )
        if page is None or page.body is None:
            return problem(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        # The page does not know how deep the address is that it stands in for; here the site's root is known.
        body = page.body.replace(b"<head>", b'<head>\n<base href="/">', 1)
        return answer(
            request,
            made(urls.NOT_FOUND, dress(body) if dress else body),
            ASK,
            status=HTTPStatus.NOT_FOUND,
        )


def _opened(request: Request) -> bool:
    """Whether a person opens a page: the worker that takes the site in for offline use compares each file with its hash."""
    return request.headers.get("sec-fetch-mode", "") == "navigate"
