"""`/api/v1/`: the base for other programs. Shapes are those of the command line's JSON; errors are problem documents."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from http import HTTPStatus
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import RedirectResponse, Response

from kb.commands.cards import match_cards
from kb.commands.lookup import in_force_on
from kb.core import urls
from kb.core.problems import KbError
from kb.records.model import Authority, Kind, Status, valid_date
from kb.serialize.answers import card_to_json, search_answer_to_json
from kb.serialize.ruling import stored_ruling_to_json
from kb.server import schemas
from kb.server.catalogue import words
from kb.server.changes import page_of_changes
from kb.server.middleware import failed
from kb.server.pool import Base, Pool
from kb.server.responses import PROBLEM, Refused, data, problem
from kb.server.watch import State
from kb.store import lists

PREFIX = "/api/v1"
MOST, DEEPEST, FURTHEST = 100, 1_000, 1_000_000
_SLUG = "^[a-z0-9]+(-[a-z0-9]+)*$"
_DATE = "^[0-9]{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12][0-9]|3[01]))?)?$"
# No control characters: a text that a person can have typed.
_TEXT = r"^[^\x00-\x1f\x7f]*$"

Text = Annotated[str, Query(max_length=200, pattern=_TEXT, examples=["pilotów w strefie budowy"])]
GameId = Annotated[
    str, Query(max_length=100, pattern=_SLUG, description="a game's id", examples=["swtcg"])
]
Lang = Annotated[
    str, Query(pattern="^[a-z]{2,3}$", description="a language's code", examples=["pl"])
]
Slug = Annotated[str, Query(max_length=100, pattern=_SLUG)]
Label = Annotated[
    str,
    Query(
        max_length=200, pattern=_TEXT, description="a card's label", examples=["Darth Sidious (C)"]
    ),
]
Cited = Annotated[
    str,
    Query(
        max_length=201,
        pattern=r"^[a-z0-9-]+(#[\w.-]+)?$",
        description="document or document#provision",
    ),
]
Date = Annotated[
    str,
    Query(
        pattern=_DATE,
        description="a day, or the last of a month or a year",
        examples=["2003-06-01"],
    ),
]
Limit = Annotated[int, Query(ge=1, le=MOST, description="how many results at most")]
Offset = Annotated[int, Query(ge=0, le=FURTHEST, description="how many results to pass over")]
Near = Annotated[int, Query(ge=0, le=DEEPEST, description="how many results to pass over")]
Id = Annotated[str, Path(max_length=100, pattern=_SLUG)]

_PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": told,
        "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, told in (
        (404, "there is no such thing"),
        (422, "a parameter is not what it has to be"),
        (503, "busy, or nothing built"),
    )
}
_HELD: dict[int | str, dict[str, Any]] = {
    304: {"description": "as it was when the client last asked (If-None-Match)"}
}


def told(model: type[Any]) -> dict[int | str, dict[str, Any]]:
    """What an operation may answer, for the description."""
    return {200: {"model": model, "description": "found"}, **_HELD, **_PROBLEMS}


def make_api(pool: Pool, state: Callable[[], State] | None = None) -> FastAPI:
    """The application that is mounted at `/api/v1`; `state` where the records are watched."""
    api = FastAPI(
        title="Rulings of trading card games",
        version="1",
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        description="Search, rulings, cards, topics, sources and changes of the base. Everything is read with GET, from any"
        " origin. Lists come in pages (`limit`, `offset`): `total` and the header `X-Total-Count` tell how many there are,"
        " `Link` leads on.",
        servers=[{"url": PREFIX}],
        root_path_in_servers=False,
        redirect_slashes=False,
    )
    api.add_middleware(
        CORSMiddleware,
        allow_origins=["*"],
        allow_methods=["GET"],
        expose_headers=["ETag", "Link", "X-Total-Count", "Retry-After", "X-Request-ID"],
        max_age=86_400,
    )
    refusals(api)
    _searching(api, pool)
    _rulings(api, pool)
    _cards(api, pool)
    _lists(api, pool)
    if state is not None:
        _watching(api, state)
    described = api.openapi

    def openapi() -> dict[str, Any]:
        made = described()
        shape = schemas.Problem.model_json_schema()
        made.setdefault("components", {}).setdefault("schemas", {})["Problem"] = shape
        for gone in ("HTTPValidationError", "ValidationError"):
            made["components"]["schemas"].pop(gone, None)
        for path, example in _EXAMPLES.items():
            made["paths"][path]["get"]["responses"]["200"]["content"]["application/json"][
                "example"
            ] = example
        return made

    api.openapi = openapi  # type: ignore[method-assign]
    return api


def refusals(app: Starlette) -> None:
    """Makes every error of an application a problem document."""

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return problem(error.status, error.detail, error.headers, **error.more)

    async def missing(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        what = {
            404: f"there is nothing at this address; {PREFIX}/ lists what there is",
            405: "everything here is read with GET",
        }
        return problem(
            error.status_code, what.get(error.status_code, str(error.detail)), error.headers
        )

    async def invalid(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        wrong = [
            {"parameter": str(one["loc"][-1]), "message": str(one["msg"])} for one in error.errors()
        ]
        detail = "; ".join(f"{one['parameter']}: {one['message']}" for one in wrong)
        return problem(HTTPStatus.UNPROCESSABLE_ENTITY, detail, errors=wrong)

    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(HTTPException, missing)
    app.add_exception_handler(RequestValidationError, invalid)
    app.add_exception_handler(Exception, failed)


def _searching(api: FastAPI, pool: Pool) -> None:
    @api.get(
        "/",
        summary="Where one begins: games, and where everything is",
        responses=told(schemas.Start),
    )
    def start(request: Request) -> Response:
        def work(base: Base) -> dict[str, Any]:
            languages = base.searcher.languages
            games = [
                {
                    "id": game,
                    "name": names,
                    "languages": list(languages[game]),
                    "url": urls.game(game),
                }
                for game, names in base.searcher.store.games().items()
            ]
            links = {
                name: f"{PREFIX}/{name}"
                for name in (
                    "search",
                    "suggest",
                    "rulings",
                    "cards",
                    "topics",
                    "sources",
                    "changes",
                )
            }
            return {
                "build": base.build,
                "games": games,
                "links": {**links, "description": f"{PREFIX}/openapi.json"},
            }

        return data(request, pool.ask(work))

    @api.get("/search", summary="Search, as `kb search` does", responses=told(schemas.Found))
    def search(
        request: Request,
        q: Text,
        game: GameId = "",
        lang: Lang = "",
        as_of: Date = "",
        limit: Limit = 10,
        offset: Near = 0,
    ) -> Response:
        def work(base: Base) -> tuple[str, dict[str, Any]]:
            _known(base, game, lang)
            answer = base.searcher.search(
                q, game or None, lang or None, limit + offset, _day(as_of)
            )
            shape = search_answer_to_json(answer)
            return base.build, {**shape, "results": shape["results"][offset:]}

        _, shape = pool.ask(work)
        tag = _tag({**shape, "took_ms": 0})
        return data(
            request, shape, _pages(request, shape["total"], limit, offset, DEEPEST), tag=tag
        )

    @api.get(
        "/suggest", summary="How what has been typed may go on", responses=told(schemas.Suggested)
    )
    def suggest(
        request: Request, q: Text, game: GameId = "", lang: Lang = "", limit: Limit = 10
    ) -> Response:
        def work(base: Base) -> dict[str, Any]:
            _known(base, game, lang)
            return _suggested(base, q, game, lang, limit)

        return data(request, pool.ask(work))


def _suggested(base: Base, typed: str, game: str, lang: str, limit: int) -> dict[str, Any]:
    searcher, store = base.searcher, base.searcher.store
    games = [game] if game else list(searcher.languages)
    languages = (
        [lang]
        if lang
        else list(dict.fromkeys(one for name in games for one in searcher.languages[name]))
    )
    cards = base.catalogue.card_starts(store).complete(
        typed, limit, lambda key: not game or key[0] == game
    )
    subjects = base.catalogue.topic_starts(store).complete(
        typed, limit, lambda key: not game or key[0] == game
    )
    titles = (
        {(one["game"], one["id"]): one["title"] for one in lists.topics(store, game)}
        if subjects
        else {}
    )
    return {
        "query": typed,
        "words": [
            {"lang": one, "word": word} for one, word in words(searcher, typed, languages, limit)
        ],
        "cards": [
            {"game": owner, "name": name, "url": _card_page(base, owner, name)}
            for owner, name in cards
        ],
        "topics": [
            {"game": owner, "id": one, "title": titles[owner, one], "url": urls.topic(owner, one)}
            for owner, one in subjects
        ],
    }


def _card_page(base: Base, game: str, name: str) -> str | None:
    store = base.searcher.store
    labels = {name, *(one.label for one in base.catalogue.cards(store)[game, name])}
    return (
        urls.card(game, base.catalogue.pieces(store, game)[name])
        if any(store.rulings_on(game, labels))
        else None
    )


def _rulings(api: FastAPI, pool: Pool) -> None:
    @api.get("/rulings", summary="Rulings, by game and id", responses=told(schemas.Rulings))
    def rulings(
        request: Request,
        game: GameId = "",
        topic: Slug = "",
        kind: Kind | None = None,
        authority: Authority | None = None,
        status: Status | None = None,
        lang: Lang = "",
        source: Cited = "",
        card: Label = "",
        limit: Limit = 20,
        offset: Offset = 0,
    ) -> Response:
        wanted = lists.RulingFilter(
            game, topic, kind or "", authority or "", status or "", lang, source, card
        )

        def work(base: Base) -> dict[str, Any]:
            _known(base, game, lang)
            total, keys = lists.ruling_keys(base.searcher.store, wanted, limit, offset)
            return _page(
                total,
                limit,
                offset,
                [stored_ruling_to_json(one) for one in base.searcher.store.rulings(keys)],
            )

        return _listed(request, pool.ask(work))

    @api.get(
        "/rulings/{game}/{ruling_id}",
        summary="One ruling, as `kb show` gives it; a former id leads to the present one",
        responses={
            308: {"description": "a former id; Location is the present one"},
            **told(schemas.Ruling),
        },
    )
    def ruling(request: Request, game: Id, ruling_id: Id, as_of: Date = "") -> Response:
        def work(base: Base) -> dict[str, Any] | str:
            store = base.searcher.store
            _known(base, game)
            one = store.ruling(f"{game}/{ruling_id}")
            if one is None:
                now = lists.current_id(store, game, ruling_id)
                if now:
                    return now
                near = difflib.get_close_matches(ruling_id, lists.ruling_ids(store, game), 3, 0.6)
                raise Refused(404, f"no ruling {ruling_id} in {game}{_meant(near)}")
            try:
                return stored_ruling_to_json(
                    in_force_on(store, one, _day(as_of), lambda text: None) if as_of else one
                )
            except KbError as error:
                raise Refused(404, str(error)) from error

        result = pool.ask(work)
        if isinstance(result, str):
            query = f"?{request.url.query}" if request.url.query else ""
            return RedirectResponse(
                f"{PREFIX}/rulings/{game}/{result}{query}", HTTPStatus.PERMANENT_REDIRECT
            )
        return data(request, result)


def _cards(api: FastAPI, pool: Pool) -> None:
    @api.get(
        "/cards",
        summary="Cards, by name; with `q` those that it may mean, as `kb card` does",
        responses=told(schemas.Cards),
    )
    def cards(
        request: Request, q: Text = "", game: GameId = "", limit: Limit = 20, offset: Offset = 0
    ) -> Response:
        def work(base: Base) -> dict[str, Any]:
            _known(base, game)
            store = base.searcher.store
            own = {
                key: group
                for key, group in base.catalogue.cards(store).items()
                if not game or key[0] == game
            }
            keys = match_cards(q, own, store, base.searcher.table) if q.strip() else sorted(own)
            shapes = [_card(base, *key) for key in keys[offset : offset + limit]]
            return _page(len(keys), limit, offset, shapes)

        return _listed(request, pool.ask(work))

    @api.get(
        "/cards/{game}/{piece}",
        summary="The cards of one name, by the last part of their page's address",
        responses=told(schemas.Card),
    )
    def card(request: Request, game: Id, piece: Id) -> Response:
        def work(base: Base) -> dict[str, Any]:
            _known(base, game)
            named = base.catalogue.named(base.searcher.store, game)
            if piece not in named:
                near = difflib.get_close_matches(piece, named, 3, 0.6)
                raise Refused(404, f"no card {piece} in {game}{_meant(near)}")
            return _card(base, game, named[piece])

        return data(request, pool.ask(work))


def _lists(api: FastAPI, pool: Pool) -> None:
    @api.get(
        "/topics", summary="Topics, with how many rulings each has", responses=told(schemas.Topics)
    )
    def topics(request: Request, game: GameId = "") -> Response:
        def work(base: Base) -> list[dict[str, Any]]:
            _known(base, game)
            return [
                {**one, "url": urls.topic(one["game"], one["id"])}
                for one in lists.topics(base.searcher.store, game)
            ]

        return _all(request, pool.ask(work))

    @api.get(
        "/topics/{game}/{topic}",
        summary="A topic with its rulings",
        responses=told(schemas.TopicRulings),
    )
    def topic(request: Request, game: Id, topic: Id) -> Response:
        def work(base: Base) -> dict[str, Any]:
            _known(base, game)
            store = base.searcher.store
            one = _named(lists.topics(store, game), topic, f"topic {topic} in {game}")
            _, keys = lists.ruling_keys(
                store, lists.RulingFilter(game=game, topic=topic), FURTHEST, 0
            )
            return {"game": game, "id": topic, "title": one["title"], "rulings": keys}

        return data(request, pool.ask(work))

    @api.get(
        "/sources",
        summary="Documents and rulebooks, with their provisions",
        responses=told(schemas.Sources),
    )
    def sources(request: Request, game: GameId = "") -> Response:
        def work(base: Base) -> list[dict[str, Any]]:
            _known(base, game)
            return lists.sources(base.searcher.store, game)

        return _all(request, pool.ask(work))

    @api.get(
        "/sources/{game}/{source}",
        summary="A document with its provisions",
        responses=told(schemas.Source),
    )
    def source(request: Request, game: Id, source: Id) -> Response:
        def work(base: Base) -> dict[str, Any]:
            _known(base, game)
            return _named(
                lists.sources(base.searcher.store, game), source, f"source {source} in {game}"
            )

        return data(request, pool.ask(work))

    @api.get(
        "/changes",
        summary="Rulings that changed, newest first, as `kb changes` tells them",
        responses=told(schemas.Changes),
    )
    def changes(
        request: Request, since: Date = "", limit: Limit = 50, offset: Offset = 0
    ) -> Response:
        shape = page_of_changes(pool, _day(since, "since"), limit, offset)
        return _listed(request, shape)


def _watching(api: FastAPI, state: Callable[[], State]) -> None:
    @api.get(
        "/problems",
        summary="Where the watched records stand: what is wrong with them",
        responses=told(schemas.Live),
    )
    def problems(request: Request) -> Response:
        return data(request, state().shape())


def _named(found: list[dict[str, Any]], wanted: str, what: str) -> dict[str, Any]:
    for one in found:
        if one["id"] == wanted:
            return one
    raise Refused(
        404,
        f"no {what}{_meant(difflib.get_close_matches(wanted, [one['id'] for one in found], 3, 0.6))}",
    )


def _card(base: Base, game: str, name: str) -> dict[str, Any]:
    store = base.searcher.store
    return card_to_json(
        name, base.catalogue.cards(store)[game, name], store, base.catalogue.pieces(store, game)
    )


def _known(base: Base, game: str = "", lang: str = "") -> None:
    """Refuses a game or a language that the base does not have."""
    languages = base.searcher.languages
    if game and game not in languages:
        raise Refused(
            404, f"no game {game}; there are {', '.join(languages) or 'none'}", parameter="game"
        )
    known = sorted({one for group in languages.values() for one in group})
    if lang and lang not in known:
        raise Refused(
            404, f"no rulings in {lang}; there are {', '.join(known) or 'none'}", parameter="lang"
        )


def _day(date: str, name: str = "as_of") -> str:
    try:
        return valid_date(date) if date else ""
    except ValueError as error:
        raise Refused(422, f"{name}: {error}", parameter=name) from None


def _meant(near: list[str]) -> str:
    return f"; did you mean {', '.join(near)}?" if near else ""


def _tag(value: object) -> str:
    import hashlib
    import json

    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _page(total: int, limit: int, offset: int, results: list[dict[str, Any]]) -> dict[str, Any]:
    return {"total": total, "limit": limit, "offset": offset, "results": results}


def _listed(request: Request, shape: dict[str, Any]) -> Response:
    return data(
        request, shape, _pages(request, shape["total"], shape["limit"], shape["offset"], FURTHEST)
    )


def _all(request: Request, results: list[dict[str, Any]]) -> Response:
    return data(
        request, {"total": len(results), "results": results}, {"X-Total-Count": str(len(results))}
    )


def _pages(request: Request, total: int, limit: int, offset: int, furthest: int) -> dict[str, str]:
    """How many results there are, and the addresses of the pages around this one (RFC 8288)."""
    last = max(0, total - 1) // limit * limit
    places = {"first": 0, "prev": max(0, offset - limit), "next": offset + limit, "last": last}
    if not offset:
        del places["prev"]
    if offset + limit >= total:
        del places["next"]
    path = PREFIX + request.url.path.removeprefix(PREFIX)
    rows = []
    for name, at in places.items():
        if at <= furthest:
            rows.append(
                f'<{path}?{request.url.include_query_params(limit=limit, offset=at).query}>; rel="{name}"'
            )
    return {"X-Total-Count": str(total), "Link": ", ".join(rows)}


_RULING = {
    "id": "one-pilot",
    "game": "demo",
    "kind": "ruling",
    "authority": "official",
    "status": "current",
    "date": "2003-05",
    "effective": None,
    "effective_until": None,
    "rules": [],
    "reviewed": None,
    "topics": ["pilots"],
    "about": ["Anakin Skywalker"],
    "cards": ["Anakin Skywalker", "Anakin Skywalker (C)"],
    "sources": ["demo-faq#one-pilot"],
    "title": {"pl": "Jeden pilot na jednostce", "en": "One pilot per unit"},
    "text": {
        "pl": "Na jednostce może być tylko jeden pilot.",
        "en": "A unit can have only one pilot.",
    },
    "supersedes": ["old-answer"],
    "because": "",
    "superseded_by": [],
    "related": ["pilot-build-zone"],
    "example_of": [],
    "examples": ["example"],
    "overrides": ["demo-rulebook"],
    "asked": None,
    "asked_of": "",
    "url": "demo/rulings/one-pilot/index.html",
}
_FOUND = {
    "query": "jednostce",
    "total": 1,
    "took_ms": 1.7,
    "relaxed": False,
    "suggestion": None,
    "results": [
        {
            "id": "one-pilot",
            "game": "demo",
            "title": {"pl": "Jeden pilot na jednostce", "en": "One pilot per unit"},
            "snippet": "Na jednostce może być tylko jeden pilot.",
            "lang": "pl",
            "kind": "ruling",
            "authority": "official",
            "status": "current",
            "score": 3.2,
            "cards": ["Anakin Skywalker"],
            "sources": ["demo-faq#one-pilot"],
            "url": "demo/rulings/one-pilot/index.html",
        }
    ],
}
_EXAMPLES = {"/search": _FOUND, "/rulings/{game}/{ruling_id}": _RULING}
