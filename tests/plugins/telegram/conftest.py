"""The built small game with Telegram beside it, and updates as Telegram sends them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kb.plugins.chats.replies import Recipients
from kb.plugins.telegram.service import SERVICE
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
        patch.setenv("KB_TELEGRAM_SECRET", SECRET)
        app = site(small_base / "site", services=[SERVICE], base_url=URL)
    with TestClient(app, base_url="http://127.0.0.1") as client:
        yield client


@pytest.fixture
def telegram(server: TestClient) -> Ask:
    """Send an update and return the method in the answer; None without one."""

    def ask(update: dict[str, Any]) -> Any:
        headers = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
        answer = server.post("/telegram", json=update, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json() if answer.content else None

    return ask


SECRET = "a-secret-token_of-Telegram"
NOW = 1_767_225_600


def message(text: str, lang: str = "en", chat: str = "private", **members: Any) -> Json:
    """Return an update with a message."""
    entities = [{"offset": 0, "length": len(text.split(maxsplit=1)[0]), "type": "bot_command"}]
    content = {
        "message_id": 1365,
        "from": {"id": 1_111_111, "first_name": "Ewa", "username": "ewa", "language_code": lang},
        "chat": {"id": -1001234567890 if chat != "private" else 1_111_111, "type": chat},
        "date": NOW,
        "text": text,
        **({"entities": entities} if text.startswith("/") else {}),
        **members,
    }
    return {"update_id": 10_000, "message": content}
