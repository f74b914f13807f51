"""Discord: signatures, commands, completion, languages, and the limits of messages."""

from __future__ import annotations

import html
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl.signing import SigningKey
from starlette.testclient import TestClient

from kb.core.problems import NotBuilt
from kb.pipeline.builds import FolderBuilds
from kb.plugins.chats.replies import ELLIPSIS, Link, Reply, cut, length
from kb.plugins.discord.interactions import (
    MAX_CHOICES,
    MAX_CONTENT,
    MAX_DESCRIPTION,
    MAX_EMBEDS_TOTAL,
    MAX_TITLE,
    commands,
    embed_length,
    escape,
    message,
)
from kb.plugins.discord.service import MAX_AGE, SERVICE
from tests.command_line import RunCommand
from tests.conftest import GOOD, paths_of
from tests.plugins.chats.samples import (
    LONG,
    NUMBERS,
    RECIPIENTS,
    RULING,
    TEXTS,
    URL,
    Json,
    assert_clean,
)
from tests.serving import site

Ask = Callable[[Json], Any]
EPHEMERAL = 64
KEY = SigningKey(bytes(range(32)))
PUBLIC_KEY = KEY.verify_key.encode().hex()


@pytest.fixture(scope="module")
def server(small_base: Path) -> Iterator[TestClient]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_DISCORD_PUBLIC_KEY", PUBLIC_KEY)
        app = site(small_base / "site", services=[SERVICE], base_url=URL)
    with TestClient(app) as client:
        yield client


def asking(server: TestClient) -> Ask:
    def ask(interaction: Json) -> Any:
        body = json.dumps(interaction).encode()
        answer = server.post("/discord", content=body, headers=signed(body))
        assert answer.status_code == 200, answer.text
        return answer.json()

    return ask


@pytest.fixture
def discord(server: TestClient) -> Ask:
    """Send an interaction and return the response to it."""
    return asking(server)


def signed(body: bytes, timestamp: str = "", key: SigningKey = KEY) -> dict[str, str]:
    """Return the headers that Discord sends with a body, now or at another time."""
    timestamp = timestamp or str(int(time.time()))
    return {
        "X-Signature-Ed25519": key.sign(timestamp.encode() + body).signature.hex(),
        "X-Signature-Timestamp": timestamp,
    }


def interaction(kind: int, data: Json | None, locale: str = "en-GB") -> Json:
    """Return an interaction in a server's channel."""
    user = {"user": {"id": "53908232506183680", "username": "mason"}, "roles": ["1"]}
    head = {"id": "786008729715212338", "type": kind, "token": "A_UNIQUE_TOKEN", "version": 1}
    return {**head, "member": user, "locale": locale, **({"data": data} if data else {})}


def command(used: str, locale: str = "en-GB", focused: str = "", **options: str) -> Json:
    """Return the use of a command; with `focused`, the request to complete that option."""
    listed = [
        {"type": 3, "name": key, "value": value, **({"focused": True} if key == focused else {})}
        for key, value in options.items()
    ]
    data = {"id": "771825006014889984", "name": used, "type": 1, "options": listed}
    return interaction(4 if focused else 2, data, locale)


def test_a_ping_gets_a_pong(discord: Ask) -> None:
    assert discord(interaction(1, None)) == {"type": 1}


def test_a_ruling_comes_with_what_makes_it_an_answer(discord: Ask) -> None:
    response = discord(command("ruling", query="one pilot per unit", game="demo"))
    assert response["type"] == 4
    data = response["data"]
    assert data["allowed_mentions"] == {"parse": []} and "flags" not in data
    embed = data["embeds"][0]
    assert embed["title"] == "One pilot per unit"
    assert embed["url"] == f"{URL}/demo/rulings/one-pilot/"
    assert embed["description"] == "A unit can have only one pilot, even Anakin C."
    fields = {field["name"]: field["value"] for field in embed["fields"]}
    assert fields["Authority"] == "Star Trial · Official · In force · May 2003"
    assert fields["Sources"] == "Questions and answers, one-pilot"
    assert embed["footer"] == {"text": "demo/one-pilot"}


def test_the_reply_is_in_the_language_of_the_client(discord: Ask) -> None:
    polish = discord(command("ruling", "pl", query="one pilot per unit"))["data"]["embeds"][0]
    assert polish["title"] == "Jeden pilot na jednostce"
    assert polish["fields"][0]["value"] == "Gwiezdna Próba · Oficjalne · Obowiązuje · maj 2003"
    french = discord(command("ruling", "fr", query="jeden pilot"))["data"]["embeds"][0]
    assert french["fields"][0]["name"] == "Authority"


