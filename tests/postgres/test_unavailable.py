"""A database that is away or frozen: bounded waits, fixed public texts, and never its password."""

from __future__ import annotations

import io
import socket
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from sqlmodel import func, select
from starlette.testclient import TestClient

from kb.core.problems import KbError, Unavailable
from kb.postgres.address import parse_address
from kb.postgres.connection import reading_engine
from kb.postgres.index import open_build
from kb.postgres.publish import publish, roll_back
from kb.server.app import AppConfig, create_app
from kb.server.database import PublishedBase
from kb.server.middleware import RequestLog
from kb.server.run import Settings
from kb.store.queries import read_all
from tests.command_line import RunCommand
from tests.postgres.conftest import server_of
from tests.serving import get, paths_of, until

pytest.importorskip("psycopg")
# Every character that ends a part of an address, or that some program reads in its own way.
MARKS = "/@:?#%&=[]+;,\\'\" "
PASSWORDS = [f"hush{mark}quiet" for mark in (*MARKS, "://", "@@", "%zz", "/@", "é")]
_API = "search?q=pilot suggest?q=p rulings rulings/demo/one-pilot cards cards?q=a topics sources"
ROUTES = ["", "demo/", "nowhere", "readyz", "api/v1/", "api/v1/changes"]
ROUTES += [f"api/v1/{name}" for name in _API.split()]


def addresses(password: str) -> list[str]:
    """Addresses of a server that refuses, with the password as people write it."""
    escaped = quote(password, safe="")
    return [
        f"postgresql+psycopg://me:{password}@127.0.0.1:1/kb",
        f"postgresql://me:{escaped}@127.0.0.1:1/kb",
        f"postgres://me@127.0.0.1:1/kb?password={password}",
        f"postgresql://me@127.0.0.1:1/kb?password={escaped}",
        f"postgresql://me@127.0.0.1:1/kb?sslpassword={escaped}",
        # Without an `@`, which would make the rest a host.
        f"postgresql+psycopg://me:{password.replace('@', '')}/kb",
        f"postgresql+psycopg://me:{password}@",
        f"mysql://me:{password}@127.0.0.1/kb",
        f"host=127.0.0.1 port=1 password={password}",
    ]


def is_silent(text: str) -> bool:
    return "hush" not in text and "quiet" not in text


ALL_ADDRESSES = [address for password in PASSWORDS for address in addresses(password)]


def test_no_message_has_a_piece_of_the_password() -> None:
    for address in ALL_ADDRESSES:
        for opened in (open_build, roll_back):
            with pytest.raises(KbError) as refused:
                opened(address)
            assert is_silent(str(refused.value)), address
            shown = "".join(traceback.format_exception(refused.value, limit=0))
            assert is_silent(shown)
        with suppress(KbError):
            assert is_silent(repr(parse_address(address)))
        assert is_silent(
            repr(Settings(Path(), None, database=address)) + repr(PublishedBase(address))
        )


def test_a_password_is_used_as_it_is_meant() -> None:
    for password in PASSWORDS:
        parsed = parse_address(f"postgresql+psycopg://me:{quote(password, safe='')}@h:5/kb")
        assert parsed.parameters["password"] == password
        assert parsed.name == "kb at h"
    several = parse_address("postgresql://me@one:1,two:2/kb?connect_timeout=9")
    assert several.parameters["host"] == "one,two"


def test_a_reason_that_quotes_the_password_is_not_shown() -> None:
    address = parse_address("postgresql://me:hush@h/kb")
    assert address.public_reason(OSError("no route\nhush")) == "no route"
    assert address.public_reason(OSError("bad hush")) == "OSError"


