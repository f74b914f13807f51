"""The site's pages over HTTP: its files as they were built, at their own paths."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Protocol

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from kb.core import urls
from kb.core.urls import media_type
from kb.server.responses import NO_STORE, REVALIDATE, HttpError, SiteFile, file_response

# Returns, for the file of a page that a person opens, a function that adds a script to its bytes.
ScriptInjector = Callable[[str], Callable[[bytes], bytes]]
IMMUTABLE = "public, max-age=31536000, immutable"
PAGE = "public, max-age=60, stale-while-revalidate=86400"
_METHODS = ("GET", "HEAD")
# Larger files are streamed from disk, in bytes.
MAX_IN_MEMORY = 2_000_000
# A file of the browser's index, in a folder that is named by its content.
BUCKET = re.compile(r"static/search/[0-9a-f]{12}/[a-z][a-z0-9-]*\.js")
# Hidden files are not served, but for what RFC 8615 asks for.
_SEGMENT = re.compile(r"\.well-known|[^.:\x00-\x1f\x7f\\/][^:\x00-\x1f\x7f\\/]*")
# Shortest query that counts as the hash of a file's content.
_MIN_HASH = 10


class SiteStorage(Protocol):
    """A storage of the site's files, by their paths relative to its root (`swtcg/index.html`)."""

    def get(self, path: str) -> SiteFile | None:
        """Return a file, None if the site has no such file or the path is not safe. May block."""


class PageEndpoint:
    """Answers with a file of the site, or with the site's page for missing addresses."""

    def __init__(self, files: SiteStorage, injector: ScriptInjector | None = None) -> None:
        """`injector` changes pages that a person opens; programs get the bytes of the build."""
        self.files = files
        self.injector = injector

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request. Raises HttpError."""
        response = await self._response(Request(scope))
        await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        if request.method not in _METHODS:
            raise HttpError(
                HTTPStatus.METHOD_NOT_ALLOWED,
                "Pages can only be read, with GET.",
                {"Allow": ", ".join(_METHODS)},
            )
        path = page_file(request.url.path)
        inject = None
        if self.injector is not None and _is_navigation(request):
            inject = self.injector(path)
        file = await self._file(path)
        if file is None:
            return await self._not_found(request, path, inject)
        if inject is not None and file.body is not None and _is_page(file):
            file = SiteFile.from_bytes(path, inject(file.body))
        caching = cache_control(path, request.url.query, file)
        if self.injector is not None and caching == PAGE:
            # While records are watched, no page may be older than the last build.
            caching = REVALIDATE
        return file_response(request, file, caching)

    async def _file(self, path: str) -> SiteFile | None:
        return await run_sync(self.files.get, path)

    async def _not_found(
        self, request: Request, path: str, inject: Callable[[bytes], bytes] | None
    ) -> Response:
        if await self._file(f"{path}/{urls.HOME}"):
            return RedirectResponse(f"/{path}/", HTTPStatus.PERMANENT_REDIRECT)
        # The first folder may be a language, which has a page of its own.
        folder, page = path.partition("/")[0] + "/", None
        if not path.startswith("api/"):
            page = await self._file(folder + urls.NOT_FOUND)
            if page is None:
                folder, page = "", await self._file(urls.NOT_FOUND)
        if page is None and inject is not None:
            return RedirectResponse("/live/problems", HTTPStatus.TEMPORARY_REDIRECT, NO_STORE)
        if page is None or page.body is None:
            raise HttpError(HTTPStatus.NOT_FOUND, "There is no page at this address.")
        # The page has relative links, and the missing path may have any depth.
        base = f'<head>\n<base href="/{folder}">'.encode()
        body = page.body.replace(b"<head>", base, 1)
        file = SiteFile.from_bytes(urls.NOT_FOUND, inject(body) if inject else body)
        return file_response(request, file, REVALIDATE, status=HTTPStatus.NOT_FOUND)


def page_file(path: str) -> str:
    """Return the file of the page at a path of the site."""
    file = path.removeprefix("/")
    return file + urls.HOME if not file or file.endswith("/") else file


def cache_control(path: str, query: str, file: SiteFile) -> str:
    """Return the Cache-Control of a file, as the guide to publishing recommends it."""
    has_hash = len(query) >= _MIN_HASH and file.digest.startswith(query)
    if BUCKET.fullmatch(path) or (path.startswith("static/") and has_hash):
        return IMMUTABLE
    return PAGE if _is_page(file) else REVALIDATE


def _is_page(file: SiteFile) -> bool:
    return file.media.startswith("text/html")


def _is_navigation(request: Request) -> bool:
    """Return whether a person opens a page; the service worker compares files with their hashes."""
    return request.headers.get("sec-fetch-mode", "") == "navigate"


class FolderFiles:
    """The site in a folder. A build that is swapped in is served at once.

    Not Starlette's StaticFiles: it serves hidden files, its ETags change with every build, and it
    reads a file's length before it opens the file, so that a swap in between breaks the response.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, path: str) -> SiteFile | None:
        if not is_safe_path(path):
            return None
        file = self._read(path)
        if file is None and not self.folder.is_dir():
            # The folder is missing for a moment while a build swaps in another.
            time.sleep(0.05)
            file = self._read(path)
        return file

    def _read(self, path: str) -> SiteFile | None:
        place = self.folder / path
        try:
            # Symbolic links are not followed.
            if Path(os.path.realpath(place)) != Path(os.path.realpath(self.folder)) / path:
                return None
            with place.open("rb") as stream:
                status = os.fstat(stream.fileno())
                if status.st_size <= MAX_IN_MEMORY:
                    return SiteFile.from_bytes(path, stream.read(), place)
        except OSError:
            return None
        version = f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"
        return SiteFile(media_type(path), hashlib.sha256(version.encode()).hexdigest(), None, place)


def is_safe_path(path: str) -> bool:
    """Return whether a path stays in the site: plain segments, not hidden, not leading up."""
    return all(_SEGMENT.fullmatch(segment) for segment in path.split("/"))
