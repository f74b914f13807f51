"""A name server that does not answer holds no request up."""

from __future__ import annotations

import io
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.testclient import TestClient

from kb.core.problems import Unavailable
from kb.postgres import resolve
from kb.postgres.breaker import CircuitBreaker
from kb.postgres.connection import connect
from kb.postgres.resolve import with_addresses
from kb.server.app import AppConfig, create_app
from kb.server.database import DatabaseBuilds, DatabaseFiles
from kb.server.request_log import RequestLog

pytest.importorskip("psycopg")
URL = "postgresql+psycopg://reader:hush@db.invalid/kb"
KNOWN = {"one": ["192.0.2.1", "2001:db8::1"], "two": ["192.0.2.2"]}


@pytest.fixture()
def frozen(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The hosts that were asked for, of a resolver that answers nothing."""
    asked: list[str] = []
    thaw = threading.Event()

    def getaddrinfo(host: str, *_: Any, **__: Any) -> list[Any]:
        asked.append(host)
        thaw.wait()
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(resolve, "RESOLVE_TIMEOUT", 0.05)
    yield asked
    thaw.set()
    for thread in threading.enumerate():
        if thread.name == "kb-resolve":
            thread.join()


@pytest.fixture()
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    def getaddrinfo(host: str, *_: Any, **__: Any) -> list[Any]:
        if host not in KNOWN:
            raise socket.gaierror
        return [(0, 0, 0, "", (address, 0)) for address in KNOWN[host] * 2]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)


def test_a_look_up_that_does_not_end_is_given_up(frozen: list[str]) -> None:
    for _ in range(3):
        with pytest.raises(Unavailable, match="no name server has answered") as raised:
            connect(URL, CircuitBreaker())
        assert "hush" not in str(raised.value)
    # The others wait for the same look-up.
    assert frozen == ["db.invalid"]


def test_a_server_answers_while_names_cannot_be_looked_up(frozen: list[str]) -> None:
    breaker, log = CircuitBreaker(), io.StringIO()
    builds, files = DatabaseBuilds(URL, breaker), DatabaseFiles(URL, breaker)
    app = create_app(AppConfig(files, builds, log=RequestLog("text", log)))
    with TestClient(app) as client, ThreadPoolExecutor(8) as threads:
        start = time.monotonic()
        paths = ["/", "/readyz", "/api/v1/search?q=pilot", "/demo/"] * 4
        assert {answer.status_code for answer in threads.map(client.get, paths)} == {503}
        assert time.monotonic() - start < 5
    assert frozen == ["db.invalid"]
    assert "no name server has answered" in log.getvalue() and "hush" not in log.getvalue()


@pytest.mark.usefixtures("names")
def test_every_address_of_every_host_is_tried() -> None:
    given = {"host": "one,gone,/run/postgresql,two,192.0.2.9", "port": "1,2,3,4,5", "dbname": "kb"}
    assert with_addresses(given) == {
        "host": "one,one,/run/postgresql,two,192.0.2.9",
        "hostaddr": "192.0.2.1,2001:db8::1,,192.0.2.2,",
        "port": "1,1,3,4,5",
        "dbname": "kb",
    }
    assert with_addresses({"host": "two"}) == {"host": "two", "hostaddr": "192.0.2.2"}
    one_port = with_addresses({"host": "one,two", "port": "5433"})
    assert one_port["port"] == "5433,5433,5433"
    with pytest.raises(OSError, match="its host is not known"):
        with_addresses({"host": "gone"})
    with pytest.raises(Unavailable, match=r"db\.invalid cannot be reached: its host is not known"):
        connect(URL)


@pytest.mark.usefixtures("frozen")
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"host": "127.0.0.1"},
        {"host": "::1"},
        {"host": "fe80::1%eth0"},
        {"host": "/run/postgresql"},
        {"host": "name", "hostaddr": "192.0.2.1"},
    ],
)
def test_what_needs_no_look_up_is_left_alone(
    parameters: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PGHOST", raising=False)
    assert with_addresses(parameters) == parameters
