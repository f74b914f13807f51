"""`/edit/`: the pages for editing records, and what they ask for while somebody writes."""

from __future__ import annotations

import json
from dataclasses import asdict
from html import escape
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import parse_qs, quote

from anyio.to_thread import run_sync
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from kb.build.paths import Paths
from kb.core import urls
from kb.core.problems import KbError
from kb.editor.completion import KINDS as FIELDS
from kb.editor.completion import choices
from kb.editor.editor import Editor, Looked, current_fingerprint
from kb.editor.forms import Looking, Saving
from kb.editor.preview import Preview
from kb.editor.session import Sessions, same_origin
from kb.records.model import AUTHORITIES, KINDS, SLUG, STATUSES, Game
from kb.server.overlay import Overlay
from kb.server.responses import Refused

M = TypeVar("M", bound=BaseModel)
LISTED = 2_000
_NO_STORE = {"Cache-Control": "no-store"}


class EditorRoutes:
    """The routes of the editor."""

    def __init__(self, places: Paths, workshop: Overlay, token: str = "") -> None:
        self.editor = Editor(places)
        self.preview = Preview(places)
        self.workshop = workshop
        self.sessions = Sessions(token)

    def routes(self) -> list[BaseRoute]:
        """Pages before records: no game is called `api`, `new` or `login`, since those have no id in their address."""
        return [
            Route("/edit", self.home),
            Route("/edit/", self.home),
            Route("/edit/new", self.new),
            Route("/edit/login", self.login, methods=["GET", "POST"]),
            Route("/edit/api/session", self.session),
            Route("/edit/api/complete", self.complete),
            Route("/edit/api/look", self.look, methods=["POST"]),
            Route("/edit/api/save", self.save, methods=["POST"]),
            Route("/edit/{game}/{ruling_id}", self.record),
        ]

    # ---- pages ----

    async def home(self, request: Request) -> Response:
        """All records, and what is wrong with which."""
        return await self._page(request, self._home)

    async def new(self, request: Request) -> Response:
        """A new record."""
        return await self._page(request, self._new)

    async def record(self, request: Request) -> Response:
        """One record."""
        return await self._page(request, self._record)

    async def _page(self, request: Request, make: Any) -> Response:
        name = self.sessions.opened(request)
        if not name:
            return RedirectResponse(
                f"/edit/login?next={quote(request.url.path)}", HTTPStatus.SEE_OTHER, _NO_STORE
            )
        try:
            page: Response = await run_sync(make, request, self.sessions.page_token(name))
        except (Refused, KbError) as error:
            status = error.status if isinstance(error, Refused) else HTTPStatus.SERVICE_UNAVAILABLE
            page = self.workshop.page(
                "refused", status, detail=str(error), state=self.workshop.state()
            )
        self.sessions.begin(page, name, secure=request.url.scheme == "https")
        return page

    def _home(self, request: Request, token: str) -> Response:
        shelf = self.editor.shelves.now()
        games = []
        for game in shelf.library.games.values():
            rows = [(one.id, _titles(one.texts)) for one in shelf.of_game(game.id).values()]
            lost = [
                key.partition("/")[2]
                for key in shelf.library.left_out
                if key.startswith(f"{game.id}/")
            ]
            wrong = {*lost}
            rows += [(one, ()) for one in lost if f"{game.id}/{one}" not in shelf.rulings]
            # What has problems comes first: it is what one comes for, and no list of thousands hides it.
            first = sorted(row for row in rows if row[0] in wrong)
            rows = [*first, *sorted(row for row in rows if row[0] not in wrong)]
            games.append(
                {
                    "game": game,
                    "rows": rows[:LISTED],
                    "wrong": wrong,
                    "more": max(0, len(rows) - LISTED),
                }
            )
        return self.workshop.page("list", games=games, state=self.workshop.state())

    def _new(self, request: Request, token: str) -> Response:
        shelf = self.editor.shelves.now()
        game = shelf.game(request.query_params.get("game", "")) or next(
            iter(shelf.library.games.values()), None
        )
        if game is None:
            raise Refused(HTTPStatus.NOT_FOUND, "no game that can be read")
        head = {"kind": "ruling", "authority": game.header.authorities[0], "status": "current"}
        held = {
            "key": f"{game.id}/",
            "seen": "",
            "path": "",
            "why": "",
            "raw": "",
            "form": {"header": head, "texts": {}},
        }
        return self._form(request, game, held, token)

    def _record(self, request: Request, token: str) -> Response:
        game_id, ruling_id = request.path_params["game"], request.path_params["ruling_id"]
        if not SLUG.fullmatch(game_id) or not SLUG.fullmatch(ruling_id):
            raise Refused(HTTPStatus.NOT_FOUND, "no such ruling")
        game = self.editor.game(game_id)
        return self._form(request, game, self.editor.open(f"{game_id}/{ruling_id}").shape(), token)

    def _form(self, request: Request, game: Game, held: dict[str, Any], token: str) -> Response:
        raw = held["form"] is None or "raw" in request.query_params
        form = held["form"] or {"header": {}, "texts": {}}
        langs = list(dict.fromkeys((game.language, *game.header.languages, *form["texts"])))
        page = urls.ruling(*held["key"].split("/", 1)) if held["seen"] else ""
        return self.workshop.page(
            "form",
            game=game,
            held=held,
            form=form,
            langs=langs,
            token=token,
            kinds=KINDS,
            authorities=AUTHORITIES,
            statuses=STATUSES,
            raw=raw,
            state=self.workshop.state(),
            page=page,
        )

    async def login(self, request: Request) -> Response:
        """Where the token is given."""
        onward = request.query_params.get("next", "/edit/")
        onward = onward if onward.startswith("/edit/") and "\\" not in onward else "/edit/"
        if request.method == "GET":
            return self.workshop.page("login", onward=onward, wrong="", state=self.workshop.state())
        try:
            same_origin(request)
            given = parse_qs((await request.body()).decode("utf-8", "replace")[:2_000])
            name = self.sessions.log_in(given.get("token", [""])[0])
        except Refused as error:
            return self.workshop.page(
                "login",
                error.status,
                onward=onward,
                wrong=error.detail,
                state=self.workshop.state(),
            )
        if not name:
            told = "This is not the token."
            return self.workshop.page(
                "login",
                HTTPStatus.FORBIDDEN,
                onward=onward,
                wrong=told,
                state=self.workshop.state(),
            )
        answer = RedirectResponse(onward, HTTPStatus.SEE_OTHER, _NO_STORE)
        self.sessions.begin(answer, name, secure=request.url.scheme == "https")
        return answer

    # ---- what a page asks for ----

    async def session(self, request: Request) -> Response:
        """The token of a page's session, a new one after the server was started anew."""
        name = self.sessions.opened(request)
        if not name:
            raise Refused(HTTPStatus.FORBIDDEN, "log in at /edit/login", session=True)
        answer = JSONResponse({"token": self.sessions.page_token(name)}, headers=_NO_STORE)
        self.sessions.begin(answer, name, secure=request.url.scheme == "https")
        return answer

    async def complete(self, request: Request) -> Response:
        """How a field may go on."""
        self.sessions.reads(request)
        asked = request.query_params
        kind, typed, lang = (
            asked.get("kind", ""),
            asked.get("q", "")[:200],
            asked.get("lang", "")[:3],
        )
        if kind not in FIELDS:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, f"kind is one of {', '.join(FIELDS)}")

        def work() -> Any:
            game = self.editor.game(asked.get("game", ""))
            return choices(
                kind, typed, lang or game.language, game, self.editor.shelves.now(), self.preview
            )

        return JSONResponse({"choices": await run_sync(work)}, headers=_NO_STORE)

    async def look(self, request: Request) -> Response:
        """Problems, preview and similar rulings of what is being written."""
        self.sessions.writes(request)
        sent = await _sent(request, Looking)
        return JSONResponse(await run_sync(self._look, sent), headers=_NO_STORE)

    def _look(self, sent: Looking) -> dict[str, Any]:
        game = self.editor.game(sent.key.partition("/")[0])
        looked = self.editor.look(sent.key, sent.form, sent.new)
        return {
            "problems": [asdict(one) for one in looked.wrong],
            "preview": self._shown(looked),
            "fingerprint": current_fingerprint(sent.form, game),
            "similar": [
                {
                    "id": one.id,
                    "title": one.original.title,
                    "alike": round(alike, 2),
                    "url": f"/edit/{one.key}",
                }
                for one, alike in looked.similar
            ],
        }

    def _shown(self, looked: Looked) -> str | None:
        if looked.ruling is None:
            return None
        try:
            return self.preview.html(looked.ruling, self.editor.shelves.now())
        except KbError as error:
            return f"<!DOCTYPE html><title>Preview</title><p>{escape(str(error))}</p>"

    async def save(self, request: Request) -> Response:
        """Writes a record back."""
        self.sessions.writes(request)
        sent = await _sent(request, Saving)

        def work() -> dict[str, Any]:
            return self.editor.save(sent.key, sent.form, sent.seen, insist=sent.insist)

        return JSONResponse(await run_sync(work), headers=_NO_STORE)


def _titles(texts: Any) -> tuple[tuple[str, str], ...]:
    return tuple((text.lang, text.title) for text in texts)


async def _sent(request: Request, model: type[M]) -> M:
    """What a page has sent. Raises Refused for what is none of it."""
    try:
        return model.model_validate(json.loads(await request.body()))
    except ValidationError as error:
        told = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]
        )
        raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, told) from error
    except (ValueError, RecursionError) as error:
        raise Refused(HTTPStatus.BAD_REQUEST, "the body is no JSON") from error
