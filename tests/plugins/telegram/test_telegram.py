"""Telegram: the secret token, commands, languages, and the limit of a message."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import html5lib
import pytest
from starlette.testclient import TestClient

from kb.plugins.chats.http import MAX_BODY
from kb.plugins.chats.replies import Link, LinkGroup, Recipients, Reply, length
from kb.plugins.telegram.updates import MAX_TEXT, html_text
from tests.command_line import RunCommand
from tests.plugins.chats.samples import BOMB, LONG, NUMBERS, RULING, TEXTS, URL, assert_clean
from tests.plugins.telegram.conftest import SECRET, Ask, message

TAGS = {"b", "i", "a", "code"}


def balanced(text: str) -> str:
    """Return the text of Telegram's HTML, whose tags must be few and closed."""
    tags = re.findall(r"<(/?)(\w+)", text)
    open_tags: list[str] = []
    for closing, name in tags:
        assert name in TAGS, name
        if closing:
            assert open_tags.pop() == name
        else:
            open_tags.append(name)
    assert not open_tags
    return "".join(html5lib.parseFragment(text, namespaceHTMLElements=False).itertext())


@pytest.mark.parametrize("token", [None, "", "other", SECRET[:-1], f"{SECRET}x", "ł"])
def test_only_the_secret_token_opens_the_door(server: TestClient, token: str | None) -> None:
    headers = {} if token is None else {b"X-Telegram-Bot-Api-Secret-Token": token.encode()}
    answer = server.post("/telegram", json=message("/help"), headers=headers)
    assert answer.status_code == 401


def test_a_command_is_answered_in_the_response(telegram: Ask) -> None:
    method = telegram(message("/ruling one pilot per unit"))
    assert (method["method"], method["chat_id"]) == ("sendMessage", 1_111_111)
    assert method["parse_mode"] == "HTML" and method["link_preview_options"]["is_disabled"]
    assert "reply_parameters" not in method
    first = balanced(method["text"]).split("\n\n")[0]
    assert first.split("\n") == [
        "One pilot per unit",
        "A unit can have only one pilot, even Anakin C.",
        "Star Trial · Official · In force · May 2003",
        "Sources: Questions and answers, one-pilot",
    ]
    assert f'<a href="{URL}/demo/rulings/one-pilot/">One pilot per unit</a>' in method["text"]


def test_the_language_is_that_of_the_user(telegram: Ask) -> None:
    for lang, words in (
        ("pl", "Oficjalne · Obowiązuje"),
        ("sk", "Oficiálne"),
        ("cs", "Oficiální"),
        ("ru", "Официально"),
        ("pt-br", "Official · In force"),
        ("", "Official · In force"),
    ):
        assert words in telegram(message("/ruling demo jeden pilot", lang))["text"], lang


def test_commands_help_cards_and_decks(telegram: Ask) -> None:
    for text in ("/start", "/help", "/help@kb_rulings_bot", "/nope"):
        shown = telegram(message(text))["text"]
        assert "Star Trial" in shown and "/ruling – Find rulings by words" in shown
        assert "Nothing that you write here is stored." in shown
    card = telegram(message("/card Anakinem Skywalkerem"))["text"]
    assert f"{URL}/demo/cards/anakin-skywalker/" in card
    deck = telegram(message("/deck demo\n2x Anakin Skywalker\n1 Xylophone <b>@ewa"))["text"]
    assert "<b>2× Anakin Skywalker</b>\n– " in deck
    assert "<code>1 Xylophone &lt;b&gt;@ewa</code>" in deck
    balanced(deck)
    for command, words in (
        ("/ruling", "Write the question"),
        ("/card", "Write the card’s name"),
        ("/deck", "Write the deck list"),
        ("/ruling xylophone quartz", "No ruling found."),
    ):
        assert telegram(message(command))["text"].startswith(words), command


def test_a_private_message_is_a_question_and_a_group_needs_a_command(telegram: Ask) -> None:
    assert "One pilot per unit" in telegram(message("one pilot per unit"))["text"]
    assert telegram(message("one pilot per unit", chat="supergroup")) is None
    assert telegram(message("/other", chat="group")) is None
    method = telegram(
        message("/ruling one pilot", chat="supergroup", message_thread_id=7, is_topic_message=True)
    )
    assert method["message_thread_id"] == 7
    assert method["reply_parameters"] == {"message_id": 1365, "allow_sending_without_reply": True}


@pytest.mark.parametrize(
    "update",
    [
        {"update_id": 1},
        {"update_id": 1, "edited_message": message("/help")["message"]},
        {"update_id": 1, "message": {"message_id": 1, "chat": {"id": 1, "type": "private"}}},
        {"update_id": 1, "message": {"text": "/help"}},
        {"update_id": 1, "message": message("x", via_bot={"id": 5, "is_bot": True})["message"]},
        ["no", "update"],
    ],
)
def test_other_updates_are_accepted_and_ignored(telegram: Ask, update: Any) -> None:
    assert telegram(update) is None


def test_a_body_is_bounded(server: TestClient) -> None:
    headers = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
    answer = server.post("/telegram", content=b"x" * (MAX_BODY + 1), headers=headers)
    assert answer.status_code == 413


def test_no_message_is_longer_than_telegram_takes(recipients: Recipients) -> None:
    deck = (LinkGroup(LONG, (Link(LONG, URL),) * 9),) * 20
    for words in recipients.catalogs.values():
        for reply in (
            Reply(note=LONG, rulings=(RULING,) * 10, links=(Link(LONG, URL),) * 5),
            Reply(deck=deck, remarks=(LONG,), unknown=(LONG,) * 5),
        ):
            text = html_text(reply, words)
            assert 100 < length(text) <= MAX_TEXT
            balanced(text)


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
    '{"message":null}',
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
        assert method["method"] == "sendMessage"


@pytest.mark.parametrize("secret", ["", "short", "with a blank in it!", "ł" * 20, "x" * 257])
def test_a_secret_token_is_needed(secret: str, tmp_path: Path, kb: RunCommand) -> None:
    words = ("serve", "--with", "telegram", "--base-url", "https://x.org")
    refused = kb(*words, cwd=tmp_path, code=2, KB_TELEGRAM_SECRET=secret).stderr
    assert "KB_TELEGRAM_SECRET: 16 to 256 letters" in refused
    assert "openssl rand -hex 32" in refused and (not secret or secret not in refused)


def test_the_address_of_the_site_is_needed(tmp_path: Path, kb: RunCommand) -> None:
    words = ("serve", "--with", "telegram")
    refused = kb(*words, cwd=tmp_path, code=2, KB_TELEGRAM_SECRET=SECRET).stderr
    assert "telegram needs --base-url" in refused
