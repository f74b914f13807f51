"""The site's files over HTTP: their bytes, and what caches and browsers need to know."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from kb.pipeline.build import build
from kb.pipeline.paths import Paths
from kb.server.middleware import CONTENT_SECURITY_POLICY, MAX_URL
from kb.server.pages import IMMUTABLE, PAGE
from kb.server.responses import REVALIDATE
from kb.server.site_files import MAX_CACHED_FILE, FolderFiles, is_safe_path
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
            and again.headers["cache-control"] == PAGE
        )
    assert client.get("/", headers={"If-None-Match": '"x"'}).status_code == 200
    assert (
        "content-encoding" not in client.get("/", headers={"Accept-Encoding": "gzip;q=0"}).headers
    )


def test_the_packed_bytes_are_the_files(built: Path) -> None:
    file = FolderFiles(built / "site").get("index.html")
    assert file is not None and file.gzip is not None
    assert gzip.decompress(file.gzip) == file.body == (built / "site" / "index.html").read_bytes()


def test_hashed_files_are_immutable_pages_stale_for_a_minute_and_the_rest_revalidated(
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
        assert client.get(f"/{address}").headers["cache-control"] == IMMUTABLE, address
    for address in ("", "demo/", "demo/index.html", "offline/"):
        assert client.get(f"/{address}").headers["cache-control"] == PAGE, address
    for address in (
        "sw.js",
        "build.json",
        "offline/index.json",
        "feed.xml",
        "static/kb.css",
        "static/kb.css?0123456789",
        "nowhere",
    ):
        assert client.get(f"/{address}").headers["cache-control"] == REVALIDATE, address


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
    assert not is_safe_path(address)
    assert FolderFiles(built / "site").get(address) is None


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
    files = FolderFiles(fresh / "site")
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
        assert (
            headers["content-security-policy"] == CONTENT_SECURITY_POLICY
            and headers["x-frame-options"] == "DENY"
        )
        assert headers["referrer-policy"] and re.fullmatch(r"[\w-]{1,64}", headers["x-request-id"])
    assert client.get("/", headers={"X-Request-ID": "mine-1"}).headers["x-request-id"] == "mine-1"
    assert client.get("/", headers={"X-Request-ID": 'a" b'}).headers["x-request-id"] != 'a" b'


def test_the_policy_is_that_of_the_pages(built: Path) -> None:
    page = (built / "site" / "index.html").read_text(encoding="utf-8")
    carried = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert carried and f"{carried[1]}; frame-ancestors 'none'" == CONTENT_SECURITY_POLICY


def test_bounds(client: TestClient) -> None:
    assert client.get("/" + "a" * MAX_URL).status_code == 414
    assert client.get("/?" + "a" * MAX_URL).status_code == 414
    assert client.post("/", content=b"x" * 2_000_001).status_code == 413
    assert client.post("/", content=(b"x" * 100_000 for _ in range(30))).status_code in (405, 413)


RANGES = [
    ("bytes=0-99", 0, 100),
    ("bytes=100-", 100, None),
    ("bytes=-100", -100, None),
    ("bytes=0-99999999", 0, None),
]
WHOLE = ["bytes=5-2", "bytes=0-1,4-5", "bytes=-", "items=0-1", "bytes=x-y", "nonsense"]


def check_ranges(client: TestClient, path: str, data: bytes) -> None:
    """A byte range, a range that the file does not have, and headers that ask for the whole."""
    etag = client.get(path, headers={"Accept-Encoding": "identity"}).headers["etag"]
    for value, start, stop in RANGES:
        answer = client.get(path, headers={"Range": value})
        assert answer.status_code == 206 and answer.content == data[start:stop], value
        first = start % len(data)
        last = first + len(answer.content) - 1
        assert answer.headers["content-range"] == f"bytes {first}-{last}/{len(data)}"
        assert answer.headers["etag"] == etag and "content-encoding" not in answer.headers
    for value in WHOLE:
        answer = client.get(path, headers={"Range": value})
        assert answer.status_code == 200 and answer.content == data, value
    for value in (f"bytes={len(data)}-", "bytes=-0"):
        refused = client.get(path, headers={"Range": value})
        assert refused.status_code == 416, value
        assert refused.headers["content-range"] == f"bytes */{len(data)}"
        assert refused.headers["content-type"] == "application/problem+json"
    asked = {"Range": "bytes=0-9"}
    assert client.get(path, headers={**asked, "If-Range": etag}).content == data[:10]
    assert client.get(path, headers={**asked, "If-Range": '"x"'}).content == data
    assert client.get(path, headers={**asked, "If-None-Match": etag}).status_code == 304
    head = client.head(path, headers=asked)
    assert head.status_code == 200 and head.headers["content-length"]


def test_byte_ranges(built: Path, client: TestClient) -> None:
    check_ranges(client, "/demo/", (built / "site" / "demo" / "index.html").read_bytes())


def test_a_large_file_is_streamed(fresh: Path) -> None:
    data = os.urandom(MAX_CACHED_FILE + 1000)
    (fresh / "site" / "large.bin").write_bytes(data)
    with TestClient(site(fresh / "site")) as client:
        answer = client.get("/large.bin")
        assert answer.content == data and answer.headers["content-length"] == str(len(data))
        assert (
            client.get("/large.bin", headers={"If-None-Match": answer.headers["etag"]}).status_code
            == 304
        )
        assert client.head("/large.bin").content == b""
        check_ranges(client, "/large.bin", data)


def test_a_file_that_is_being_read_is_read_to_its_end(fresh: Path) -> None:
    place = fresh / "site" / "large.bin"
    old, new = os.urandom(MAX_CACHED_FILE + 1000), os.urandom(MAX_CACHED_FILE + 5000)
    place.write_bytes(old)
    files = FolderFiles(fresh / "site")
    file = files.get("large.bin")
    assert file is not None and file.stream is not None
    (fresh / "site" / "new.bin").write_bytes(new)
    (fresh / "site" / "new.bin").replace(place)
    with file.stream:
        assert file.size == len(old) and file.stream.read() == old
    again = files.get("large.bin")
    assert again is not None and again.stream is not None and again.etag != file.etag
    again.stream.close()


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
    monkeypatch.setattr("kb.server.site_files.CACHE_SIZE", 50_000)
    for number in range(20):
        (tmp_path / f"{number}.bin").write_bytes(os.urandom(10_000))
    files = FolderFiles(tmp_path)
    for number in range(20):
        assert files.get(f"{number}.bin") is not None
    assert sum(files.cached(f"{number}.bin") is not None for number in range(20)) == 4