def test_what_has_no_ruling_is_said_plainly_and_guesses_are_labelled(discord: Ask) -> None:
    nothing = discord(command("ruling", query="xylophone quartz"))["data"]
    assert nothing["content"].startswith("No ruling found.")
    assert nothing["embeds"] == [] and nothing["flags"] == EPHEMERAL
    excluded = discord(command("ruling", "pl", query="speeder -nazwa"))["data"]
    assert excluded["content"].startswith("Słowa po minusie wykluczają wszystkie orzeczenia")
    unknown = discord(interaction(2, {"id": "1", "name": "other", "type": 1}))["data"]
    assert unknown["content"] == "Write the question after the command."
    for data in (
        discord(command("ruling", query="unit xylophone"))["data"],
        discord(command("card", name="Anakin Skywolker"))["data"],
    ):
        assert data["content"].startswith(("Closest rulings", "No card has exactly"))
        assert data["embeds"]
        for embed in data["embeds"]:
            assert "A guess, not an exact match" in embed["fields"][0]["value"]


def test_a_superseded_ruling_says_so_and_leads_on(discord: Ask) -> None:
    embeds = discord(command("ruling", query="status:superseded pilots"))["data"]["embeds"]
    embed = next(each for each in embeds if each["footer"]["text"] == "demo/old-answer")
    fields = {field["name"]: field["value"] for field in embed["fields"]}
    assert "Superseded · 2002 – May 2003" in fields["Authority"]
    assert fields["Superseded by"] == f"[demo/one-pilot]({URL}/demo/rulings/one-pilot/)"


def test_a_card_has_its_rulings_and_its_page(discord: Ask) -> None:
    for name in ("anakin skywalker", "Anakinem Skywalkerem"):
        data = discord(command("card", name=name))["data"]
        assert data["embeds"][0]["footer"]["text"] == "demo/one-pilot"
        assert f"(<{URL}/demo/cards/anakin-skywalker/>)" in data["content"], name
    unknown = discord(command("card", name="Xylophone Quartz"))["data"]
    assert unknown["content"] == "No card has this name."
    game = discord(command("card", name="Anakin", game="chess"))["data"]["content"]
    assert game == "There is no such game. Rulings of these games: Star Trial"


def test_names_and_games_are_completed(discord: Ask) -> None:
    cards = discord(command("card", focused="name", name="ŚWIA"))
    names = [{"name": "Łowca Światów", "value": "Łowca Światów"}]
    assert cards == {"type": 8, "data": {"choices": names}}
    games = discord(command("ruling", "pl", focused="game", query="pilot", game="próba"))
    assert games["data"]["choices"] == [{"name": "Gwiezdna Próba", "value": "demo"}]
    nothing = discord(command("card", focused="name", name=""))
    assert nothing["data"]["choices"] == []


