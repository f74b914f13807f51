"""Requests to the MCP address that no client of the SDK makes: answered, bounded, no traceback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kb.plugins.mcp.service import SERVICE
from tests.serving import site

_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}


@pytest.fixture(scope="module")
def client(small_base: Path) -> Iterator[TestClient]:
    app = site(small_base / "site", services=[SERVICE])
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def call(name: Any, arguments: Any, method: str = "tools/call") -> bytes:
    params = {"name": name, "arguments": arguments, "uri": name}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


BODIES = [
    b"",
    b"null",
    b"\xff\xfe",
    b"[" * 50_000,
    b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"tools/list"}',
    b"[" + b",".join([b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'] * 1_000) + b"]",
    b"x" * 3_000_000,
    call("../../etc/passwd", {}),
    call({"a": 1}, {}),
    call("search_rulings", None),
    call("search_rulings", {"query": {"$ne": 1}}),
    call("search_rulings", {"query": "\ud800\udfff\x1b[2J" * 100}),
    call("search_rulings", {"query": "pilot", "limit": 10**30}),
    call("get_ruling", {"ruling_id": "../../../etc/passwd"}),
    call("rulings_for_deck", {"deck": "1 x\n" * 5_000}),
    call("file:///etc/passwd", {}, "resources/read"),
]


@pytest.mark.parametrize("body", BODIES, ids=lambda body: str(body[:60]))
def test_a_hostile_body_is_answered(
    body: bytes, client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    answer = client.post("/mcp", content=body, headers=_HEADERS)
    assert answer.status_code < 500, answer.text[:300]
    assert len(answer.content) < 200_000
    assert "Traceback" not in answer.text + caplog.text and "root:" not in answer.text
    # The next request is answered as ever.
    fine = client.post("/mcp", content=call("list_games", {}), headers=_HEADERS)
    assert fine.status_code == 200 and not fine.json()["result"].get("isError")


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"MCP-Protocol-Version": "1999-01-01\x01"},
        {"Origin": "https://evil.example", "Host": "evil.example"},
        {"Content-Encoding": "gzip"},
    ],
    ids=str,
)
def test_hostile_headers_are_answered(headers: dict[str, str], client: TestClient) -> None:
    answer = client.post("/mcp", content=call("list_games", {}), headers={**_HEADERS, **headers})
    assert answer.status_code < 500 and "Traceback" not in answer.text
    # Whoever asks, no cookie is set and no credentials are allowed.
    assert "set-cookie" not in answer.headers
    assert "access-control-allow-credentials" not in answer.headers


def test_no_stream_and_no_session_can_be_opened_or_ended(client: TestClient) -> None:
    for method in ("GET", "DELETE", "HEAD"):
        answer = client.request(method, "/mcp", headers={**_HEADERS, "Mcp-Session-Id": "x" * 3_000})
        assert answer.status_code in (404, 405)
