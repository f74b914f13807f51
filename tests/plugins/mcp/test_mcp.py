"""The tools, asked by the SDK's own client in process, over stdio and HTTP."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from starlette.testclient import TestClient

from kb.plugins.mcp import EXTRA
from kb.plugins.mcp.command import lender
from kb.plugins.mcp.server import INSTRUCTIONS, RulingsServer
from kb.plugins.mcp.service import SERVICE
from kb.search.query import MAX_LENGTH
from tests.command_line import RunCommand
from tests.conftest import paths_of
from tests.serving import Running, site

URL = "https://rulings.example.org"
TOOLS = {*"search_rulings get_ruling get_card rulings_for_deck list_games".split()}
Session = Callable[[Client], Awaitable[Any]]


def talk(base: Path, session: Session) -> Any:
    """Run a session with a server in this process."""

    async def run() -> Any:
        async with Client(RulingsServer(lender(paths_of(base), URL))) as client:
            return await session(client)

    return _in_a_thread(run)


def _in_a_thread(run: Callable[[], Awaitable[Any]]) -> Any:
    """Run a coroutine beside the event loop that a browser test may have left in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(anyio.run, run).result()


def ask(base: Path, tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool and return its structured answer."""
    result = talk(base, lambda client: client.call_tool(tool, arguments))
    assert not result.is_error, result.content
    answer: dict[str, Any] = result.structured_content
    return answer


def refusal(base: Path, tool: str, **arguments: Any) -> str:
    result = talk(base, lambda client: client.call_tool(tool, arguments))
    assert result.is_error
    return str(result.content[0].text)


def test_every_tool_says_what_it_does_and_how_exactly(small_base: Path) -> None:
    async def session(client: Client) -> None:
        assert client.instructions == INSTRUCTIONS
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == TOOLS
        assert client.server_info and client.server_info.version
        for tool in tools.values():
            assert "\n " not in (tool.description or "")
            assert tool.annotations and tool.annotations.read_only_hint
            if tool.name != "list_games":
                assert "`match`" in (tool.description or ""), tool.name
            for name, schema in tool.input_schema["properties"].items():
                assert schema["description"], f"{tool.name} {name}"
            assert {"match", "message"} <= set((tool.output_schema or {})["required"])

    talk(small_base, session)


def test_a_search_answers_as_the_command_with_its_documents(
    small_base: Path, kb: RunCommand
) -> None:
    answer = ask(small_base, "search_rulings", query="pilotów na jednostce", lang="en")
    words = ("search", "pilotów na jednostce", "--interface", "en", "--json", "--limit", "5")
    printed = json.loads(kb(*words, cwd=small_base).stdout)
    for results in (answer["search"], printed):
        results["took_ms"] = 0
    for hit in printed["results"]:
        hit["url"] = f"{URL}/{hit['url'].removesuffix('index.html')}"
    assert answer["search"] == printed and answer["match"] == "all"
    assert answer["documents"]["demo/demo-faq"] == {
        "id": "demo-faq",
        "title": {"pl": "Pytania i odpowiedzi", "en": "Questions and answers"},
        "author": "",
        "publisher": "",
        "published": "2003-05",
        "url": "",
    }


def test_what_has_no_ruling_is_said_plainly(small_base: Path) -> None:
    for tool, arguments in (
        ("search_rulings", {"query": "xylophone quartz"}),
        ("get_ruling", {"ruling_id": "demo/xylophone"}),
        ("get_card", {"name": "Xylophone Quartz"}),
        ("search_rulings", {"as_of": "1990", "query": "xylophone"}),
    ):
        answer = ask(small_base, tool, **arguments)
        rulings = answer["search"]["results"] if "search" in answer else answer["rulings"]
        assert answer["match"] == "none" and rulings == [], tool
        assert "no ruling found" in answer["message"].lower(), tool
        assert "do not make one up" in answer["message"], tool
    assert "demo/one-pilot" in ask(small_base, "get_ruling", ruling_id="one-pilto")["message"]


def test_a_ruling_comes_as_the_command_prints_it(small_base: Path, kb: RunCommand) -> None:
    answer = ask(small_base, "get_ruling", ruling_id="demo/old-answer")
    (ruling,) = answer["rulings"]
    assert answer["match"] == "all" and "no longer in force" in answer["message"]
    assert "Now in force: demo/one-pilot" in answer["message"]
    printed = json.loads(kb("show", "demo/old-answer", "--json", cwd=small_base).stdout)
    assert ruling == {**printed, "url": f"{URL}/demo/rulings/old-answer/"}


def test_wrong_arguments_are_named(small_base: Path) -> None:
    for arguments, told in (
        ({"limit": 101}, "limit\n  Input should be less than or equal to 100"),
        ({"langs": "en"}, "langs: unknown argument; did you mean lang?"),
        ({"query": "x" * (MAX_LENGTH + 1)}, f"should have at most {MAX_LENGTH} characters"),
        ({"game": "nope"}, "Error executing tool search_rulings: no game 'nope'"),
    ):
        assert told in refusal(small_base, "search_rulings", **{"query": "pilot", **arguments})


def test_a_card_is_answered_in_one_language(small_base: Path) -> None:
    for lang, title in (("en", "en"), ("de", "en"), ("", "pl")):
        answer = ask(small_base, "get_card", name="Anakin Skywalker", lang=lang)
        assert {*answer["rulings"][0]["title"]} == {*answer["rulings"][0]["text"]} == {title}


def test_what_stood_then(small_base: Path) -> None:
    then = ask(small_base, "get_ruling", as_of="2002-06", ruling_id="demo/one-pilot")
    assert [each["id"] for each in then["rulings"]] == ["old-answer"]
    found = ask(small_base, "search_rulings", as_of="2002-06", query="two pilots on a unit")
    assert [each["id"] for each in found["search"]["results"]] == ["old-answer"]
    before = ask(small_base, "get_ruling", as_of="1990", ruling_id="demo/one-pilot")
    assert before["match"] == "none"


def test_a_card_says_how_its_name_matched(small_base: Path) -> None:
    exact = ask(small_base, "get_card", name="anakin skywalker")
    assert (exact["match"], exact["named_by"]) == ("all", "name")
    assert exact["rulings"] and exact["cards"][0]["url"].startswith(URL)
    for inflected in ("Anakinem Skywalkerem", "Sidiousa"):
        form = ask(small_base, "get_card", name=inflected)
        assert (form["match"], form["named_by"]) == ("all", "form")
    near = ask(small_base, "get_card", name="Anakin Skywolker")
    assert (near["match"], near["named_by"]) == ("near", "near")


def test_a_deck_brings_its_rulings_and_says_which_lines_it_did_not_know(small_base: Path) -> None:
    answer = ask(small_base, "rulings_for_deck", deck="2x Anakin Skywalker\n1 Xylophone Quartz\n")
    deck = answer["deck"]
    assert (answer["match"], deck["game"]) == ("most", "demo")
    assert deck["cards"][0]["count"] == 2 and deck["cards"][0]["match"] == "name"
    assert [each["text"] for each in deck["unknown"]] == ["1 Xylophone Quartz"]
    listed = {key for card in deck["cards"] for key in card["rulings"]}
    assert {each["id"] for each in answer["rulings"]} >= listed
    nothing = ask(small_base, "rulings_for_deck", deck="1 Xylophone")
    assert (nothing["match"], nothing["rulings"]) == ("none", [])
    assert [each["text"] for each in nothing["deck"]["unknown"]] == ["1 Xylophone"]
    assert "no line names a card" in refusal(small_base, "rulings_for_deck", deck="\n")
    cut_off = '<?xml version="1.0"?><deck><card name="Anakin Skywalker"/>'
    assert "XML that cannot be read" in refusal(small_base, "rulings_for_deck", deck=cut_off)


async def _transcript(client: Client) -> list[Any]:
    games = await client.call_tool("list_games", {})
    found = await client.call_tool("search_rulings", {"query": "pilot", "lang": "pl"})
    nothing = await client.call_tool("search_rulings", {"query": "xylophone"})
    return [
        games.structured_content["games"],
        [each["id"] for each in found.structured_content["search"]["results"]],
        nothing.structured_content["match"],
    ]


def test_stdio_and_http_answer_as_the_server_in_process(small_base: Path) -> None:
    expected = talk(small_base, _transcript)
    (game,) = expected[0]
    assert game["id"] == "demo" and game["url"] == f"{URL}/demo/"
    server = Running(site(small_base / "site", services=[SERVICE], base_url=URL))
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "kb", "mcp", "--base-url", URL, "--rulings", str(small_base / "rulings")],
        env={"PYTHONPATH": ":".join(sys.path)},
        cwd=small_base,
    )

    async def over(target: Any, mode: str) -> Any:
        async with Client(target, mode=mode) as client:
            return await _transcript(client)

    try:
        for target, mode in (
            (f"{server.address}/mcp", "auto"),
            (f"{server.address}/mcp", "legacy"),
            (command, "legacy"),
        ):
            assert _in_a_thread(partial(over, target, mode)) == expected, (target, mode)
        # No stream is offered.
        refused = httpx2.get(f"{server.address}/mcp")
        assert refused.status_code == 405 and "allowed: OPTIONS, POST" in refused.json()["detail"]
    finally:
        server.stop()


@pytest.mark.parametrize("words", [("mcp",), ("serve", "--with", "mcp", "--port", "0")])
def test_a_missing_extra_is_named(
    words: tuple[str, ...], small_base: Path, kb: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    (module,) = EXTRA.modules
    monkeypatch.setitem(sys.modules, module, None)
    refused = kb(*words, cwd=small_base, code=1).stderr
    assert f"{module}, which is not installed: run pip install '.[mcp]'" in refused


_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}


def call(name: Any, arguments: Any, method: str = "tools/call") -> bytes:
    params = {"name": name, "arguments": arguments, "uri": name}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


# What no client of the SDK sends.
HOSTILE = [
    b"null",
    b"\xff\xfe",
    b"[" * 50_000,
    b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"tools/list"}',
    b"x" * 3_000_000,
    call({"a": 1}, {}),
    call("search_rulings", None),
    call("search_rulings", {"query": "\ud800\udfff\x1b[2J" * 100}),
    call("get_ruling", {"ruling_id": "../../../etc/passwd"}),
    call("rulings_for_deck", {"deck": "1 x\n" * 5_000}),
    call("file:///etc/passwd", {}, "resources/read"),
]


def test_a_hostile_body_is_answered(small_base: Path, caplog: pytest.LogCaptureFixture) -> None:
    app = site(small_base / "site", services=[SERVICE])
    with TestClient(app, raise_server_exceptions=False) as client:
        for body in HOSTILE:
            answer = client.post("/mcp", content=body, headers=_HEADERS)
            assert answer.status_code < 500 and len(answer.content) < 200_000, body[:60]
            assert "Traceback" not in answer.text + caplog.text and "root:" not in answer.text
        # The next request is answered as ever.
        fine = client.post("/mcp", content=call("list_games", {}), headers=_HEADERS)
        assert fine.status_code == 200 and not fine.json()["result"].get("isError")