def test_a_server_without_a_build_says_so_in_the_chat(
    small_base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_DISCORD_PUBLIC_KEY", PUBLIC_KEY)

    class Nothing(FolderBuilds):
        def current(self) -> str:
            raise NotBuilt("nothing")

    builds = Nothing(paths_of(small_base))
    app = site(small_base / "site", builds=builds, services=[SERVICE], base_url=URL)
    with TestClient(app) as client:
        said = asking(client)(command("ruling", query="pilot"))["data"]
        assert said["flags"] == EPHEMERAL and said["content"]
        completed = asking(client)(command("card", focused="name", name="a"))
        assert completed["data"] == {"choices": []}


def test_no_message_is_longer_than_discord_takes() -> None:
    links = (Link(LONG, URL),) * 30
    lines = (LONG,) * 5
    for words in RECIPIENTS.catalogs.values():
        for reply in (
            Reply(note=LONG, rulings=(RULING,) * 3, links=links, remarks=lines[:1]),
            Reply(note=LONG, rulings=(replace(RULING, facts="x", groups=()),)),
        ):
            data = message(reply, words)["data"]
            assert length(data["content"]) <= MAX_CONTENT
            assert sum(map(embed_length, data["embeds"])) <= MAX_EMBEDS_TOTAL
            for embed in data["embeds"]:
                assert 0 < length(embed["title"]) <= MAX_TITLE
                assert 100 < length(embed["description"]) <= MAX_DESCRIPTION
                for field in embed["fields"]:
                    assert 0 < length(field["name"]) <= 256
                    assert 0 < length(field["value"]) <= 1_024


@given(st.text("a*_\\&<>'😀ł ", max_size=60), st.integers(1, 40))
def test_a_cut_text_fits_and_no_escape_in_it_is_torn(text: str, limit: int) -> None:
    for escaped in (str, html.escape, escape):
        shown = cut(text, limit, escaped)
        assert length(shown) <= limit
        if shown != escaped(text):
            kept = shown.removesuffix(ELLIPSIS)
            assert any(kept == escaped(text[:size].rstrip()) for size in range(len(text) + 1))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**bold** _it_ ~no~ `code`", r"\*\*bold\*\* \_it\_ \~no\~ \`code\`"),
        ("||spoiler|| -# small", r"\|\|spoiler\|\| -\# small"),
        ("<@123> <#1> @everyone", r"\<\@123\> \<\#1\> \@everyone"),
        ("[name](https://example.org)", r"\[name\](https\:\/\/example.org)"),
        ("- list\\", "\\- list\\\\"),
        ("Łowca Światów, 725 to 1 (C-3PO)", r"Łowca Światów, 725 to 1 (C-3PO)"),
    ],
)
def test_nothing_is_markup(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_the_commands_to_register_are_what_discord_takes(kb: RunCommand) -> None:
    registered = commands(RECIPIENTS)
    shown = kb("discord", "commands", "--rulings", ".", cwd=GOOD).stdout
    assert json.loads(shown) == registered
    assert [each["name"] for each in registered] == ["ruling", "card"]
    for part in [*registered, *(option for each in registered for option in each["options"])]:
        localized = part["description_localizations"]
        # Slovak is no language of Discord's clients.
        assert localized.keys() >= {"pl", "cs", "ru"} and "sk" not in localized
        assert all(0 < len(text) <= 100 for text in (part["description"], *localized.values()))
    for each in registered:
        required = [option.get("required", False) for option in each["options"]]
        assert required == sorted(required, reverse=True)


def test_what_it_needs_is_said(tmp_path: Path, kb: RunCommand) -> None:
    words = ("serve", "--with", "discord")
    at_site = (*words, "--base-url", "https://x.org")
    key = {"KB_DISCORD_PUBLIC_KEY": PUBLIC_KEY}
    assert "needs --base-url" in kb(*words, cwd=tmp_path, code=2, **key).stderr
    for wrong in ({}, {"KB_DISCORD_PUBLIC_KEY": "abc"}):
        refused = kb(*at_site, cwd=tmp_path, code=2, **wrong).stderr
        assert "KB_DISCORD_PUBLIC_KEY: 64 hexadecimal digits" in refused
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "nacl.signing", None)
        refused = kb(*at_site, cwd=tmp_path, code=1, **key).stderr
    assert "which is not installed: run pip install '.[discord]'" in refused


_COMMAND = json.dumps(command("ruling", query="W"))
STRANGE = [
    "{",
    '{"type": 99}',
    *(_COMMAND.replace('"W"', number) for number in NUMBERS),
    *(_COMMAND.replace('"type": 2', f'"type": {number}') for number in NUMBERS),
    *(_COMMAND.replace('"W"', f'"{text}"') for text in TEXTS),
    json.dumps(command("ruling", query="x", game="x" * 90_000)),
    json.dumps(command("card", focused="name", name="(" * 3_000)),
    json.dumps(command("card", focused="other", other="a")),
    json.dumps({**command("ruling"), "data": {"options": [{"name": "query"}] * 5_000}}),
    json.dumps({**command("ruling"), "data": {"options": "query"}}),
    json.dumps(command("ruling", "\x00" * 9_000, query="one pilot")),
]


def test_an_interaction_of_another_shape_breaks_nothing(server: TestClient) -> None:
    for body in STRANGE:
        answer = server.post("/discord", content=body.encode(), headers=signed(body.encode()))
        assert answer.status_code in (200, 400), body[:80]
        assert_clean(answer.json())
        data = answer.json().get("data", {})
        assert data.get("allowed_mentions", {"parse": []}) == {"parse": []}
        assert len(data.get("choices", [])) <= MAX_CHOICES


def test_a_signature_is_of_one_time_and_one_body(server: TestClient) -> None:
    """Neither can be exchanged, nor can bytes wander from the time to the body."""
    now, body = int(time.time()), json.dumps(interaction(1, None)).encode()
    headers = signed(body, str(now))
    assert server.post("/discord", content=body, headers=headers).status_code == 200
    for signature, sent in (
        (headers, body + b" "),
        ({**headers, "X-Signature-Timestamp": str(now + 1)}, body),
        ({**headers, "X-Signature-Timestamp": str(now)[:-1]}, str(now)[-1:].encode() + body),
        ({}, body),
        (signed(body, key=SigningKey(bytes(32))), body),
        (signed(body, str(now - MAX_AGE - 1)), body),
        (signed(body, str(now + 2 * MAX_AGE)), body),
        ({**headers, "X-Signature-Timestamp": f"+{now}"}, body),
        ({**headers, "X-Signature-Timestamp": "\u0663" * 10}, body),
        ({**headers, "X-Signature-Ed25519": "\u0661" * 128}, body),
    ):
        encoded = {name.encode(): value.encode() for name, value in signature.items()}
        answer = server.post("/discord", content=sent, headers=encoded)
        assert answer.status_code == 401
        assert answer.headers["content-type"] == "application/problem+json"
