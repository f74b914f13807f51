"""Requests in the published shapes of Telegram (Bot API 10.1)."""

from __future__ import annotations

from typing import Any

from tests.plugins.chats.samples import Json

SECRET = "a-secret-token_of-Telegram"
NOW = 1_767_225_600


def _user(lang: str) -> Json:
    user = {"id": 1_111_111, "is_bot": False, "first_name": "Ewa", "username": "ewa"}
    return {**user, **({"language_code": lang} if lang else {})}


def message(text: str, lang: str = "en", chat: str = "private", **members: Any) -> Json:
    """Return an update with a message."""
    entities = [{"offset": 0, "length": len(text.split(maxsplit=1)[0]), "type": "bot_command"}]
    content = {
        "message_id": 1365,
        "from": _user(lang),
        "chat": {"id": -1001234567890 if chat != "private" else 1_111_111, "type": chat},
        "date": NOW,
        "text": text,
        **({"entities": entities} if text.startswith("/") else {}),
        **members,
    }
    return {"update_id": 10_000, "message": content}


def inline(text: str, lang: str = "en") -> Json:
    """Return an update with an inline query."""
    query = {"id": "134567890097", "from": _user(lang), "query": text, "offset": ""}
    return {"update_id": 10_001, "inline_query": {**query, "chat_type": "supergroup"}}
