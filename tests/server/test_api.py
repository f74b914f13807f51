"""`/api/v1/`: the answers of the command line, in pages, with errors that say what to do."""

from __future__ import annotations

import gc
import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from starlette.testclient import TestClient

from kb.core.problems import NotBuilt
from kb.pipeline.build import build
from kb.pipeline.paths import Paths
from kb.search.searcher import Searcher
from kb.search.unanswered import UnansweredLog
from kb.serialize.answers import SearchResults
from kb.serialize.api_answers import RULING_EXAMPLE, Ruling, Suggestions
from kb.server.app import AppConfig, create_app
from kb.server.pool import _CURRENT_TTL, FolderBuilds, OpenBuild, SearchPool
from kb.server.request_log import RequestLog
from kb.server.responses import HttpError
from kb.server.site_files import FolderFiles
from tests.command_line import RunCommand
from tests.selection import thorough
from tests.serving import site

API = "/api/v1"


def get(client: TestClient, path: str, **parameters: Any) -> Any:
    answer = client.get(API + path, params=parameters)
    assert answer.status_code == 200, answer.text
    return answer.json()


def wrong(client: TestClient, path: str, status: int) -> dict[str, Any]:
    answer = client.get(API + path)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert told["status"] == status and told["title"] and told["detail"]
    return told


def test_answers_are_those_of_the_command_line(
    client: TestClient, built: Path, kb: RunCommand
) -> None:
    def said(*words: str) -> Any:
        folder = ("--rulings", str(built / "rulings"))
        shown = json.loads(kb(*words, *folder, cwd=built, KB_DATA=str(built / "data")).stdout)
        if isinstance(shown, dict):
            shown.pop("took_ms", None)
        return shown

    found = get(client, "/search", q="jednostce w strefie")
    assert found.pop("took_ms") >= 0
    assert found == said("search", "jednostce w strefie", "--json")
    assert get(client, "/rulings/demo/one-pilot") == said("show", "one-pilot", "--json")
    assert (
        get(client, "/cards", q="Anakinem Skywalkerem")["results"]
        == said("card", "Anakinem Skywalkerem", "--json")["results"]
    )
    told = said("changes", "--since", "1990", "--format", "json")
    assert get(client, "/changes", since="1990")["results"] == told and told


def test_start_leads_to_everything(client: TestClient) -> None:
    start = get(client, "/")
    assert [one["id"] for one in start["games"]] == ["demo"]
    for name, address in start["links"].items():
        answer = client.get(address, params={"q": "pilot"} if name in ("search", "suggest") else {})
        assert answer.status_code == 200, address


def test_search_in_pages(client: TestClient) -> None:
    whole = get(client, "/search", q="pilot", limit=100)
    assert whole["total"] == len(whole["results"]) >= 3
    ids = [one["id"] for one in whole["results"]]
    paged = [
        get(client, "/search", q="pilot", limit=1, offset=at)["results"][0]["id"]
        for at in range(len(ids))
    ]
    assert paged == ids
    answer = client.get(f"{API}/search", params={"q": "pilot", "limit": 1, "offset": 1})
    links = dict(
        re.findall(r'<([^>]+)>; rel="(\w+)"', answer.headers["link"])[i][::-1] for i in range(4)
    )
    assert set(links) == {"first", "prev", "next", "last"} and answer.headers[
        "x-total-count"
    ] == str(whole["total"])
    assert client.get(links["next"]).json()["results"][0]["id"] == ids[2]
    assert client.get(links["last"]).json()["results"][0]["id"] == ids[-1]


def test_search_filters(client: TestClient) -> None:
    assert (
        get(client, "/search", q="pilot", game="demo")["total"]
        == get(client, "/search", q="pilot")["total"]
    )
    old = get(client, "/search", q="pilotów", as_of="2002-06")["results"]
    assert "old-answer" in [one["id"] for one in old]
    assert get(client, "/search", q="")["results"] == []


def test_rulings_by_filters(client: TestClient) -> None:
    def ids(**parameters: Any) -> list[str]:
        return [one["id"] for one in get(client, "/rulings", **parameters)["results"]]

    assert ids() == ["errata-speeder", "example", "old-answer", "one-pilot", "pilot-build-zone"]
    assert ids(kind="errata") == ids(topic="errata") == ["errata-speeder"]
    assert ids(status="superseded") == ["old-answer"]
    assert ids(authority="community") == ["example"]
    assert ids(card="Darth Sidious (C)") == ["pilot-build-zone"]
    assert ids(source="demo-faq#one-pilot") == ["one-pilot"]
    assert len(ids(source="demo-faq")) == 5 and ids(source="demo") == []
    assert ids(game="demo", lang="pl", limit=2, offset=3) == ["one-pilot", "pilot-build-zone"]
    assert ids(offset=999_999) == []


