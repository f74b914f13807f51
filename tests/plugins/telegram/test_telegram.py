"""Telegram: the secret token, commands, languages, and the limit of a message."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import html5lib
import pytest
from starlette.testclient import TestClient

from kb.plugins.chats.replies import Link, Reply, length
from kb.plugins.telegram.service import SERVICE
from kb.plugins.telegram.updates import MAX_TEXT, html_text
from tests.command_line import RunCommand
from tests.plugins.chats.samples import (
    LONG,
    NUMBERS,
    RULING,
    TEXTS,
    URL,
    Json,
    assert_clean,
)
from tests.serving import site

Ask = Callable[..., Any]
SECRET = "a-secret-token_of-Telegram"
TOKEN = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
TAGS = {"b", "i", "a", "code"}


@pytest.fixture(scope="module")
def server(small_base: Path) -> Iterator[TestClient]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_TELEGRAM_SECRET", SECRET)
        app = site(small_base / "site", services=[SERVICE], base_url=URL)
    with TestClient(app) as client:
        yield client


@pytest.fixture
def telegram(server: TestClient) -> Ask:
    """Send an update and return the method in the answer; None without one."""

    def ask(update: Any) -> Any:
        answer = server.post("/telegram", json=update, headers=TOKEN)
        assert answer.status_code == 200, answer.text
        return answer.json() if answer.content else None

    return ask


def message(text: str, lang: str = "en", chat: str = "private", **members: Any) -> Json:
    """Return an update with a message."""
    content = {
        "message_id": 1365,
        "from": {"id": 1_111_111, "first_name": "Ewa", "username": "ewa", "language_code": lang},
        "chat": {"id": -1001234567890 if chat != "private" else 1_111_111, "type": chat},
        "date": 1_767_225_600,
        "text": text,
        **members,
    }
    return {"update_id": 10_000, "message": content}


def balanced(text: str) -> str:
    """Return the text of Telegram's HTML, whose tags must be few and closed."""
    open_tags: list[str] = []
    for closing, name in re.findall(r"<(/?)(\w+)", text):
        assert name in TAGS, name
        if closing:
            assert open_tags.pop() == name
        else:
            open_tags.append(name)
    assert not open_tags
    return "".join(html5lib.parseFragment(text, namespaceHTMLElements=False).itertext())


def test_only_the_secret_token_opens_the_door(server: TestClient) -> None:
    for token in ("", "other", SECRET[:-1], f"{SECRET}x", "ł"):
        headers = {b"X-Telegram-Bot-Api-Secret-Token": token.encode()}
        answer = server.post("/telegram", json=message("/help"), headers=headers)
        assert answer.status_code == 401
    assert server.post("/telegram", json=message("/help")).status_code == 401


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
        ("ru", "Официально"),
        ("pt-br", "Official · In force"),
        ("", "Official · In force"),
    ):
        assert words in telegram(message("/ruling demo jeden pilot", lang))["text"], lang


def test_commands_help_and_cards(telegram: Ask) -> None:
    for text in ("/start", "/help@kb_rulings_bot", "/nope"):
        shown = telegram(message(text))["text"]
        assert "Star Trial" in shown and "/ruling – Find rulings by words" in shown
        assert "Nothing that you write here is stored." in shown
    card = telegram(message("/card Anakinem Skywalkerem"))["text"]
    assert f"{URL}/demo/cards/anakin-skywalker/" in card
    for command, words in (
        ("/ruling", "Write the question"),
        ("/card", "Write the card’s name"),
        ("/ruling xylophone quartz", "No ruling found."),
    ):
        assert telegram(message(command))["text"].startswith(words), command


def test_a_private_message_is_a_question_and_a_group_needs_a_command(telegram: Ask) -> None:
    assert "One pilot per unit" in telegram(message("one pilot per unit"))["text"]
    assert telegram(message("one pilot per unit", chat="supergroup")) is None
    assert telegram(message("/other", chat="group")) is None
    topic = {"message_thread_id": 7, "is_topic_message": True}
    method = telegram(message("/ruling one pilot", chat="supergroup", **topic))
    assert method["message_thread_id"] == 7
    assert method["reply_parameters"] == {"message_id": 1365, "allow_sending_without_reply": True}


@pytest.mark.parametrize(
    "update",
    [
        {"update_id": 1},
        {"update_id": 1, "edited_message": message("/help")["message"]},
        {"update_id": 1, "message": {"message_id": 1, "chat": {"id": 1, "type": "private"}}},
        message("x", via_bot={"id": 5, "is_bot": True}),
        ["no", "update"],
    ],
)
def test_other_updates_are_accepted_and_ignored(telegram: Ask, update: Any) -> None:
    assert telegram(update) is None


def test_no_message_is_longer_than_telegram_takes() -> None:
    for reply in (
        Reply(note=LONG, rulings=(RULING,) * 10, links=(Link(LONG, URL),) * 5),
        Reply(note=LONG, remarks=(LONG,)),
    ):
        text = html_text(reply)
        assert 100 < length(text) <= MAX_TEXT
        balanced(text)


_MESSAGE = json.dumps(message("/ruling WORDS"))
STRANGE = [
    *(_MESSAGE.replace("1111111", number) for number in NUMBERS),
    *(_MESSAGE.replace("1365", number) for number in NUMBERS[:2]),
    *(_MESSAGE.replace("WORDS", text) for text in TEXTS),
    *(_MESSAGE.replace("/ruling WORDS", text) for text in ("/", "/ \\u0085", "/card", " ", "/@@")),
    _MESSAGE.replace('"date"', f'"via_bot":{"[" * 50_000},"date"'),
    _MESSAGE.replace('"text"', '"text":5,"text"'),
    _MESSAGE.replace('"en"', f'"{"x-" * 50_000}"'),
    '{"message":null}',
]


def test_an_update_of_another_shape_breaks_nothing(server: TestClient) -> None:
    for body in STRANGE:
        answer = server.post("/telegram", content=body.encode(), headers=TOKEN)
        assert answer.status_code == 200, body[:80]
        if answer.content:
            method = answer.json()
            assert_clean(method)
            assert method["method"] == "sendMessage"


def test_what_it_needs_is_said(tmp_path: Path, kb: RunCommand) -> None:
    words = ("serve", "--with", "telegram")
    refused = kb(*words, cwd=tmp_path, code=2, KB_TELEGRAM_SECRET=SECRET).stderr
    assert "telegram needs --base-url" in refused
    words = (*words, "--base-url", "https://x.org")
    for secret in ("", "short", "with a blank in it!", "ł" * 20, "x" * 257):
        refused = kb(*words, cwd=tmp_path, code=2, KB_TELEGRAM_SECRET=secret).stderr
        assert "KB_TELEGRAM_SECRET: 16 to 256 letters" in refused
        assert "openssl rand -hex 32" in refused and (not secret or secret not in refused)
