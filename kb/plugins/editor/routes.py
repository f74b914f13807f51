"""`/edit/`: the pages for editing records, and `/edit/api/`, the requests of their scripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from html import escape
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import parse_qs, quote

from anyio.to_thread import run_sync
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from kb.core import urls
from kb.core.json import Json
from kb.core.problems import KbError, explain
from kb.plugins.editor.access import Access, check_same_origin
from kb.plugins.editor.additions import KINDS as ADDITIONS
from kb.plugins.editor.additions import add_entry
from kb.plugins.editor.completion import complete, titles
from kb.plugins.editor.forms import AddRequest, MoveRequest, ReviewRequest, SaveRequest
from kb.plugins.editor.moving import delete, rename
from kb.plugins.editor.preview import preview
from kb.plugins.editor.records import EditableRecords, Workspace, current_fingerprint, proposed_id
from kb.plugins.editor.saving import diff, save
from kb.plugins.editor.validation import review
from kb.plugins.editor.words import HINTS, script_words
from kb.records.fields import HEADER_FIELDS, REFERENCES
from kb.records.model import Game, Ruling
from kb.records.values import SLUG
from kb.server.live_pages import LivePages
from kb.server.responses import NO_STORE, HttpError

M = TypeVar("M", bound=BaseModel)
_MAX_QUERY = 200
_MAX_LOGIN_BODY = 2_000
# The fields in the parts of the form, by name; those with a label that have no part here are rare.
_FACTS = "kind authority status verdict when about topics sources date".split()
_RELATIONS = "supersedes because different_from related example_of overrides".split()
_PARTS = {
    "facts": [field for field in HEADER_FIELDS if field.name in _FACTS],
    "relations": [field for field in HEADER_FIELDS if field.name in _RELATIONS],
    "rare": [
        field for field in HEADER_FIELDS if field.label and field.name not in (*_FACTS, *_RELATIONS)
    ],
}


@dataclass(frozen=True)
class Editor:
    """The list of rulings, the form of one ruling, the log-in, and what the form's script asks.

    Unlike `/api/v1/`, the requests of the script may change together with the pages.
    """

    records: EditableRecords
    access: Access
    live_pages: LivePages

    def routes(self) -> list[BaseRoute]:
        records = self.records
        return [
            Route("/edit/api/complete", self.complete),
            self.post("review", ReviewRequest, self.review),
            self.post("diff", SaveRequest, lambda sent, _: diff(records, sent)),
            self.post("add", AddRequest, lambda sent, _: {"name": add_entry(records, sent)}),
            self.post("rename", MoveRequest, lambda sent, _: rename(records, sent)),
            self.post("delete", MoveRequest, lambda sent, _: delete(records, sent)),
            self.post("save", SaveRequest, lambda sent, _: save(records, sent)),
            Route("/edit/", self.page(self._home)),
            Route("/edit/new", self.page(self._new)),
            Route("/edit/login", self.login, methods=["GET", "POST"]),
            Route("/edit/{game}/{ruling_id}", self.page(self._record)),
        ]

    def page(self, render: Callable[[Request], Response]) -> Callable[[Request], Response]:
        """Return an endpoint that renders a page, or demands a log-in."""

        def endpoint(request: Request) -> Response:
            if not self.access.is_granted(request):
                location = f"/edit/login?next={quote(request.url.path)}"
                return RedirectResponse(location, HTTPStatus.SEE_OTHER, NO_STORE)
            try:
                return render(request)
            except (HttpError, KbError, OSError) as error:
                status = getattr(error, "status_code", HTTPStatus.SERVICE_UNAVAILABLE)
                return self.live_pages.render(request, "edit/refused", status, detail=str(error))

        return endpoint

    def _home(self, request: Request) -> Response:
        workspace = self.records.workspace
        games = [_listing(workspace, game) for game in workspace.library.games.values()]
        return self.live_pages.render(request, "edit/list", games=games)

    def _new(self, request: Request) -> Response:
        workspace = self.records.workspace
        games = workspace.library.games
        if not games:
            raise HttpError(HTTPStatus.NOT_FOUND, "There is no game that can be read.")
        game = games.get(request.query_params.get("game", "")) or next(iter(games.values()))
        header = {"kind": "ruling", "authority": game.header.authorities[0], "status": "current"}
        record = dict.fromkeys(("version", "path", "reason", "raw"), "")
        form = {"header": header, "texts": {}}
        return self._form(request, game, {**record, "key": f"{game.id}/", "form": form})

    def _record(self, request: Request) -> Response:
        game_id, ruling_id = request.path_params["game"], request.path_params["ruling_id"]
        if not SLUG.fullmatch(game_id) or not SLUG.fullmatch(ruling_id):
            raise HttpError(HTTPStatus.NOT_FOUND, "There is no such ruling.")
        game = self.records.game(game_id)
        record = self.records.open(f"{game_id}/{ruling_id}").as_json()
        return self._form(request, game, record)

    def _form(self, request: Request, game: Game, record: dict[str, Any]) -> Response:
        form = record["form"] or {"header": {}, "texts": {}}
        words = self.live_pages.words(self.live_pages.language(request))
        return self.live_pages.render(
            request,
            "edit/form",
            words=script_words(words),
            hints=words.table(HINTS),
            game=game,
            record=record,
            form=form,
            langs=list(dict.fromkeys((*game.languages, *form["texts"], *_by_language(form)))),
            parts=_PARTS,
            choices=_choices(game),
            additions=_additions(game),
            titles=partial(titles, game=game, workspace=self.records.workspace),
            raw=record["form"] is None or "raw" in request.query_params,
            page=urls.ruling(*record["key"].split("/", 1)) if record["version"] else "",
        )

    async def login(self, request: Request) -> Response:
        """Show the log-in page, or give access to someone with the token."""
        target = request.query_params.get("next", "/edit/")
        if not target.startswith("/edit/") or "\\" in target:
            target = "/edit/"
        if request.method == "GET":
            return self.live_pages.render(request, "edit/login", target=target, problem="")
        try:
            await self._log_in(request)
        except HttpError as error:
            return self.live_pages.render(
                request, "edit/login", error.status_code, target=target, problem=error.detail
            )
        response = RedirectResponse(target, HTTPStatus.SEE_OTHER, NO_STORE)
        self.access.set_cookie(response, request)
        return response

    async def _log_in(self, request: Request) -> None:
        check_same_origin(request)
        body = (await request.body()).decode("utf-8", "replace")
        token = parse_qs(body[:_MAX_LOGIN_BODY]).get("token", [""])[0]
        self.access.log_in(token, request.client.host if request.client else "")

    def post(self, name: str, model: type[M], answer: Callable[[M, Request], Json]) -> Route:
        """Return a route for requests that only the editor's own pages can send."""

        async def endpoint(request: Request) -> Response:
            self.access.check_write(request)
            sent = _parsed(await request.body(), model)
            return await run_sync(_json_response, lambda: answer(sent, request))

        return Route(f"/edit/api/{name}", endpoint, methods=["POST"])

    def complete(self, request: Request) -> Response:
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


