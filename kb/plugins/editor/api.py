"""`/edit/api/`: the requests of the editor's pages."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from html import escape
from http import HTTPStatus
from typing import TypeVar

from anyio.to_thread import run_sync
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from kb.core.json import Json
from kb.core.problems import KbError
from kb.core.validation import explain
from kb.plugins.editor.access import Access
from kb.plugins.editor.additions import add_entry
from kb.plugins.editor.completion import complete
from kb.plugins.editor.forms import AddRequest, MoveRequest, ReviewRequest, SaveRequest
from kb.plugins.editor.moving import delete, rename
from kb.plugins.editor.preview import preview
from kb.plugins.editor.records import EditableRecords, current_fingerprint, proposed_id
from kb.plugins.editor.saving import diff, save
from kb.plugins.editor.validation import review
from kb.records.fields import REFERENCES
from kb.records.model import Ruling
from kb.server.live_pages import LivePages
from kb.server.responses import NO_STORE, HttpError

M = TypeVar("M", bound=BaseModel)
_MAX_QUERY = 200


@dataclass(frozen=True)
class EditorApi:
    """The editor's own API; unlike `/api/v1/`, it may change together with its pages."""

    records: EditableRecords
    access: Access
    live_pages: LivePages

    def routes(self) -> list[BaseRoute]:
        """Return the routes below `/edit/api/`."""
        return [
            Route("/edit/api/complete", self.complete),
            self.post("review", ReviewRequest, self.review),
            self.post("diff", SaveRequest, lambda sent, _: diff(self.records, sent)),
            self.post("add", AddRequest, lambda sent, _: {"name": add_entry(self.records, sent)}),
            self.post("rename", MoveRequest, lambda sent, _: rename(self.records, sent)),
            self.post("delete", MoveRequest, lambda sent, _: delete(self.records, sent)),
            self.post("save", SaveRequest, lambda sent, _: save(self.records, sent)),
        ]

    def post(self, name: str, model: type[M], answer: Callable[[M, Request], Json]) -> Route:
        """Return a route for requests that only the editor's own pages can send."""

        async def endpoint(request: Request) -> Response:
            self.access.check_write(request)
            sent = _parsed(await request.body(), model)
            return await run_sync(_json_response, lambda: answer(sent, request))

        return Route(f"/edit/api/{name}", endpoint, methods=["POST"])

    def complete(self, request: Request) -> Response:
        """Return choices for a field."""
        self.access.check_read(request)
        query = request.query_params
        kind, typed = query.get("kind", ""), query.get("q", "")[:_MAX_QUERY]
        if kind not in REFERENCES:
            detail = f"The parameter kind must be one of {', '.join(REFERENCES)}."
            raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, detail)

        def answer() -> Json:
            game = self.records.game(query.get("game", ""))
            lang = query.get("lang", "")[:3] or game.language
            return {"choices": complete(kind, typed, lang, game, self.records)}

        return _json_response(answer)

    def review(self, sent: ReviewRequest, request: Request) -> Json:
        """Return problems, preview, proposed id and similar rulings of a form."""
        game = self.records.game(sent.key.partition("/")[0])
        ruling, problems = review(self.records, sent.key, sent.form, new=sent.new)
        similar = self.records.workspace.similar(sent.key, sent.form.texts_by_language())
        titles = {lang: text.title for lang, text in sent.form.texts.items()}
        return {
            "problems": [asdict(problem) for problem in problems],
            "preview": self._preview(ruling, self.live_pages.language(request)) if ruling else None,
            "id": proposed_id(titles, game) if sent.new else "",
            "fingerprint": current_fingerprint(sent.form, game),
            "similar": [
                {
                    "id": ruling.id,
                    "title": ruling.original.title,
                    "similarity": round(similarity, 2),
                    "url": f"/edit/{ruling.key}",
                }
                for ruling, similarity in similar
            ],
        }

    def _preview(self, ruling: Ruling, ui: str) -> str:
        words, home = self.live_pages.words(ui), self.live_pages.home(ui)
        try:
            return preview(ruling, self.records, words, home)
        except KbError as error:
            return f"<!DOCTYPE html><title>Preview</title><p>{escape(str(error))}</p>"


def _json_response(answer: Callable[[], Json]) -> Response:
    """Compute an answer. Raises HttpError 503 for missing or unreadable records."""
    try:
        return JSONResponse(answer(), headers=NO_STORE)
    except (KbError, OSError) as error:
        status = HTTPStatus.SERVICE_UNAVAILABLE
        raise HttpError(status, f"The records cannot be read: {error}") from error


def _parsed(body: bytes, model: type[M]) -> M:
    """Return the body as a model. Raises HttpError if it does not fit."""
    try:
        return model.model_validate(json.loads(body))
    except ValidationError as error:
        places = [(".".join(map(str, item["loc"])), explain(item)) for item in error.errors()[:5]]
        detail = "; ".join(f"{place}: {message}" for place, message in places)
        raise HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, detail) from error
    except (ValueError, RecursionError) as error:
        raise HttpError(HTTPStatus.BAD_REQUEST, "The body is not valid JSON.") from error
