"""`/edit/api/`: what the editor's pages ask for while somebody edits."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from html import escape
from http import HTTPStatus
from typing import Any, TypeVar

from anyio.to_thread import run_sync
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kb.core.problems import KbError
from kb.editor.additions import add_entry
from kb.editor.commits import has_repository
from kb.editor.completion import KINDS, complete
from kb.editor.forms import AddRequest, MoveRequest, ReviewRequest, SaveRequest
from kb.editor.moving import RecordMover
from kb.editor.preview import Previewer
from kb.editor.records import EditableRecords, current_fingerprint, proposed_id
from kb.editor.saving import RecordSaver
from kb.editor.sessions import Sessions
from kb.editor.validation import Review, review
from kb.pipeline.paths import Paths
from kb.server.live_pages import LivePages
from kb.server.responses import NO_STORE, HttpError

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
_MAX_QUERY = 200


class EditorApi:
    """The editor's own API; unlike `/api/v1/` it may change with its pages at any time."""

    def __init__(
        self, paths: Paths, records: EditableRecords, sessions: Sessions, live_pages: LivePages
    ) -> None:
        self.records = records
        self.live_pages = live_pages
        self.saver = RecordSaver(records)
        self.mover = RecordMover(records)
        self.previewer = Previewer(paths)
        self.sessions = sessions

    def routes(self) -> list[BaseRoute]:
        """Return the routes below `/edit/api/`."""
        return [
            Route("/edit/api/session", self.session),
            Route("/edit/api/complete", self.complete),
            Route("/edit/api/review", self.review, methods=["POST"]),
            Route("/edit/api/diff", self.diff, methods=["POST"]),
            Route("/edit/api/add", self.add, methods=["POST"]),
            Route("/edit/api/rename", self.rename, methods=["POST"]),
            Route("/edit/api/delete", self.delete, methods=["POST"]),
            Route("/edit/api/save", self.save, methods=["POST"]),
        ]

    async def session(self, request: Request) -> Response:
        """Return the page token of the session, of a new one after the server was restarted."""
        name = self.sessions.enter(request)
        if not name:
            raise HttpError(HTTPStatus.FORBIDDEN, "Log in at /edit/login.", session=True)
        response = JSONResponse({"token": self.sessions.page_token(name)}, headers=NO_STORE)
        self.sessions.set_cookie(response, name, secure=request.url.scheme == "https")
        return response

    async def complete(self, request: Request) -> Response:
        """Return choices for a field."""
        self.sessions.check_read(request)
        query = request.query_params
        kind, typed = query.get("kind", ""), query.get("q", "")[:_MAX_QUERY]
        if kind not in KINDS:
            detail = f"The parameter kind must be one of {', '.join(KINDS)}."
            raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, detail)

        def work() -> Any:
            game = self.records.game(query.get("game", ""))
            lang = query.get("lang", "")[:3] or game.language
            workspace = self.records.workspaces.current()
            return complete(kind, typed, lang, game, workspace, self.previewer)

        return JSONResponse({"choices": await _run(work)}, headers=NO_STORE)

    async def review(self, request: Request) -> Response:
        """Return problems, preview and similar rulings of a form."""
        self.sessions.check_write(request)
        sent = await _parsed(request, ReviewRequest)
        work = partial(self._review, sent, self.live_pages.language(request))
        return JSONResponse(
            await _run(work),
            headers=NO_STORE,
        )

    def _review(self, sent: ReviewRequest, ui: str) -> dict[str, Any]:
        game = self.records.game(sent.key.partition("/")[0])
        result = review(self.records, sent.key, sent.form, new=sent.new)
        return {
            "problems": [asdict(problem) for problem in result.problems],
            "preview": self._preview(result, ui),
            "id": proposed_id(sent.form, game) if sent.new else "",
            "fingerprint": current_fingerprint(sent.form, game),
            "similar": [
                {
                    "id": ruling.id,
                    "title": ruling.original.title,
                    "similarity": round(similarity, 2),
                    "url": f"/edit/{ruling.key}",
                }
                for ruling, similarity in result.similar
            ],
        }

    def _preview(self, result: Review, ui: str) -> str | None:
        if result.ruling is None:
            return None
        try:
            return self.previewer.html(
                result.ruling,
                self.records.workspaces.current(),
                self.live_pages.words(ui),
                self.live_pages.home(ui),
            )
        except KbError as error:
            return f"<!DOCTYPE html><title>Preview</title><p>{escape(str(error))}</p>"

    async def diff(self, request: Request) -> Response:
        """Return what saving a form would change, and whether it can be committed."""
        self.sessions.check_write(request)
        sent = await _parsed(request, SaveRequest)

        def work() -> dict[str, Any]:
            lines = self.saver.diff(sent.key, sent.form, sent.version)
            return {"diff": lines, "git": has_repository(self.records.root)}

        return JSONResponse(await run_sync(work), headers=NO_STORE)

    async def add(self, request: Request) -> Response:
        """Add a card, topic, source, provision or term to a game."""
        self.sessions.check_write(request)
        sent = await _parsed(request, AddRequest)

        def work() -> str:
            return add_entry(self.records, sent.kind, sent.game, sent.values)

        return JSONResponse({"name": await run_sync(work)}, headers=NO_STORE)

    async def rename(self, request: Request) -> Response:
        """Give a record another id."""
        self.sessions.check_write(request)
        sent = await _parsed(request, MoveRequest)
        result = await run_sync(
            self.mover.rename, sent.key, sent.new_id, sent.version, sent.message
        )
        return JSONResponse(result, headers=NO_STORE)

    async def delete(self, request: Request) -> Response:
        """Delete a record."""
        self.sessions.check_write(request)
        sent = await _parsed(request, MoveRequest)
        result = await run_sync(self.mover.delete, sent.key, sent.version, sent.message)
        return JSONResponse(result, headers=NO_STORE)

    async def save(self, request: Request) -> Response:
        """Save a record."""
        self.sessions.check_write(request)
        sent = await _parsed(request, SaveRequest)

        def work() -> dict[str, Any]:
            return self.saver.save(
                sent.key, sent.form, sent.version, force=sent.force, message=sent.message
            )

        return JSONResponse(await _run(work), headers=NO_STORE)


async def _run(work: Callable[[], T]) -> T:
    """Call `work` in a thread. Raises HttpError 503 when the records are gone or unreadable."""
    try:
        return await run_sync(work)
    except (KbError, OSError) as error:
        status = HTTPStatus.SERVICE_UNAVAILABLE
        raise HttpError(status, f"The records cannot be read: {error}") from error


async def _parsed(request: Request, model: type[M]) -> M:
    """Return the body of a request. Raises HttpError when it does not fit the model."""
    try:
        return model.model_validate(json.loads(await request.body()))
    except ValidationError as error:
        detail = "; ".join(
            f"{'.'.join(map(str, item['loc']))}: {item['msg']}" for item in error.errors()[:5]
        )
        raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, detail) from error
    except (ValueError, RecursionError) as error:
        raise HttpError(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.") from error