def test_a_former_id_leads_to_the_present_one(client: TestClient) -> None:
    answer = client.get(f"{API}/rulings/demo/single-pilot?as_of=2004", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (
        308,
        f"{API}/rulings/demo/one-pilot?as_of=2004",
    )
    assert client.get(f"{API}/rulings/demo/single-pilot").json()["id"] == "one-pilot"


def test_a_ruling_as_it_stood(client: TestClient) -> None:
    assert get(client, "/rulings/demo/one-pilot", as_of="2002-06")["id"] == "old-answer"
    assert "old-answer" in wrong(client, "/rulings/demo/one-pilot?as_of=1990", 404)["detail"]


def test_cards_topics_sources(client: TestClient) -> None:
    cards = get(client, "/cards", limit=2)
    assert cards["total"] == 5 and [one["name"] for one in cards["results"]] == [
        "Anakin Skywalker",
        "Coruscant Speeder",
    ]
    one = get(client, "/cards/demo/anakin-skywalker")
    assert [card["version"] for card in one["cards"]] == ["A", "C"] and [
        card["id"] for card in one["about"]
    ] == ["one-pilot"]
    assert {
        one["id"]: one["rulings"] for one in get(client, "/topics", game="demo")["results"]
    } == {"pilots": 4, "errata": 1}
    assert get(client, "/topics/demo/errata")["rulings"] == ["demo/errata-speeder"]
    faq = get(client, "/sources/demo/demo-faq")
    assert faq["provisions"]["one-pilot"] == ["demo/one-pilot"] and len(faq["provisions"]) == 5
    assert get(client, "/sources")["total"] == 2


def test_the_sites_own_data_says_the_same(client: TestClient) -> None:
    theirs = client.get("/demo/rulings/one-pilot/index.json").json()
    ours = get(client, "/rulings/demo/one-pilot")
    for name in ("id", "title", "text", "topics", "supersedes", "superseded_by", "related"):
        assert theirs[name] == ours[name], name


def test_suggest(client: TestClient) -> None:
    told = get(client, "/suggest", q="lowca")
    assert [one["name"] for one in told["cards"]] == ["Łowca Światów"] and told["cards"][0]["url"]
    assert [one["name"] for one in get(client, "/suggest", q="skyw")["cards"]] == [
        "Anakin Skywalker"
    ]
    assert [one["id"] for one in get(client, "/suggest", q="pilo")["topics"]] == ["pilots"]
    assert "jednostce" in [
        one["word"] for one in get(client, "/suggest", q="JEDNOSTC", lang="pl")["words"]
    ]
    assert get(client, "/suggest", q="")["words"] == []
    assert all(
        not get(client, "/suggest", q="xyzzy")[name] for name in ("words", "cards", "topics")
    )
    assert len(get(client, "/suggest", q="p", limit=2)["words"]) == 2


def test_errors_say_what_to_do(client: TestClient) -> None:
    assert "Did you mean one-pilot?" in wrong(client, "/rulings/demo/one-pilto", 404)["detail"]
    assert "Games: demo." in wrong(client, "/search?q=x&game=chess", 404)["detail"]
    assert "Languages: en, pl." in wrong(client, "/search?q=x&lang=xx", 404)["detail"]
    assert "anakin-skywalker" in wrong(client, "/cards/demo/anakin-skywalke", 404)["detail"]
    assert "pilots" in wrong(client, "/topics/demo/pilot", 404)["detail"]
    assert "demo-faq" in wrong(client, "/sources/demo/demo-fag", 404)["detail"]
    assert "/api/v1/" in wrong(client, "/nothing/here", 404)["detail"]
    for path in (
        "/search",
        "/search?q=" + "x" * 401,
        "/search?q=x&limit=0",
        "/search?q=x&limit=101",
        "/search?q=x&limit=ten",
        "/search?q=x&offset=-1",
        "/search?q=x&offset=1001",
        "/search?q=x&as_of=yesterday",
        "/search?q=x&as_of=2003-02-30",
        "/rulings?kind=law",
        "/rulings?offset=1000001",
        "/rulings/demo/UPPER",
        "/rulings/de..mo/x",
        "/changes?since=long-ago",
        "/search?q=%00",
        "/suggest?q=x&lang=polish",
        "/rulings?card=" + "x" * 201,
    ):
        wrong(client, path, 422)
    assert wrong(client, "/search?q=x&limit=0", 422)["errors"][0]["parameter"] == "limit"
    refused = client.post(f"{API}/search")
    assert (
        refused.status_code == 405 and refused.headers["content-type"] == "application/problem+json"
    )


def test_what_a_client_holds_is_not_sent_again(client: TestClient) -> None:
    for path in (
        "/search?q=pilot",
        "/rulings",
        "/rulings/demo/one-pilot",
        "/topics",
        "/changes",
        "/suggest?q=p",
    ):
        first = client.get(API + path)
        again = client.get(API + path, headers={"If-None-Match": first.headers["etag"]})
        assert again.status_code == 304 and again.content == b"", path
    packed = client.get(f"{API}/rulings")
    plain = client.get(f"{API}/rulings", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip" and packed.json() == plain.json()


def test_any_origin_may_read_and_none_may_write(client: TestClient) -> None:
    answer = client.get(f"{API}/topics", headers={"Origin": "https://elsewhere.example"})
    assert (
        answer.headers["access-control-allow-origin"] == "*"
        and "Link" in answer.headers["access-control-expose-headers"]
    )
    asked = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": "POST"}
    assert client.options(f"{API}/topics", headers=asked).status_code == 400
    assert (
        client.options(
            f"{API}/topics", headers={**asked, "Access-Control-Request-Method": "GET"}
        ).status_code
        == 200
    )
    assert (
        "access-control-allow-origin"
        not in client.get("/", headers={"Origin": "https://elsewhere.example"}).headers
    )


def test_head(client: TestClient) -> None:
    head = client.head(f"{API}/topics")
    assert head.status_code == 200 and head.content == b"" and head.headers["etag"]


def test_the_description_fits(client: TestClient) -> None:
    told = client.get(f"{API}/openapi.json").json()
    paths = {
        "/",
        "/search",
        "/suggest",
        "/rulings",
        "/rulings/{game}/{ruling_id}",
        "/cards",
        "/cards/{game}/{slug}",
        "/topics",
    }
    paths |= {"/topics/{game}/{topic}", "/sources", "/sources/{game}/{source}", "/changes"}
    assert set(told["paths"]) == paths and told["servers"] == [{"url": API}]
    assert "Problem" in told["components"]["schemas"] and "HTTPValidationError" not in json.dumps(
        told
    )
    example = told["paths"]["/search"]["get"]["responses"]["200"]["content"]["application/json"][
        "example"
    ]
    for shape, answer in (
        (SearchResults, example),
        (Ruling, RULING_EXAMPLE),
        (Ruling, get(client, "/rulings/demo/one-pilot")),
        (Suggestions, get(client, "/suggest", q="p")),
    ):
        TypeAdapter(shape).validate_python(answer)


def test_health_and_figures(client: TestClient, tmp_path: Path) -> None:
    assert client.get("/healthz").json() == {"status": "alive"} and client.get(
        "/readyz"
    ).json() == {"status": "ready"}
    client.get(f"{API}/search", params={"q": "secretword"})
    figures = client.get("/metrics").text
    assert re.search(
        r'kb_requests_total\{method="GET",route="/api/v1/search",status="200"\} \d', figures
    )
    assert (
        "kb_request_seconds_bucket" in figures
        and "kb_searches_running 0.0" in figures
        and "secretword" not in figures
    )
    for strange in ("/xyz", "/api/v1/xyz"):
        client.get(strange)
        assert strange not in client.get("/metrics").text
    with TestClient(site(tmp_path / "site")) as empty:
        assert empty.get("/healthz").status_code == 200
        told = empty.get("/readyz")
        assert told.status_code == 503 and set(told.json()["missing"]) == {
            "site",
            "store and index",
        }
        answer = empty.get(f"{API}/search?q=x")
        assert (
            answer.status_code == 503
            and answer.headers["retry-after"]
            and "kb build" in answer.json()["detail"]
        )


def test_a_request_is_a_line_without_the_query(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for form in ("json", "text", "none"):
        builds = FolderBuilds(Paths(built / "rulings", built / "data"))
        with TestClient(
            create_app(AppConfig(FolderFiles(built / "site"), builds, log=RequestLog(form)))
        ) as client:
            capsys.readouterr()
            client.get(f"{API}/search?q=secretword", headers={"X-Request-ID": "mine"})
            client.get("/a%0Ab")
            client.get("/healthz")
            lines = capsys.readouterr().err.splitlines()
        assert "secretword" not in str(lines) and len(lines) == (0 if form == "none" else 2)
        if form == "json":
            row = json.loads(lines[0])
            assert (
                row["path"] == f"{API}/search"
                and row["status"] == 200
                and row["id"] == "mine"
                and row["ms"] > 0
            )


def test_a_failure_inside_is_told_to_the_log_alone(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken(FolderBuilds):
        def open(self, build_id: str) -> Any:
            raise ZeroDivisionError("a secret")

    broken = Broken(Paths(built / "rulings", built / "data"))
    with TestClient(
        create_app(AppConfig(FolderFiles(built / "site"), broken)), raise_server_exceptions=False
    ) as client:
        answer = client.get(f"{API}/topics")
    assert answer.status_code == 500 and "secret" not in answer.text
    assert (
        answer.json()["detail"].split()[-1] in (said := capsys.readouterr().err)
        and "ZeroDivisionError: a secret" in said
    )


@pytest.mark.parametrize("builds", [2, *thorough(6)])
def test_a_new_build_is_searched_at_once_and_nobody_gets_an_error(builds: int, fresh: Path) -> None:
    places = Paths(fresh / "rulings", fresh / "data")
    record = fresh / "rulings" / "demo" / "pilots" / "one-pilot.md"
    stop = threading.Event()
    with TestClient(site(fresh / "site")) as client:

        def ask(_: int) -> set[int]:
            seen = set()
            while not stop.is_set():
                seen.add(client.get(f"{API}/search?q=pilot").status_code)
                seen.add(client.get("/demo/rulings/one-pilot/").status_code)
            return seen

        with ThreadPoolExecutor(4) as threads:
            running = [threads.submit(ask, number) for number in range(4)]
            try:
                for number in range(builds):
                    text = record.read_text(encoding="utf-8").replace(
                        "# en: ", f"# en: Zebra{number} ", 1
                    )
                    record.write_text(text, encoding="utf-8")
                    build(places, fresh / "site")
                    found = client.get(f"{API}/search?q=zebra{number}").json()
                    if not found["results"] or found["relaxed"]:
                        # These are of the build before: which build is the current one is
                        # looked up a few times a second.
                        time.sleep(1.5 * _CURRENT_TTL)
                        found = client.get(f"{API}/search?q=zebra{number}").json()
                    assert [one["id"] for one in found["results"]] == ["one-pilot"] and not found[
                        "relaxed"
                    ]
            finally:
                stop.set()
            assert {code for one in running for code in one.result()} == {200}


def test_too_many_at_once_are_sent_away(built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.server.pool.QUEUE_TIMEOUT", 0.05)
    pool = SearchPool(FolderBuilds(Paths(built / "rulings", built / "data")), size=1)
    begun, go = threading.Event(), threading.Event()

    def slow(build: OpenBuild) -> bool:
        begun.set()
        return go.wait(60)

    with ThreadPoolExecutor(1) as threads:
        first = threads.submit(pool.run, slow)
        assert begun.wait(60) and pool.running == 1
        with pytest.raises(HttpError) as refused:
            pool.run(lambda build: None)
        assert refused.value.status == 503 and refused.value.headers["Retry-After"]
        go.set()
        assert first.result()
    assert pool.run(lambda build: build.searcher.search("pilot").total) >= 3 and pool.running == 0
    pool.close()


def test_searches_of_a_folder_run_in_turn_beside_other_requests(built: Path) -> None:
    pool = SearchPool(FolderBuilds(Paths(built / "rulings", built / "data")))
    pool.warm_up()
    gc.unfreeze()
    running: list[int] = []

    def search(build: OpenBuild) -> Searcher:
        running.append(pool.running)
        # Other requests need not wait for a search.
        with ThreadPoolExecutor(1) as other:
            assert other.submit(pool.run, lambda build: build.searcher).result() != build.searcher
        return build.searcher

    with ThreadPoolExecutor(4) as threads:
        searches = [threads.submit(pool.run, search, searching=True) for _ in range(8)]
        # All use the searcher that is warm.
        assert len({id(each.result()) for each in searches}) == 1 and running == [1] * 8
    pool.close()


def test_a_base_that_breaks_is_replaced(built: Path) -> None:
    pool = SearchPool(FolderBuilds(Paths(built / "rulings", built / "data")), size=1)
    seen = []

    def work(build: OpenBuild) -> int:
        seen.append(build)
        if len(seen) == 1:
            raise NotBuilt("gone")
        return build.searcher.store.counts()["rulings"]

    assert pool.run(work) == 5 and len(seen) == 2 and seen[0] is not seen[1]
    pool.close()


def test_queries_without_an_answer_are_noted_where_the_owner_wants(
    built: Path, tmp_path: Path
) -> None:
    log = UnansweredLog(tmp_path / "queries.tsv", pytest.fail)
    builds = FolderBuilds(Paths(built / "rulings", built / "data"))
    application = create_app(AppConfig(FolderFiles(built / "site"), builds, unanswered=log))
    with TestClient(application, base_url="http://127.0.0.1") as client:
        for query in ("pilot", "zupa pomidorowa", "status:any"):
            get(client, "/search", q=query)
        get(client, "/search", q="zupa pomidorowa", offset=10)
    lines = log.path.read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[1:] for line in lines] == [["none", "zupa pomidorowa"]]
