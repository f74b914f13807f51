"""What watching and editing add to the site: pages of their own in its looks, and a script on the pages that people open."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from html import escape
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from kb.build.paths import PACKAGED, find_templates
from kb.server.responses import answer, data, problem
from kb.server.static import ASK, made
from kb.server.watch import State

ASSETS = {
    "kb.css": "static/kb.css",
    "icon.svg": "static/icon.svg",
    "live.js": "edit/live.js",
    "edit.js": "edit/edit.js",
    "complete.js": "edit/complete.js",
    "edit.css": "edit/edit.css",
}
STATE = "/live/state"


class Overlay:
    """The pages beside the site: templates in `edit/`, of the base's own where it has them, else those of the package."""

    def __init__(self, rulings: Path, state: Callable[[], State], *, edits: bool = False) -> None:
        self.own, self.state, self.edits = find_templates(rulings), state, edits

    def file(self, name: str) -> Path:
        """A template or an asset."""
        return next(
            (path for path in (folder / name for folder in (self.own, PACKAGED)) if path.is_file()),
            self.own / name,
        )

    @cached_property
    def environment(self) -> Any:
        """The templates' environment."""
        from kb.site.i18n import read_words
        from kb.site.render import environment

        return environment(self.file("edit/frame.html").parent.parent, read_words(self.own, "en"))

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page of the workshop."""
        from kb.site.render import render

        text = render(
            self.environment, f"edit/{template}.html", template, {"edits": self.edits, **values}
        )
        return Response(text, status, {"Cache-Control": "no-store"}, "text/html; charset=utf-8")

    def dress(self) -> Callable[[bytes], bytes]:
        """What adds the script to a page; it knows the state from before the page is read, so that no build is missed."""
        told = f'<script src="/live/live.js" data-revision="{self.state().revision}"'
        told += f"{' data-edits' if self.edits else ''} defer></script>\n</body>"
        return lambda body: body.replace(b"</body>", told.encode(), 1)

    def routes(self) -> list[BaseRoute]:
        """What every page needs: the script and its looks, the state, the page of problems."""

        async def asset(request: Request) -> Response:
            name = request.path_params["name"]
            if name not in ASSETS:
                return problem(HTTPStatus.NOT_FOUND, f"no file {escape(name)} here")
            return answer(request, made(name, self.file(ASSETS[name]).read_bytes()), ASK)

        async def state(request: Request) -> Response:
            return data(request, self.state().shape())

        async def problems(request: Request) -> Response:
            return self.page("problems", state=self.state())

        return [
            Route(STATE, state),
            Route("/live/problems", problems),
            Route("/live/{name}", asset),
        ]