def _by_language(form: dict[str, Any]) -> Iterator[str]:
    for field in _PARTS["facts"]:
        if field.shape == "mapping":
            yield from form["header"].get(field.key, {})


def _choices(game: Game) -> dict[str, list[str]]:
    """Return the choices of each field by key; empty for a field of free text."""
    editions = [edition.id for edition in game.header.editions]
    choices: dict[str, list[str]] = {}
    for field in HEADER_FIELDS:
        values = editions if field.key == "reviewed" else list(field.choices)
        choices[field.key] = ["", *values] if values and not field.required else values
    return choices


def _additions(game: Game) -> dict[str, list[str]]:
    """Return the fields of each kind of new entry, with the game's languages in place of `*`."""
    languages = game.languages
    return {
        kind: [
            field.replace("*", lang)
            for field in fields
            for lang in (languages if "*" in field else "-")
        ]
        for kind, (_, fields) in ADDITIONS.items()
    }


def _listing(workspace: Workspace, game: Game) -> dict[str, Any]:
    """Return the rulings of a game for the list, those with problems first."""
    titles = {
        ruling.id: [(text.lang, text.title) for text in ruling.texts]
        for ruling in workspace.of_game(game.id).values()
    }
    left_out = (key.partition("/") for key in workspace.library.left_out)
    faulty = {ruling_id for game_id, _, ruling_id in left_out if game_id == game.id}
    ids = sorted({*titles, *faulty}, key=lambda ruling_id: (ruling_id not in faulty, ruling_id))
    return {
        "game": game,
        "rows": [(ruling_id, titles.get(ruling_id, ())) for ruling_id in ids],
        "faulty": faulty,
    }
