"""`kb serve`: the built site on a loopback port."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.problems import KbError
from kb.server.static import server


@pytest.fixture()
def address(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "index.html").write_text("<!DOCTYPE html><title>home</title>", encoding="utf-8")
    (tmp_path / "404.html").write_text("<!DOCTYPE html>\n<html><head>\n<title>lost</title></head>", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    with server(tmp_path, 0) as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{made.server_address[1]}"
        made.shutdown()


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_pages(address: str) -> None:
    assert get(f"{address}/") == (200, "<!DOCTYPE html><title>home</title>")


def test_what_is_not_there_gets_the_sites_own_page(address: str) -> None:
    for path in ("/a/b/c.html", "/empty/", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd"):
        code, text = get(address + path)
        assert code == 404 and '<base href="/">' in text


def test_no_site_or_no_port(tmp_path: Path, address: str) -> None:
    with pytest.raises(KbError, match="kb build"):
        server(tmp_path / "nowhere", 0)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text("x", encoding="utf-8")
    with pytest.raises(KbError, match="--port"):
        server(tmp_path / "other", int(address.rpartition(":")[2]))
