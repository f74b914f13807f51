"""The built small game with the chats beside it, and requests as the services send them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kb.chats.http import SignatureVerifier
from kb.chats.replies import Recipients
from kb.chats.services import DISCORD, TELEGRAM
from kb.site.templates import PACKAGED, Templates
from tests.chats.requests import KEY, NOW, SECRET, URL, signed
from tests.serving import site

TEMPLATES = Templates((PACKAGED,))
Ask = Callable[..., Any]


@pytest.fixture(scope="session")
def recipients() -> Recipients:
    """Recipients in every language of the interface."""
    return Recipients(TEMPLATES)


@pytest.fixture(scope="module")
def server(small_base: Path) -> Iterator[TestClient]:
    """A client of the server of both chats."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_DISCORD_PUBLIC_KEY", KEY.verify_key.encode().hex())
        patch.setenv("KB_TELEGRAM_SECRET", SECRET)
        app = site(small_base / "site", services=[DISCORD, TELEGRAM], base_url=URL)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands at NOW."""
    monkeypatch.setattr(SignatureVerifier, "now", staticmethod(lambda: float(NOW)))


@pytest.fixture
def discord(server: TestClient, clock: None) -> Ask:
    """Send an interaction and return the response to it."""

    def ask(interaction: dict[str, Any]) -> Any:
        body = json.dumps(interaction).encode()
        answer = server.post("/discord", content=body, headers=signed(body))
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/json"
        return answer.json()

    return ask


@pytest.fixture
def telegram(server: TestClient) -> Ask:
    """Send an update and return the method in the answer; None without one."""

    def ask(update: dict[str, Any]) -> Any:
        headers = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
        answer = server.post("/telegram", json=update, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json() if answer.content else None

    return ask