def test_commands_never_print_the_password(kb: RunCommand, small_base: Path) -> None:
    commands = [
        ("search", "pilot"),
        ("show", "one-pilot"),
        ("card", "sidious"),
        ("publish", "--rollback"),
    ]
    for address in addresses("hush/qu@iet"):
        for words in commands:
            result = kb(*words, "--database", address, cwd=small_base, code=None)
            assert result.returncode in (1, 2) and is_silent(result.stdout + result.stderr)
        result = kb("search", "pilot", cwd=small_base, code=None, KB_DATABASE=address)
        assert result.returncode in (1, 2) and is_silent(result.stdout + result.stderr)


def test_clients_get_fixed_texts_and_the_log_has_the_reason() -> None:
    texts = set()
    for address in addresses("hush/quiet"):
        log = io.StringIO()
        base = PublishedBase(address)
        config = AppConfig(base, base, log=RequestLog("text", log))
        with TestClient(create_app(config), raise_server_exceptions=False) as client:
            for route in ROUTES:
                answer = client.get(f"/{route}")
                assert answer.status_code == 503 and is_silent(answer.text), address
                if route != "readyz":
                    assert int(answer.headers["Retry-After"]) <= 5
                    texts.add(answer.json()["detail"])
        assert is_silent(log.getvalue()) and "Traceback" not in log.getvalue()
        assert "the database kb at" in log.getvalue() or "address of" in log.getvalue()
    assert len(texts) <= 3 and not any("127.0.0.1" in text for text in texts)


class Gate:
    """A way to a database that can be closed: what is sent is kept until it opens again."""

    def __init__(self, url: str) -> None:
        target = parse_address(url).parameters
        self.socket_path = f"{target['host']}/.s.PGSQL.{target.get('port', 5432)}"
        self.open = threading.Event()
        self.open.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        port = self.listener.getsockname()[1]
        self.url = f"postgresql+psycopg://postgres:hush@127.0.0.1:{port}{urlsplit(url).path}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self.listener.accept()
                there = socket.socket(socket.AF_UNIX)
                there.connect(self.socket_path)
                for pair in ((here, there), (there, here)):
                    threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError), source, target:
            while data := source.recv(65_536):
                self.open.wait()
                target.sendall(data)


@pytest.fixture
def gate(made: Path, database: str) -> Iterator[Gate]:
    if "host=/" not in database:
        pytest.skip("needs a server at a socket")
    publish(paths_of(made), database, made / "site")
    gate = Gate(database)
    yield gate
    gate.open.set()
    gate.listener.close()


def timed(address: str) -> tuple[int, str, float]:
    start = time.monotonic()
    return *get(address), time.monotonic() - start


def test_a_frozen_database_holds_nobody_up_and_is_found_again(gate: Gate) -> None:
    with server_of(gate.url) as server:
        everything = [f"{server.address}/{route}" for route in ROUTES if route != "nowhere"]
        known, unknown = f"{server.address}/demo/", f"{server.address}/demo/index.json"
        before = get(known)
        assert before[0] == 200 == get(f"{server.address}/api/v1/search?q=pilot")[0]
        gate.open.clear()
        try:
            with ThreadPoolExecutor(40) as threads:
                answers = [*threads.map(timed, everything * 4), timed(known), timed(unknown)]
        finally:
            gate.open.set()
        assert max(seconds for _, _, seconds in answers) < 5
        assert {status for status, _, _ in answers} == {200, 503}
        assert answers[-2][:2] == before and answers[-1][0] == 503
        assert all(is_silent(text) for _, text, _ in answers)
        until(lambda: get(f"{server.address}/readyz")[0] == 200)
        assert {get(address)[0] for address in everything} == {200}


def test_a_slow_statement_is_ended_in_the_server_too(
    gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kb.postgres.connection.STATEMENT_TIMEOUT", 50)
    engine = reading_engine(gate.url)
    with pytest.raises(Unavailable, match="statement timeout"):
        read_all(engine, select(func.pg_sleep(30)))
    # The same connection answers on.
    assert read_all(engine, select(func.length("abc"))) == [3]
    engine.dispose()
