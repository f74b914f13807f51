"""Clients that send a request or take an answer for ever lose their connection."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kb.server.services import RunningService, Service
from tests.serving import Running, get, site, until

POST = b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{"
REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture()
def running(built: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setattr("kb.server.run.CHECK_INTERVAL", 0.2)
    with Running(site(built / "site")) as server:
        yield server


def connected(running: Running, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(running.listener.getsockname(), timeout=30)
    connection.sendall(sent)
    return connection


def ends(connection: socket.socket) -> bytes:
    """Read until the server closes; a time-out fails the test."""
    received = b""
    try:
        while data := connection.recv(65_536):
            received += data
    except ConnectionError:
        pass
    return received


@pytest.mark.parametrize("sent", [b"", b"G", REQUEST[:-2]])
def test_a_request_that_never_ends_is_closed(sent: bytes, running: Running) -> None:
    with connected(running, sent) as connection:
        assert ends(connection) == b""


def test_bytes_now_and_then_do_not_keep_a_connection_open(running: Running) -> None:
    start = time.monotonic()
    with connected(running, b"GET / HTTP/1.1\r\n") as connection, pytest.raises(OSError):
        connection.settimeout(0.02)
        while time.monotonic() < start + 30:
            connection.sendall(b"A: b\r\n")
            try:
                if not connection.recv(1):
                    raise ConnectionResetError
            except TimeoutError:
                continue


def with_route(built: Path, path: str, answer: Callable[[Request], Awaitable[Response]]) -> Running:
    routes = [Route(path, answer, methods=["GET", "POST"])]
    return Running(site(built / "site", services=[Service(lambda host: RunningService(routes))]))


def test_a_body_that_never_ends_is_closed(built: Path, running: Running) -> None:
    async def read(request: Request) -> Response:
        return Response(await request.body())

    with with_route(built, "/read", read) as server, connected(server, POST) as connection:
        assert ends(connection) == b""


def test_an_answer_may_take_its_time(built: Path, running: Running) -> None:
    async def wait(request: Request) -> Response:
        await asyncio.sleep(1)
        return Response(b"at last")

    with with_route(built, "/wait", wait) as server:
        assert get(f"{server.address}/wait") == (200, "at last")


@pytest.fixture()
def large(built: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A server with an answer that fits into no buffer of the system."""
    monkeypatch.setattr("kb.server.run.CHECK_INTERVAL", 0.3)

    async def answer(request: Request) -> Response:
        return Response(b"x" * LARGE)

    with with_route(built, "/large", answer) as server:
        yield server


LARGE = 30_000_000
ASK_LARGE = b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def test_a_client_that_does_not_read_loses_its_answer(large: Running) -> None:
    with connected(large, ASK_LARGE) as connection:
        time.sleep(2)
        assert len(ends(connection)) < LARGE


def test_a_client_that_reads_slowly_gets_it_all(large: Running) -> None:
    with connected(large, ASK_LARGE) as connection:
        received = 0
        while data := connection.recv(1_000_000):
            received += len(data)
            time.sleep(0.01)
        assert received > LARGE


def test_beyond_the_limit_of_connections_the_server_is_busy_until_idle_ones_are_closed(
    built: Path, monkeypatch: pytest.MonkeyPatch, running: Running
) -> None:
    monkeypatch.setattr("kb.server.run.MAX_CONNECTIONS", 5)
    with Running(site(built / "site")) as server, ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(connected(server))
        until(lambda: get(server.address)[0] == 200)
