"""Bodies that come with a right signature and are no request that Discord sends."""

from __future__ import annotations

import json

import pytest
from nacl.signing import SigningKey
from starlette.testclient import TestClient

from kb.plugins.chats.http import MAX_BODY
from kb.plugins.discord.interactions import MAX_CHOICES
from kb.plugins.discord.service import MAX_AGE
from tests.plugins.chats.samples import BOMB, NUMBERS, TEXTS, assert_clean
from tests.plugins.discord.conftest import KEY, NOW, command, form, ping, signed

_COMMAND = json.dumps(command("ruling", query="W"))
_DISCORD = [
    *(_COMMAND.replace('"W"', number) for number in NUMBERS),
    *(_COMMAND.replace('"type": 2', f'"type": {number}') for number in NUMBERS),
    *(_COMMAND.replace('"W"', f'"{text}"') for text in TEXTS),
    json.dumps(form("TEXT", "demo")).replace("TEXT", BOMB),
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


@pytest.mark.parametrize("body", _DISCORD, ids=lambda body: body[-40:])
def test_an_interaction_of_another_shape_breaks_nothing(
    body: str, server: TestClient, clock: None
) -> None:
    assert len(body) < MAX_BODY
    answer = server.post("/discord", content=body.encode(), headers=signed(body.encode()))
    assert answer.status_code in (200, 400), answer.text
    assert_clean(answer.json())
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
