"""The built small game with Discord beside it, and interactions as Discord sends them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kb.plugins.chats.replies import Recipients
from kb.plugins.discord.service import SERVICE, SignatureVerifier
from tests.plugins.chats.samples import TEMPLATES, URL
from tests.plugins.discord.requests import KEY, NOW, signed
from tests.serving import site

Ask = Callable[..., Any]


@pytest.fixture(scope="session")
def recipients() -> Recipients:
    """Recipients in every language of the interface."""
    return Recipients(TEMPLATES)


@pytest.fixture(scope="module")
def server(small_base: Path) -> Iterator[TestClient]:
    """A client of the server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_DISCORD_PUBLIC_KEY", KEY.verify_key.encode().hex())
        app = site(small_base / "site", services=[SERVICE], base_url=URL)
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
