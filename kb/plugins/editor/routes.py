"""`/edit/`: the pages for editing records."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from kb.core import urls
from kb.core.problems import KbError
from kb.plugins.editor.access import Access, check_same_origin
from kb.plugins.editor.additions import KINDS as ADDITIONS
from kb.plugins.editor.api import EditorApi
from kb.plugins.editor.completion import titles
from kb.plugins.editor.records import EditableRecords
from kb.plugins.editor.words import script_words
from kb.plugins.editor.workspace import Workspace
from kb.records.fields import HEADER_FIELDS, PARTS
from kb.records.model import Game
from kb.records.values import SLUG
from kb.server.live_pages import LivePages
from kb.server.responses import NO_STORE, HttpError

_MAX_LOGIN_BODY = 2_000
_PARTS = {
    part: [field for field in HEADER_FIELDS if field.label and field.part == part] for part in PARTS
}


def editor(live_pages: LivePages, token: str = "") -> list[BaseRoute]:
    """Return the editor's routes; a token, unless empty, is needed to log in."""
    parts = EditableRecords(live_pages.records), Access(token), live_pages
    return [*EditorApi(*parts).routes(), *EditorPages(*parts).routes()]


@dataclass(frozen=True)
class EditorPages:
    """The list of rulings, the form of one ruling, and the log-in."""

    records: EditableRecords
    access: Access
    live_pages: LivePages

    def routes(self) -> list[BaseRoute]:
        """Return the routes below `/edit/`."""
        return [
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
                return self.live_pages.render(request, "refused", status, detail=str(error))

        return endpoint

    def _home(self, request: Request) -> Response:
        workspace = self.records.workspace
        games = [_listing(workspace, game) for game in workspace.library.games.values()]
        return self.live_pages.render(request, "list", games=games)

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
        return self.live_pages.render(
            request,
            "form",
            words=script_words(self.live_pages.words(self.live_pages.language(request))),
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
            return self.live_pages.render(request, "login", target=target, problem="")
        try:
            await self._log_in(request)
        except HttpError as error:
            return self.live_pages.render(
                request, "login", error.status_code, target=target, problem=error.detail
            )
        response = RedirectResponse(target, HTTPStatus.SEE_OTHER, NO_STORE)
        self.access.set_cookie(response, request)
        return response

    async def _log_in(self, request: Request) -> None:
        check_same_origin(request)
        body = (await request.body()).decode("utf-8", "replace")
        token = parse_qs(body[:_MAX_LOGIN_BODY]).get("token", [""])[0]
        self.access.log_in(token, request.client.host if request.client else "")


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
