"""The built small game with Discord beside it, and interactions as Discord sends them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from nacl.signing import SigningKey
from starlette.testclient import TestClient

from kb.plugins.chats.replies import Recipients
from kb.plugins.discord.service import SERVICE, SignatureVerifier
from tests.plugins.chats.samples import TEMPLATES, URL, Json
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


KEY = SigningKey(bytes(range(32)))
NOW = 1_767_225_600


def signed(body: bytes, timestamp: str = str(NOW), key: SigningKey = KEY) -> dict[str, str]:
    """Return the headers that Discord sends with a body."""
    return {
        "X-Signature-Ed25519": key.sign(timestamp.encode() + body).signature.hex(),
        "X-Signature-Timestamp": timestamp,
        "Content-Type": "application/json",
        "User-Agent": "Discord-Interactions/1.0 (+https://discord.com)",
    }


def interaction(kind: int, data: Json | None, locale: str = "en-GB") -> Json:
    """Return an interaction in a server's channel."""
    return {
        "id": "786008729715212338",
        "application_id": "845027738276462632",
        "type": kind,
        "token": "A_UNIQUE_TOKEN",
        "version": 1,
        "member": {"user": {"id": "53908232506183680", "username": "mason"}, "roles": ["1"]},
        "guild_locale": "en-US",
        "locale": locale,
        **({"data": data} if data is not None else {}),
    }


def command(used: str, locale: str = "en-GB", focused: str = "", **options: str) -> Json:
    """Return the use of a command; with `focused`, the request to complete that option."""
    listed = [
        {"type": 3, "name": key, "value": value, **({"focused": True} if key == focused else {})}
        for key, value in options.items()
    ]
    data = {"id": "771825006014889984", "name": used, "type": 1, "options": listed}
    return interaction(4 if focused else 2, data, locale)


def form(text: str, game: str = "", locale: str = "en-GB") -> Json:
    """Return a deck's form as it is sent in."""
    field = {"type": 4, "id": 2, "custom_id": "list", "value": text}
    label = {"type": 18, "id": 1, "component": field}
    return interaction(5, {"custom_id": f"deck:{game}", "components": [label]}, locale)


def ping() -> Json:
    """Return the request with which Discord tries an address."""
    whole = interaction(1, None)
    return {key: whole[key] for key in ("id", "application_id", "type", "token", "version")}
