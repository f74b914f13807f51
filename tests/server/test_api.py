"""`/api/v1/`: the answers of the command line, in pages, with errors that say what to do."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from kb.core.problems import Unavailable
from kb.pipeline.build import build
from kb.pipeline.builds import FolderBuilds
from kb.pipeline.open_base import OpenBase
from kb.server.pool import SearchPool
from kb.server.unanswered import UnansweredLog
from tests.command_line import RunCommand
from tests.conftest import paths_of
from tests.serving import Running, site
from tests.serving import get as ask

API = "/api/v1"
ELSEWHERE = {"Origin": "https://elsewhere.example"}


def get(client: TestClient, path: str, **parameters: Any) -> Any:
    answer = client.get(API + path, params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def ids(client: TestClient, path: str, **parameters: Any) -> list[str]:
    return [result["id"] for result in get(client, path, **parameters)["results"]]


def wrong(client: TestClient, path: str, status: int) -> dict[str, Any]:
    answer = client.get(API + path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status and problem["title"] and problem["detail"]
    return problem


def test_answers_are_those_of_the_command_line(
    client: TestClient, small_base: Path, kb: RunCommand
) -> None:
    def printed(*words: str) -> Any:
        folder = ("--rulings", str(small_base / "rulings"))
        answer = json.loads(kb(*words, *folder, cwd=small_base).stdout)
        if isinstance(answer, dict):
            answer.pop("took_ms", None)
        return answer

    found = get(client, "/search", q="jednostce w strefie")
    assert found.pop("took_ms") >= 0
    assert found == printed("search", "jednostce w strefie", "--json")
    assert get(client, "/rulings/demo/one-pilot") == printed("show", "one-pilot", "--json")
    cards = get(client, "/cards", q="Anakinem Skywalkerem")["results"]
    assert cards == printed("card", "Anakinem Skywalkerem", "--json")["results"]
    changes = get(client, "/changes", since="1990")["results"]
    assert changes and changes == printed("changes", "--since", "1990", "--format", "json")


def test_start_leads_to_everything(client: TestClient) -> None:
    start = get(client, "/")
    assert [game["id"] for game in start["games"]] == ["demo"]
    for name, address in start["links"].items():
        query = {"q": "pilot"} if name in ("search", "suggest") else {}
        assert client.get(address, params=query).status_code == 200, address


def test_search_in_pages(client: TestClient) -> None:
    whole = ids(client, "/search", q="pilot", limit=100)
    total = get(client, "/search", q="pilot")["total"]
    assert total == len(whole) >= 3
    pages = [ids(client, "/search", q="pilot", limit=1, offset=at) for at in range(total)]
    assert pages == [[ruling_id] for ruling_id in whole]
    answer = client.get(f"{API}/search", params={"q": "pilot", "limit": 1, "offset": 1})
    found = re.findall(r'<([^>]+)>; rel="(\w+)"', answer.headers["link"])
    links = {relation: address for address, relation in found}
    assert set(links) == {"first", "prev", "next", "last"}
    assert answer.headers["x-total-count"] == str(total)
    assert client.get(links["next"]).json()["results"][0]["id"] == whole[2]
    assert client.get(links["last"]).json()["results"][0]["id"] == whole[-1]


def test_filters(client: TestClient) -> None:
    assert ids(client, "/search", q="pilot", game="demo") == ids(client, "/search", q="pilot")
    assert "old-answer" in ids(client, "/search", q="pilotów", as_of="2002-06")
    assert ids(client, "/search", q="") == []
    everything = ["errata-speeder", "example", "old-answer", "one-pilot", "pilot-build-zone"]
    for parameters, expected in (
        ({}, everything),
        ({"kind": "errata"}, ["errata-speeder"]),
        ({"topic": "errata"}, ["errata-speeder"]),
        ({"status": "superseded"}, ["old-answer"]),
        ({"authority": "community"}, ["example"]),
        ({"card": "Darth Sidious (C)"}, ["pilot-build-zone"]),
        ({"source": "demo-faq#one-pilot"}, ["one-pilot"]),
        ({"source": "demo-faq"}, everything),
        ({"game": "demo", "lang": "pl", "limit": 2, "offset": 3}, everything[3:]),
        ({"offset": 999_999}, []),
    ):
        assert ids(client, "/rulings", **parameters) == expected, parameters


def test_former_ids_and_former_rulings(client: TestClient) -> None:
    answer = client.get(f"{API}/rulings/demo/single-pilot?as_of=2004", follow_redirects=False)
    present = f"{API}/rulings/demo/one-pilot?as_of=2004"
    assert (answer.status_code, answer.headers["location"]) == (308, present)
    assert client.get(f"{API}/rulings/demo/single-pilot").json()["id"] == "one-pilot"
    assert get(client, "/rulings/demo/one-pilot", as_of="2002-06")["id"] == "old-answer"
    assert "old-answer" in wrong(client, "/rulings/demo/one-pilot?as_of=1990", 404)["detail"]


def test_cards_topics_sources(client: TestClient) -> None:
    cards = get(client, "/cards", limit=2)
    names = [card["name"] for card in cards["results"]]
    assert cards["total"] == 5 and names == ["Anakin Skywalker", "Coruscant Speeder"]
    anakin = get(client, "/cards/demo/anakin-skywalker")
    assert [card["version"] for card in anakin["cards"]] == ["A", "C"]
    assert [ruling["id"] for ruling in anakin["about"]] == ["one-pilot"]
    topics = get(client, "/topics", game="demo")["results"]
    assert {topic["id"]: topic["rulings"] for topic in topics} == {"pilots": 4, "errata": 1}
    assert get(client, "/topics/demo/errata")["rulings"] == ["demo/errata-speeder"]
    source = get(client, "/sources/demo/demo-faq")
    provisions = source.pop("provisions")
    assert provisions["one-pilot"] == ["demo/one-pilot"] and len(provisions) == 5
    # In one order, so that all processes give it the same ETag.
    facts = "kind language author translator publisher authority published edition url licence"
    assert list(source) == f"game id title {facts} overrides".split()
    assert get(client, "/sources")["total"] == 2


def test_suggest(client: TestClient) -> None:
    def suggested(q: str, **parameters: Any) -> tuple[list[str], list[str], list[str]]:
        answer = get(client, "/suggest", q=q, **parameters)
        assert all(card["url"] for card in answer["cards"] if card["name"] == "Łowca Światów")
        return (
            [word["word"] for word in answer["words"]],
            [card["name"] for card in answer["cards"]],
            [topic["id"] for topic in answer["topics"]],
        )

    assert suggested("lowca")[1] == ["Łowca Światów"]
    assert suggested("skyw")[1] == ["Anakin Skywalker"]
    assert suggested("pilo")[2] == ["pilots"]
    assert "jednostce" in suggested("JEDNOSTC", lang="pl")[0]
    assert suggested("")[0] == [] and suggested("xyzzy") == ([], [], [])
    assert len(suggested("p", limit=2)[0]) == 2


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("/rulings/demo/one-pilto", "; did you mean one-pilot?"),
        ("/search?q=x&game=chess", "Games: demo."),
        ("/search?q=x&lang=xx", "Languages: en, pl."),
        ("/cards/demo/anakin-skywalke", "anakin-skywalker"),
        ("/topics/demo/pilot", "pilots"),
        ("/sources/demo/demo-fag", "demo-faq"),
        ("/rulings?game=demo&topic=nix", "; known are errata, pilots"),
        ("/rulings?source=demo-fag", "; did you mean demo-faq?"),
        ("/nothing/here", "/api/v1/"),
    ],
)
def test_what_is_not_there_has_a_hint(client: TestClient, path: str, hint: str) -> None:
    assert hint in wrong(client, path, 404)["detail"]


# What the description of the API says of its parameters is tried in test_contract.py.
INVALID = """/search /search?q=x&as_of=yesterday /search?q=x&as_of=2003-02-30 /rulings/demo/UPPER
/rulings/de..mo/x /changes?since=long-ago /search?q=%00 /rulings?topics=pilots""".split()


def test_errors_say_what_to_do(client: TestClient) -> None:
    for path in INVALID:
        wrong(client, path, 422)
    assert wrong(client, "/search?q=x&limit=0", 422)["errors"][0]["parameter"] == "limit"
    unknown = wrong(client, "/search?q=x&game=demo&langs=en", 422)["errors"]
    message = "There is no such parameter; did you mean lang?"
    assert unknown == [{"parameter": "langs", "message": message}]
    assert "; known are as_of, game" in wrong(client, "/search?q=x&zzz=1", 422)["detail"]
    for path, name in (("/search?q=x&as_of=x", "as_of"), ("/changes?since=x", "since")):
        detail = f"{name}: 'x' is not a date; write 2003, 2003-06 or 2003-06-01"
        assert wrong(client, path, 422)["detail"] == detail
    notes = get(client, "/search", q="pilot kind:rulling", interface="xx")["notes"]
    assert notes[0].startswith("kind:rulling matches nothing; choose one of ruling, errata")
    assert notes[1:] == ["interface: no rulings in xx; choose one of en, pl"]
    assert "minus" in get(client, "/search", q="speeder -name")["notes"][0]
    refused = client.post(f"{API}/search")
    assert refused.status_code == 405
    assert refused.headers["content-type"] == "application/problem+json"
    assert "POST is not allowed" in refused.json()["detail"] and "GET" in refused.json()["detail"]


def test_what_a_client_holds_is_not_sent_again(client: TestClient) -> None:
    paths = "/search?q=pilot /rulings /rulings/demo/one-pilot /topics /changes /suggest?q=p"
    for path in paths.split():
        first = client.get(API + path)
        again = client.get(API + path, headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b""), path
    head = client.head(f"{API}/topics")
    assert head.status_code == 200 and head.content == b"" and head.headers["etag"]


def test_any_origin_may_read_and_none_may_write(client: TestClient) -> None:
    answer = client.get(f"{API}/topics", headers=ELSEWHERE).headers
    assert answer["access-control-allow-origin"] == "*"
    assert "Link" in answer["access-control-expose-headers"]
    for method, status in (("POST", 400), ("GET", 200)):
        asked = {**ELSEWHERE, "Access-Control-Request-Method": method}
        assert client.options(f"{API}/topics", headers=asked).status_code == status
    assert "access-control-allow-origin" not in client.get("/", headers=ELSEWHERE).headers


def test_the_description_fits(client: TestClient, small_base: Path) -> None:
    description = client.get(f"{API}/openapi.json").json()
    assert description["servers"] == [{"url": API}]
    assert "Problem" in description["components"]["schemas"]
    assert "HTTPValidationError" not in json.dumps(description)
    for methods in description["paths"].values():
        for parameter in methods["get"].get("parameters", []):
            schema = parameter["schema"]
            Draft202012Validator.check_schema(schema)
            for value in (*schema.get("examples", ()), schema.get("default", ...)):
                assert value is ... or Draft202012Validator(schema).is_valid(value), parameter
    stamp = json.loads((small_base / "site" / "build.json").read_text())
    assert get(client, "/")["build"] == stamp["build"]


def test_health(client: TestClient, tmp_path: Path) -> None:
    assert client.get("/healthz").json() == {"status": "alive"}
    assert client.get("/readyz").json() == {"status": "ready"}
    with TestClient(site(tmp_path / "site")) as empty:
        assert empty.get("/healthz").status_code == 200
        for address in ("/readyz", f"{API}/search?q=x"):
            answer = empty.get(address)
            assert answer.status_code == 503 and answer.headers["retry-after"]
            assert "kb build" in answer.json()["detail"]


def test_a_failure_inside_is_told_to_the_log_alone(
    small_base: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(FolderBuilds):
        def open(self, build_id: str) -> Any:
            raise ZeroDivisionError("a secret")

    app = site(small_base / "site", builds=Broken(paths_of(small_base)))
    with Running(app) as server:
        status, text = ask(f"{server.address}{API}/search?q=private")
    assert status == 500 and "server log" in text and "secret" not in text
    assert "ZeroDivisionError: a secret" in caplog.text and "private" not in caplog.text


def test_a_new_build_is_searched_at_once_and_nobody_gets_an_error(fresh: Path) -> None:
    record = fresh / "rulings" / "demo" / "pilots" / "one-pilot.md"
    page, stop = "/demo/rulings/one-pilot/", threading.Event()
    with TestClient(site(fresh / "site")) as client, ThreadPoolExecutor(2) as threads:

        def ask(address: str) -> set[int]:
            statuses = set()
            while not stop.is_set():
                statuses.add(client.get(address).status_code)
            return statuses

        before = client.get(page)
        running = [threads.submit(ask, address) for address in (f"{API}/search?q=pilot", page)]
        try:
            text = record.read_text(encoding="utf-8").replace("# en: ", "# en: Zebra ", 1)
            record.write_text(text, encoding="utf-8")
            build(paths_of(fresh), fresh / "site")
            assert ids(client, "/search", q="zebra") == ["one-pilot"]
            after = client.get(page, headers={"If-None-Match": before.headers["etag"]})
            assert after.status_code == 200 and "Zebra" in after.text
        finally:
            stop.set()
        assert {status for each in running for status in each.result()} == {200}


def test_too_many_at_once_are_sent_away(small_base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.server.pool.QUEUE_TIMEOUT", 0.05)
    pool = SearchPool(FolderBuilds(paths_of(small_base)), size=1)
    begun, go = threading.Event(), threading.Event()

    def slow(build: OpenBase) -> bool:
        begun.set()
        return go.wait(60)

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(pool.run, slow)
        assert begun.wait(60)
        with pytest.raises(Unavailable, match="busy"):
            pool.run(lambda build: None)
        go.set()
        assert first.result()
    assert pool.run(lambda build: build.searcher.search("pilot").total) >= 3
    pool.close()


def test_queries_without_an_answer_are_noted_where_the_owner_wants(
    small_base: Path, tmp_path: Path
) -> None:
    log = UnansweredLog(tmp_path / "queries.tsv", pytest.fail)
    with TestClient(site(small_base / "site", unanswered=log)) as client:
        for query in ("pilot", "zupa pomidorowa", "status:any"):
            get(client, "/search", q=query)
        get(client, "/search", q="zupa pomidorowa", offset=10)
    lines = log.path.read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[1:] for line in lines] == [["none", "zupa pomidorowa"]]
