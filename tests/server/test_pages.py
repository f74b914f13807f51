"""The site's files over HTTP: the bytes of the build, and what caches and browsers need to know of them."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from kb.build.paths import Paths
from kb.build.pipeline import build
from kb.server.middleware import LONGEST_URL, POLICY
from kb.server.static import ASK, FOR_EVER, LARGEST_HELD, Folder, safe
from tests.serving import site


def test_every_file_of_the_build_is_served_as_it_is(built: Path, client: TestClient) -> None:
    types = {
        ".html": "text/html",
        ".js": "text/javascript",
        ".css": "text/css",
        ".webmanifest": "application/manifest+json",
    }
    for path in (built / "site").rglob("*"):
        if path.is_file():
            answer = client.get("/" + path.relative_to(built / "site").as_posix())
            assert answer.status_code == 200 and answer.content == path.read_bytes(), path
            assert answer.headers["content-type"].startswith(types.get(path.suffix, "")), path
            assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_folder_is_its_index_page(built: Path, client: TestClient) -> None:
    assert client.get("/demo/").content == (built / "site" / "demo" / "index.html").read_bytes()
    moved = client.get("/demo", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (308, "/demo/")


def test_what_a_client_holds_is_not_sent_again(client: TestClient) -> None:
    packed = client.get("/")
    plain = client.get("/", headers={"Accept-Encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert packed.content == plain.content and packed.headers["etag"] != plain.headers["etag"]
    assert plain.headers["etag"] == f'"{hashlib.sha256(plain.content).hexdigest()[:32]}"'
    for tag in (
        packed.headers["etag"],
        plain.headers["etag"],
        f'"x", W/{plain.headers["etag"]}',
        "*",
    ):
        again = client.get("/", headers={"If-None-Match": tag})
        assert (
            again.status_code == 304
            and again.content == b""
            and again.headers["cache-control"] == ASK
        )
    assert client.get("/", headers={"If-None-Match": '"x"'}).status_code == 200
    assert (
        "content-encoding" not in client.get("/", headers={"Accept-Encoding": "gzip;q=0"}).headers
    )


def test_the_packed_bytes_are_the_files(built: Path) -> None:
    file = Folder(built / "site").get("index.html")
    assert file is not None and file.packed is not None
    assert gzip.decompress(file.packed) == file.body == (built / "site" / "index.html").read_bytes()


def test_only_an_address_with_the_hash_of_the_bytes_is_held_for_ever(
    built: Path, client: TestClient
) -> None:
    page = client.get("/search/").text
    named = re.findall(
        r'(?:src|href|data-core|data-worker|data-base)="\.\./(static/[\w./-]+\?[0-9a-f]{10})"', page
    )
    assert len(named) >= 5
    shards = [
        f"static/search/{path.name}"
        for path in (built / "site/static/search").iterdir()
        if path.name != "base.js"
    ]
    assert shards
    for address in (*named, *shards):
        assert client.get(f"/{address}").headers["cache-control"] == FOR_EVER, address
    for address in (
        "",
        "demo/",
        "sw.js",
        "build.json",
        "feed.xml",
        "static/kb.css",
        "static/kb.css?0123456789",
        "nowhere",
    ):
        assert client.get(f"/{address}").headers["cache-control"] == ASK, address


def test_what_is_not_there_gets_the_sites_own_page(client: TestClient) -> None:
    for path in ("/a/b/c.html", "/static/", "/static/search/", "/.kb", "/%00", "/a%5cb", "/demo//"):
        answer = client.get(path)
        assert answer.status_code == 404 and '<base href="/">' in answer.text, path
        assert answer.headers["content-type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    "address",
    [
        "..",
        "../rulings/demo/game.yaml",
        "demo/../../x",
        "/etc/passwd",
        "",
        "a//b",
        ".kb",
        "a/.git",
        "a\\b",
        "a\0b",
        "C:",
        "a/",
    ],
)
def test_no_address_leaves_the_folder(address: str, built: Path) -> None:
    assert not safe(address)
    assert Folder(built / "site").get(address) is None


def test_no_path_leaves_the_folder_over_http(client: TestClient) -> None:
    for path in (
        "/../rulings/demo/game.yaml",
        "/%2e%2e/rulings/demo/game.yaml",
        "/..%2frulings/demo/game.yaml",
        "/%2e%2e%2f%2e%2e",
    ):
        assert client.get(path).status_code == 404


def test_a_link_that_leads_out_is_not_followed(fresh: Path) -> None:
    (fresh / "site" / "out.html").symlink_to(fresh / "rulings" / "demo" / "game.yaml")
    (fresh / "site" / "out").symlink_to(fresh / "rulings")
    files = Folder(fresh / "site")
    assert files.get("out.html") is None and files.get("out/demo/game.yaml") is None


def test_head_and_other_methods(client: TestClient) -> None:
    get, head = client.get("/demo/"), client.head("/demo/")
    assert head.status_code == 200 and head.content == b""
    for name in ("etag", "content-type", "content-length", "cache-control"):
        assert head.headers[name] == get.headers[name]
    refused = client.post("/demo/")
    assert refused.status_code == 405 and "GET" in refused.headers["allow"]
    assert refused.headers["content-type"] == "application/problem+json"


def test_safety_headers_are_on_everything(client: TestClient) -> None:
    for path in (
        "/",
        "/nowhere",
        "/static/kb.css",
        "/healthz",
        "/metrics",
        "/api/v1/",
        "/api/v1/nowhere",
    ):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == POLICY and headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] and re.fullmatch(r"[\w-]{1,64}", headers["x-request-id"])
    assert client.get("/", headers={"X-Request-ID": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert client.get("/", headers={"X-Request-ID": 'a" b'}).headers["x-request-id"] != 'a" b'


def test_the_policy_is_that_of_the_pages(built: Path) -> None:
    page = (built / "site" / "index.html").read_text(encoding="utf-8")
    carried = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert carried and f"{carried[1]}; frame-ancestors 'none'" == POLICY


def test_bounds(client: TestClient) -> None:
    assert client.get("/" + "a" * LONGEST_URL).status_code == 414
    assert client.get("/?" + "a" * LONGEST_URL).status_code == 414
    assert client.post("/", content=b"x" * 2_000_001).status_code == 413
    assert client.post("/", content=(b"x" * 100_000 for _ in range(30))).status_code in (405, 413)


def test_a_large_file_is_sent_in_pieces(fresh: Path) -> None:
    data = os.urandom(LARGEST_HELD + 1000)
    (fresh / "site" / "large.bin").write_bytes(data)
    with TestClient(site(fresh / "site")) as client:
        answer = client.get("/large.bin")
        assert answer.content == data and answer.headers["content-length"] == str(len(data))
        assert (
            client.get("/large.bin", headers={"If-None-Match": answer.headers["etag"]}).status_code
            == 304
        )
        assert client.head("/large.bin").content == b""


def test_a_new_build_is_served_at_once(fresh: Path) -> None:
    with TestClient(site(fresh / "site")) as client:
        address = "/demo/rulings/one-pilot/"
        before = client.get(address)
        record = fresh / "rulings" / "demo" / "pilots" / "one-pilot.md"
        record.write_text(
            record.read_text(encoding="utf-8").replace("A unit can have", "Each unit has"),
            encoding="utf-8",
        )
        build(Paths(fresh / "rulings", fresh / "data"), fresh / "site")
        after = client.get(address, headers={"If-None-Match": before.headers["etag"]})
        assert after.status_code == 200 and "Each unit has only one pilot" in after.text


def test_what_is_held_in_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kb.server.static.HELD", 50_000)
    for number in range(20):
        (tmp_path / f"{number}.bin").write_bytes(os.urandom(10_000))
    files = Folder(tmp_path)
    for number in range(20):
        assert files.get(f"{number}.bin") is not None
    assert sum(files.held(f"{number}.bin") is not None for number in range(20)) == 4
