"""Clients that send a request or take an answer for ever lose their connection."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from kb.server.services import RunningService, Service
from tests.serving import Running, get, site, until

GET = b"GET / HTTP/1.1\r\nHost: x\r\n"
POST = b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n{"
# Fits into no buffer of the system.
LARGE = 30_000_000
ASK_LARGE = b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


async def read(request: Request) -> Response:
    return Response(await request.body())


async def wait(request: Request) -> Response:
    await asyncio.sleep(1)
    return Response(b"at last")


async def large(request: Request) -> Response:
    return Response(b"x" * LARGE)


ROUTES = [Route("/read", read, methods=["POST"]), Route("/wait", wait), Route("/large", large)]


@pytest.fixture()
def running(small_base: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    monkeypatch.setattr("kb.server.run.CHECK_INTERVAL", 0.3)
    service = Service(lambda host: RunningService(ROUTES))
    with Running(site(small_base / "site", services=[service])) as server:
        yield server


def connected(running: Running, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(running.listener.getsockname(), timeout=30)
    connection.sendall(sent)
    return connection


def received(connection: socket.socket, pause: float = 0) -> int:
    """Read until the server closes, and return the number of bytes; a time-out fails the test."""
    count = 0
    try:
        while data := connection.recv(1_000_000):
            count += len(data)
            time.sleep(pause)
    except ConnectionError:
        pass
    return count


@pytest.mark.parametrize("sent", [b"", b"G", GET, POST])
def test_a_request_that_never_ends_is_closed(sent: bytes, running: Running) -> None:
    with connected(running, sent) as connection:
        assert received(connection) == 0


def test_bytes_now_and_then_do_not_keep_a_connection_open(running: Running) -> None:
    start = time.monotonic()
    with connected(running, GET) as connection, pytest.raises(OSError):
        connection.settimeout(0.02)
        while time.monotonic() < start + 30:
            connection.sendall(b"A: b\r\n")
            try:
                if not connection.recv(1):
                    raise ConnectionResetError
            except TimeoutError:
                continue


def test_an_answer_may_take_its_time(running: Running) -> None:
    assert get(f"{running.address}/wait") == (200, "at last")


def test_a_client_that_does_not_read_loses_its_answer_and_a_slow_one_gets_it_all(
    running: Running,
) -> None:
    with connected(running, ASK_LARGE) as idle, connected(running, ASK_LARGE) as slow:
        assert received(slow, pause=0.01) > LARGE
        time.sleep(1)
        assert received(idle) < LARGE


def test_beyond_the_limit_of_connections_the_server_is_busy_until_idle_ones_are_closed(
    small_base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.server.run.CHECK_INTERVAL", 0.5)
    monkeypatch.setattr("kb.server.run.MAX_CONNECTIONS", 5)
    with Running(site(small_base / "site")) as server, ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(connected(server))
        until(lambda: get(server.address)[0] == 200)
