"""`/live/`: the pages and the script that `--watch` and `--edit` add to the site.

The script reloads an open page after a build, and shows problems in the records on it.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from kb.build.paths import find_templates
from kb.core.hashing import data_hash
from kb.server.responses import (
    NO_STORE,
    REVALIDATE,
    HttpError,
    file_response,
    json_response,
)
from kb.server.site_files import SiteFile
from kb.server.stopping import is_stopping
from kb.server.watch import WatchState

# How long a page waits for another state, in seconds: less than a proxy waits for an answer, and
# than the server for its last requests.
LONGEST_POLL = 3.0
_POLL = 0.02
# Revisions begin anew with the server.
_RUN = secrets.token_hex(4)
STATE_PATH = "/live/state"
_ASSETS = {
    "kb.css": "static/kb.css",
    "icon.svg": "static/icon.svg",
    "live.js": "edit/live.js",
    "edit.js": "edit/edit.js",
    "complete.js": "edit/complete.js",
    "edit.css": "edit/edit.css",
}


def _tag(state: WatchState) -> str:
    """Return what differs between two states that a page shows differently."""
    return data_hash([_RUN, {**state.as_json(), "building": False}])


class LivePages:
    """Renders the templates in `edit/`: the base's own where it has them, else the package's."""

    def __init__(
        self, rulings: Path, state: Callable[[], WatchState], *, editing: bool = False
    ) -> None:
        self.templates = find_templates(rulings)
        self.state = state
        self.editing = editing

    def template_file(self, name: str) -> Path:
        """Return the path of a template or an asset."""
        return self.templates / name

    @cached_property
    def environment(self) -> Any:
        """The environment of the templates."""
        from kb.site.i18n import read_words
        from kb.site.render import environment

        return environment(self.templates, read_words(self.templates, "en"))

    def render(self, template: str, status: int = HTTPStatus.OK, **values: Any) -> Response:
        """Return a page as a response."""
        from kb.site.render import render

        context = {"editing": self.editing, "state": self.state(), **values}
        text = render(self.environment, f"edit/{template}.html", template, context)
        return Response(text, status, NO_STORE, "text/html; charset=utf-8")

    def injector(self) -> Callable[[bytes], bytes]:
        """Return what adds the script to a page.

        It must be called before the page is read: the script compares the revision at that time
        with the current one, and so misses no build.
        """
        revision = self.state().revision
        editing = " data-editing" if self.editing else ""
        script = f'<script src="/live/live.js" data-revision="{revision}"{editing} defer></script>'
        return lambda body: body.replace(b"</body>", f"{script}\n</body>".encode(), 1)

    def routes(self) -> list[BaseRoute]:
        """Return the routes below `/live/`."""

        async def asset(request: Request) -> Response:
            name = request.path_params["name"]
            if name not in _ASSETS:
                raise HttpError(HTTPStatus.NOT_FOUND, "There is no such file.")
            body = self.template_file(_ASSETS[name]).read_bytes()
            return file_response(request, SiteFile.from_bytes(name, body), REVALIDATE)

        async def state(request: Request) -> Response:
            """Answer at once, or with `after` when the state is another one, a little later."""
            known, end = request.query_params.get("after"), time.monotonic() + LONGEST_POLL
            while known is not None and _tag(self.state()) == known and time.monotonic() < end:
                if is_stopping():
                    break
                await asyncio.sleep(_POLL)
            current = self.state()
            return json_response(request, {**current.as_json(), "tag": _tag(current)})

        async def problems(request: Request) -> Response:
            return self.render("problems")

        return [
            Route(STATE_PATH, state),
            Route("/live/problems", problems),
            Route("/live/{name}", asset),
        ]
