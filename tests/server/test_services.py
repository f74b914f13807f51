"""Services of plug-ins: what they get, and what is said before the port is opened."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from kb.server.services import Host, RunningService, Service
from tests.command_line import RunCommand
from tests.packages import install
from tests.serving import site


def test_a_service_answers_from_the_current_build(small_base: Path) -> None:
    entered = []

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        entered.append(True)
        yield
        entered.append(False)

    def start(host: Host) -> RunningService:
        def count(request: Request) -> Response:
            games = host.lend(lambda base: list(base.store.games()))
            return PlainTextResponse(f"{games} at {host.base_url}")

        return RunningService([Route("/count", count)], running(), local_only=True)

    app = site(small_base / "site", services=[Service(start)], base_url="https://example.org")
    with TestClient(app, base_url="http://127.0.0.1") as client:
        assert client.get("/count").text == "['demo'] at https://example.org"
        assert entered == [True]
        assert client.get("/count", headers={"Host": "rebound.example"}).status_code == 400
    assert entered == [True, False]


CHESS = """
from kb.core.plugins import Plugin

PLUGIN = Plugin("chess", services={"chess": "board:SERVICE", "odd": "chess:PLUGIN"})
"""
BOARD = """
from kb.core.problems import WrongUsage
from kb.server.services import Service

def check(host):
    raise WrongUsage(f"chess at {host} needs a board in CHESS_BOARD")

SERVICE = Service(print, check, watches=True, needs_base_url=True)
"""


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--with chess", "chess needs --base-url, the address of the site"),
        ("--with chess --base-url https://x.org", "chess at 127.0.0.1 needs a board"),
        ("--with chess --workers 2", "watching the records (--watch, --edit) takes one process"),
        ("--with chess --database x://y", "needs their folder; a --database holds builds"),
        ("--with odd", "chess:PLUGIN is not a kb.server.services.Service"),
    ],
)
def test_what_a_service_needs_is_said(
    words: str, message: str, environment: Path, small_base: Path, kb: RunCommand
) -> None:
    install(environment, "chess", CHESS, "chess = chess:PLUGIN")
    (environment / "board.py").write_text(BOARD, encoding="utf-8")
    done = kb("serve", *words.split(), cwd=small_base, code=None)
    assert message in done.stdout + done.stderr
    assert "press Ctrl-C" not in done.stderr
