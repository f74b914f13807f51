"""`/live/`: the pages and the script that `--watch` and `--edit` add to the site.

The script reloads an open page after a build, and shows problems in the records on it.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections.abc import Callable
from functools import cache
from html import escape
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from kb.core.json import compact, data_hash
from kb.core.problems import KbError
from kb.pipeline.paths import find_templates
from kb.records.site_config import read_site_files
from kb.server.live_site import LiveSite, names_scripts
from kb.server.pages import is_safe_path
from kb.server.responses import (
    NO_STORE,
    REVALIDATE,
    HttpError,
    SiteFile,
    file_response,
    json_response,
)
from kb.server.watch import LiveState
from kb.site.branding import Branding
from kb.site.i18n import Catalog, interface_languages, read_words
from kb.site.render import environment, render
from kb.site.templates import Templates

# Longest wait of a page for a new state, in seconds. A server with open pages takes as long to
# stop.
LONGEST_POLL = 1.0
_POLL = 0.02
# Problems that an answer to an open page has at most; its bar shows the first, and their number.
_SHOWN = 10
# Distinguishes the revisions of this process from an earlier one's.
_RUN = secrets.token_hex(4)
# Where the files at /live/ are, among the templates.
_FOLDERS = ("live", "edit", "static")
LANGUAGE_COOKIE = "kb-lang"
_YEAR = 31_536_000
_PAGE_LANGUAGE = re.compile(rb'<html lang="([a-z]{2,3})"')
# A page names its language within its first bytes.
_HEAD_BYTES = 200
# The script of a page on which live.js builds.
_PAGE_SCRIPT = b"static/site.js"
# Messages of live.js.
SCRIPT = {
    "edit": "Edit rulings",
    "this": "Edit this ruling",
}
PROBLEMS = ("Build stopped: %(num)s problem", "Build stopped: %(num)s problems")


def _in_language(request: Request, lang: str) -> str:
    """Return the address of the same page in another language of the interface."""
    url = request.url.include_query_params(interface=lang)
    return f"{url.path}?{url.query}"


class LivePages:
    """Renders the page of problems and, with the service of a plug-in, the pages at `/edit/`."""

    def __init__(self, records: LiveSite, state: Callable[[], LiveState]) -> None:
        self.records = records
        self.templates = find_templates(records.paths.rulings)
        # Those that the pages are in, English first.
        self.languages = interface_languages(self.templates)
        self.words = cache(self._read_words)
        self._environment = cache(lambda ui: environment(self.templates, self.words(ui)))
        self.state = state
        self.editing = False

    def offer_editing(self, templates: Path) -> None:
        """Link to `/edit/<game>/<id>`; what it shows is in `edit/` of a plug-in's templates.

        A base's own templates override these too.
        """
        self.editing = True
        self.templates = Templates((*self.templates.folders, templates))

    def language(self, request: Request) -> str:
        """Return the language of the query, else of the cookie, else of the browser."""
        accepted = request.headers.get("accept-language", "")[:200].split(",")
        candidates = (
            request.query_params.get("interface", ""),
            request.cookies.get(LANGUAGE_COOKIE, ""),
            *(part.strip()[:2].lower() for part in accepted),
        )
        return next((lang for lang in candidates if lang in self.languages), "en")

    def _read_words(self, ui: str) -> Catalog:
        """Return the messages in a language, with the site's name; English for a broken catalogue.

        A new name in site.yaml shows after a restart.
        """
        try:
            words = read_words(self.templates, ui)
        except KbError:
            # The build reports the problem.
            return self.words("en")
        own = Branding(read_site_files(self.records.paths.rulings))
        return words.with_messages(own.messages(ui))

    def home(self, ui: str) -> str:
        """Return the address of the home page in a language, else of the English one."""
        has_pages = (self.records.site / ui / "index.html").is_file()
        return f"/{ui}/" if has_pages else "/"

    def render(
        self, request: Request, template: str, status: int = HTTPStatus.OK, **values: Any
    ) -> Response:
        """Return a page as a response, in the language of the request."""
        ui = self.language(request)
        context = {
            "editing": self.editing,
            "state": self.state(),
            "home": self.home(ui),
            "translated": self.words(ui),
            "languages": [(lang, _in_language(request, lang)) for lang in self.languages],
            **values,
        }
        text = render(self._environment(ui), f"{template}.html", template, context)
        response = Response(text, status, NO_STORE, "text/html; charset=utf-8")
        if "interface" in request.query_params:
            response.set_cookie(LANGUAGE_COOKIE, ui, max_age=_YEAR, samesite="lax")
        return response

    def injector(self, path: str) -> Callable[[bytes], bytes]:
        """Return a function that adds the script to the page in a file of the site.

        Call it before the page is read: the script compares the revision of that time with the
        current one, and so misses no change.
        """
        state = self.state()
        flags = {"data-index": names_scripts(path), "data-editing": self.editing}
        options = "".join(f" {name}" for name, is_set in flags.items() if is_set)

        def inject(body: bytes) -> bytes:
            # A moved page, or a file of the webmaster's own, lacks what the script needs.
            if _PAGE_SCRIPT not in body:
                return body
            language = _PAGE_LANGUAGE.search(body[:_HEAD_BYTES])
            words = self._script_words(language[1].decode() if language else "en")
            script = (
                f'<script src="/live/live.js" data-revision="{state.revision}"'
                f' data-build="{state.builds}"{options}'
                f' data-words="{escape(words)}" defer></script>'
            )
            return body.replace(b"</body>", f"{script}\n</body>".encode(), 1)

        return inject

    def _state_as_json(self) -> dict[str, Any]:
        """Return the state with its first problems; `tag` changes with all that pages show."""
        state = self.state()
        shown = {
            "revision": state.revision,
            "build": state.builds,
            "message": state.message,
            "count": len(state.problems),
            "problems": [problem.to_json() for problem in state.problems[:_SHOWN]],
        }
        return {**shown, "building": state.building, "tag": data_hash([_RUN, shown])}

    def _script_words(self, ui: str) -> str:
        words = self.words(ui if ui in self.languages else "en")
        messages: dict[str, object] = {key: words(text) for key, text in SCRIPT.items()}
        return compact({**messages, "problems": words.plural(PROBLEMS)})

    def routes(self) -> list[BaseRoute]:

        async def asset(request: Request) -> Response:
            name = request.path_params["name"]
            paths = (self.templates / f"{folder}/{name}" for folder in _FOLDERS)
            path = next(filter(Path.is_file, paths), None)
            if path is None or name.endswith(".html") or not is_safe_path(name):
                raise HttpError(HTTPStatus.NOT_FOUND, "There is no such file.")
            file = SiteFile.from_bytes(name, path.read_bytes())
            return file_response(request, file, REVALIDATE)

        async def watch_state(request: Request) -> Response:
            """Return the state; with the tag `after`, wait for another state."""
            tag, end = request.query_params.get("after"), time.monotonic() + LONGEST_POLL
            state = self.state()
            current = self._state_as_json()
            while tag == current["tag"] and time.monotonic() < end:
                await asyncio.sleep(_POLL)
                if self.state() is not state:
                    state = self.state()
                    current = self._state_as_json()
            return json_response(request, current)

        async def problems(request: Request) -> Response:
            return self.render(request, "live/problems")

        return [
            Route("/live/state", watch_state),
            Route("/live/problems", problems),
            Route("/live/{name:path}", asset),
        ]
