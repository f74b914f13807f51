"""The site's files over HTTP: their bytes, and what caches and browsers need to know."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from kb.server.middleware import CONTENT_SECURITY_POLICY
from kb.server.pages import IMMUTABLE, MAX_IN_MEMORY, PAGE, FolderFiles
from kb.server.responses import REVALIDATE
from tests.serving import site

PLAIN = {"Accept-Encoding": "identity"}
TYPES = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".webmanifest": "application/manifest+json",
}


def test_every_file_of_the_build_is_served_as_it_is(small_base: Path, client: TestClient) -> None:
    for path in (small_base / "site").rglob("*"):
        if path.is_file():
            answer = client.get("/" + path.relative_to(small_base / "site").as_posix())
            assert answer.status_code == 200 and answer.content == path.read_bytes(), path
            assert answer.headers["content-type"].startswith(TYPES.get(path.suffix, "")), path
            assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_folder_is_its_index_page(small_base: Path, client: TestClient) -> None:
    assert (
        client.get("/demo/").content == (small_base / "site" / "demo" / "index.html").read_bytes()
    )
    moved = client.get("/demo", follow_redirects=False)
    assert (moved.status_code, moved.headers["location"]) == (308, "/demo/")


def test_what_a_client_holds_is_not_sent_again(client: TestClient) -> None:
    packed, plain = client.get("/"), client.get("/", headers=PLAIN)
    assert packed.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
    assert packed.content == plain.content and packed.headers["vary"] == "Accept-Encoding"
    strong = f'"{hashlib.sha256(plain.content).hexdigest()[:32]}"'
    assert plain.headers["etag"] == strong and packed.headers["etag"] == f"W/{strong}"
    for tag in (strong, f"W/{strong}", f'"x", W/{strong}', "*"):
        again = client.get("/", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["cache-control"] == PAGE
    assert client.get("/", headers={"If-None-Match": '"x"'}).status_code == 200


def test_hashed_files_are_immutable_pages_stale_for_a_minute_and_the_rest_revalidated(
    small_base: Path, client: TestClient
) -> None:
    page = client.get("/search/").text
    named = re.findall(
        r'(?:src|href|data-core|data-worker|data-base)="\.\./(static/[\w./-]+\?[0-9a-f]{10})"', page
    )
    assert len(named) >= 5
    buckets = [
        path.relative_to(small_base / "site").as_posix()
        for path in (small_base / "site/static/search").glob("*/*.js")
    ]
    assert buckets
    pages = ("", "demo/", "demo/index.html", "offline/")
    others = ("sw.js", "build.json", "offline/index.json", "feed.xml", "static/kb.css", "nowhere")
    expected = {
        **dict.fromkeys([*named, *buckets], IMMUTABLE),
        **dict.fromkeys(pages, PAGE),
        **dict.fromkeys([*others, "static/kb.css?0123456789"], REVALIDATE),
    }
    for address, caching in expected.items():
        assert client.get(f"/{address}").headers["cache-control"] == caching, address


def test_what_is_not_there_gets_the_sites_own_page(client: TestClient) -> None:
    for path in ("/a/b/c.html", "/static/", "/static/search/", "/.kb", "/%00", "/a%5cb", "/demo//"):
        answer = client.get(path)
        assert answer.status_code == 404 and '<base href="/">' in answer.text, path
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
    polish = client.get("/pl/demo/nothing")
    assert polish.status_code == 404
    assert '<base href="/pl/">' in polish.text and '<html lang="pl"' in polish.text


def test_own_files_have_any_name(fresh: Path) -> None:
    for name in (".well-known/security.txt", "my file (1).pdf", "Ünïcode+.txt"):
        place = fresh / "site" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text("Ours", encoding="utf-8")
        file = FolderFiles(fresh / "site").get(name)
        assert file and file.body == b"Ours"


def test_no_address_and_no_link_leaves_the_folder(fresh: Path, client: TestClient) -> None:
    (fresh / "site" / "out.html").symlink_to(fresh / "rulings" / "demo" / "game.yaml")
    (fresh / "site" / "out").symlink_to(fresh / "rulings")
    files = FolderFiles(fresh / "site")
    addresses = ".. ../rulings/demo/game.yaml demo/../../x /etc/passwd a//b .kb a/.git a\\b C: a/"
    for address in (*addresses.split(), "", "a\0b", "out.html", "out/demo/game.yaml"):
        assert files.get(address) is None, address
    attacks = "/../rulings /%2e%2e/rulings /..%2frulings /%2e%2e%2frulings"
    for attack in attacks.split():
        assert client.get(f"{attack}/demo/game.yaml").status_code == 404


def test_head_and_other_methods(client: TestClient) -> None:
    get, head = client.get("/demo/"), client.head("/demo/")
    assert head.status_code == 200 and head.content == b""
    for name in ("etag", "content-type", "content-length", "cache-control"):
        assert head.headers[name] == get.headers[name]
    refused = client.post("/demo/")
    assert refused.status_code == 405 and "GET" in refused.headers["allow"]
    assert refused.headers["content-type"] == "application/problem+json"


def test_safety_headers_are_on_everything(small_base: Path, client: TestClient) -> None:
    page = (small_base / "site" / "index.html").read_text(encoding="utf-8")
    carried = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    own = CONTENT_SECURITY_POLICY.replace(" https:", "").removesuffix("; frame-ancestors 'none'")
    assert carried and carried[1] == own
    paths = ("/", "/nowhere", "/static/kb.css", "/healthz", "/api/v1/", "/api/v1/no")
    for path in (*paths, "/" + "a" * 20_000):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
        assert headers["x-frame-options"] == "DENY" and headers["referrer-policy"]


def test_bounds(client: TestClient) -> None:
    assert client.post("/", content=b"x" * 2_000_001).status_code == 413
    assert client.post("/", content=(b"x" * 100_000 for _ in range(30))).status_code in (405, 413)


@pytest.mark.parametrize("size", [1_000, MAX_IN_MEMORY + 1_000])
def test_files_of_any_size_have_ranges_and_etags(size: int, fresh: Path) -> None:
    data = os.urandom(size)
    (fresh / "site" / "file.bin").write_bytes(data)
    with TestClient(site(fresh / "site")) as client:
        whole = client.get("/file.bin", headers=PLAIN)
        assert whole.content == data and whole.headers["content-length"] == str(size)
        assert client.head("/file.bin").content == b""
        etag = whole.headers["etag"]
        assert client.get("/file.bin", headers={"If-None-Match": etag}).status_code == 304
        for asked, start, stop in (
            ("bytes=0-99", 0, 100),
            ("bytes=100-", 100, size),
            ("bytes=-100", size - 100, size),
            ("bytes=0-99999999", 0, size),
        ):
            answer = client.get("/file.bin", headers={"Range": asked})
            assert answer.status_code == 206 and answer.content == data[start:stop], asked
            assert answer.headers["content-range"] == f"bytes {start}-{stop - 1}/{size}"
            assert answer.headers["etag"] == etag and "content-encoding" not in answer.headers
        refused = client.get("/file.bin", headers={"Range": f"bytes={size}-"})
        assert refused.status_code == 416
        assert refused.headers["content-range"] == f"bytes */{size}"
        for condition, status in ((etag, 206), ('"x"', 200)):
            headers = {"Range": "bytes=0-9", "If-Range": condition}
            assert client.get("/file.bin", headers=headers).status_code == status
