"""Bodies that come with the right token and are no update that Telegram sends."""

from __future__ import annotations

import json

import pytest
from starlette.testclient import TestClient

from kb.plugins.chats.http import MAX_BODY
from tests.plugins.chats.samples import BOMB, NUMBERS, TEXTS, assert_clean
from tests.plugins.telegram.requests import SECRET, inline, message

_MESSAGE = json.dumps(message("/ruling WORDS"))
_TELEGRAM = [
    *(_MESSAGE.replace("1111111", number) for number in NUMBERS),
    *(_MESSAGE.replace("1365", number) for number in NUMBERS[:2]),
    *(_MESSAGE.replace("WORDS", text) for text in TEXTS),
    *(_MESSAGE.replace("/ruling WORDS", text) for text in ("/", "/ \\u0085", "/card", " ", "/@@")),
    _MESSAGE.replace("/ruling WORDS", f"/deck demo\\n{BOMB}"),
    _MESSAGE.replace('"date"', f'"via_bot":{"[" * 50_000},"date"'),
    _MESSAGE.replace('"date"', f'"via_bot":{"[" * 9_000 + "]" * 9_000},"date"'),
    _MESSAGE.replace('"text"', '"text":5,"text"'),
    _MESSAGE.replace('"en"', f'"{"x-" * 50_000}"'),
    json.dumps({**message("a"), **inline("b")}),
    json.dumps(inline("one pilot " * 4_000)),
    '{"message":null,"inline_query":null}',
]


@pytest.mark.parametrize("body", _TELEGRAM, ids=lambda body: body[-40:])
def test_an_update_of_another_shape_breaks_nothing(body: str, server: TestClient) -> None:
    assert len(body) < MAX_BODY
    headers = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
    answer = server.post("/telegram", content=body.encode(), headers=headers)
    assert answer.status_code == 200, answer.text
    if answer.content:
        method = answer.json()
        assert_clean(method)
        assert method["method"] in ("sendMessage", "answerInlineQuery")
