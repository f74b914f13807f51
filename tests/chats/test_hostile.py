"""Bodies that come with a right signature or token and are no request that a chat sends."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from nacl.signing import SigningKey
from starlette.testclient import TestClient

from kb.chats.discord import MAX_CHOICES
from kb.chats.http import MAX_AGE, MAX_BODY
from tests.chats.requests import KEY, NOW, SECRET, command, form, inline, message, ping, signed

_MESSAGE, _COMMAND = json.dumps(message("/ruling WORDS")), json.dumps(command("ruling", query="W"))
_BOMB = "Anakin Skywolker [a]<b>{c}[a]<b>{c}\\n" * 300
_NUMBERS = ["9" * 5_000, "9" * 400, "-1", "1e400", "NaN", "Infinity", "true", "null", "[]", '"1"']
_TEXTS = [
    "\\ud800 pilot",
    "\\u0000\\u001b[2J\\u202epilot",
    "\\u2003",
    "(a " * 20_000,
    '\\"' * 4_000,
    "card:" * 2_000,
    "<b>&lt;/b> @everyone [x](javascript:alert(1))",
    "__proto__ constructor",
]
_TELEGRAM = [
    *(_MESSAGE.replace("1111111", number) for number in _NUMBERS),
    *(_MESSAGE.replace("1365", number) for number in _NUMBERS[:2]),
    *(_MESSAGE.replace("WORDS", text) for text in _TEXTS),
    *(_MESSAGE.replace("/ruling WORDS", text) for text in ("/", "/ \\u0085", "/card", " ", "/@@")),
    _MESSAGE.replace("/ruling WORDS", f"/deck demo\\n{_BOMB}"),
    _MESSAGE.replace('"date"', f'"via_bot":{"[" * 50_000},"date"'),
    _MESSAGE.replace('"date"', f'"via_bot":{"[" * 9_000 + "]" * 9_000},"date"'),
    _MESSAGE.replace('"text"', '"text":5,"text"'),
    _MESSAGE.replace('"en"', f'"{"x-" * 50_000}"'),
    json.dumps({**message("a"), **inline("b")}),
    json.dumps(inline("one pilot " * 4_000)),
    '{"message":null,"inline_query":null}',
]
_DISCORD = [
    *(_COMMAND.replace('"W"', number) for number in _NUMBERS),
    *(_COMMAND.replace('"type": 2', f'"type": {number}') for number in _NUMBERS),
    *(_COMMAND.replace('"W"', f'"{text}"') for text in _TEXTS),
    json.dumps(form("TEXT", "demo")).replace("TEXT", _BOMB),
    json.dumps(form("x", "x" * 90_000)),
    json.dumps(form("x")).replace('"components"', '"components":7,"components"'),
    json.dumps(command("ruling", query="one pilot", game="x" * 90_000)),
    json.dumps(command("deck", game="x" * 90_000)),
    json.dumps(command("card", focused="name", name="(" * 3_000)),
    json.dumps(command("card", focused="other", other="a")),
    json.dumps({**command("ruling"), "data": {"options": [{"name": "query"}] * 5_000}}),
    json.dumps({**command("ruling"), "data": {"options": "query"}}),
    json.dumps({**command("ruling"), "data": None}),
    json.dumps(command("ruling", "\x00" * 9_000, query="one pilot")),
]


def _is_clean(answer: Any) -> None:
    """Nothing that steers a terminal or a program reaches whoever reads the reply."""
    text = json.dumps(answer, ensure_ascii=False)
    assert not re.search(r"[\x00-\x1f\x7f\u202e]|Traceback|javascript:alert\(1\)\)", text)


@pytest.mark.parametrize("body", _TELEGRAM, ids=lambda body: body[-40:])
def test_an_update_of_another_shape_breaks_nothing(body: str, server: TestClient) -> None:
    assert len(body) < MAX_BODY
    headers = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
    answer = server.post("/telegram", content=body.encode(), headers=headers)
    assert answer.status_code == 200, answer.text
    if answer.content:
        method = answer.json()
        _is_clean(method)
        assert method["method"] in ("sendMessage", "answerInlineQuery")


@pytest.mark.parametrize("body", _DISCORD, ids=lambda body: body[-40:])
def test_an_interaction_of_another_shape_breaks_nothing(
    body: str, server: TestClient, clock: None
) -> None:
    assert len(body) < MAX_BODY
    answer = server.post("/discord", content=body.encode(), headers=signed(body.encode()))
    assert answer.status_code in (200, 400), answer.text
    _is_clean(answer.json())
    if answer.status_code == 200:
        data = answer.json().get("data", {})
        assert data.get("allowed_mentions", {"parse": []}) == {"parse": []}
        assert len(data.get("choices", [])) <= MAX_CHOICES


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Signature-Timestamp": "\u0663" * 10},
        {"X-Signature-Timestamp": f"{NOW} "},
        {"X-Signature-Timestamp": f"+{NOW}"},
        {"X-Signature-Timestamp": "1e9"},
        {"X-Signature-Timestamp": "9" * 3_000},
        {"X-Signature-Ed25519": "0" * 128},
        {"X-Signature-Ed25519": "f" * 128},
        {"X-Signature-Ed25519": "\u0661" * 128},
        {"X-Signature-Ed25519": ""},
    ],
    ids=str,
)
def test_headers_that_sign_nothing_open_nothing(
    headers: dict[str, str], server: TestClient, clock: None
) -> None:
    body = json.dumps(ping()).encode()
    given = {**signed(body), **headers}
    sent = {name.encode(): value.encode() for name, value in given.items()}
    assert server.post("/discord", content=body, headers=sent).status_code == 401


def test_a_signature_is_of_one_time_and_one_body(server: TestClient, clock: None) -> None:
    """Neither can be exchanged, nor can bytes wander from the time to the body."""
    body = json.dumps(ping()).encode()
    headers = signed(body)
    assert server.post("/discord", content=body, headers=headers).status_code == 200
    moved = {**headers, "X-Signature-Timestamp": str(NOW)[:-1]}
    for given, sent in (
        (headers, body + b" "),
        (headers, b""),
        ({**headers, "X-Signature-Timestamp": str(NOW + 1)}, body),
        (moved, str(NOW)[-1:].encode() + body),
        ({}, body),
        (signed(body, key=SigningKey(bytes(32))), body),
        (signed(body, str(NOW - MAX_AGE - 1)), body),
        (signed(body, str(NOW + MAX_AGE + 1)), body),
        ({**signed(body), "X-Signature-Ed25519": KEY.sign(body).signature.hex()}, body),
    ):
        answer = server.post("/discord", content=sent, headers=given)
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"
