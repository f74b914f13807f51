"""A database that is gone, busy or frozen: a message in seconds, and never its password."""

from __future__ import annotations

import traceback
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from kb.core.problems import KbError, WrongUsage
from kb.pipeline.builds import open_current
from kb.plugins.postgres.connection import parse_address
from kb.plugins.postgres.publish import publish, roll_back
from kb.plugins.postgres.published import PublishedBuilds
from kb.server.app import create_app
from kb.server.run import Settings
from tests.conftest import paths_of
from tests.plugins.postgres.cluster import Cluster, connect, new_database
from tests.plugins.postgres.conftest import server_of
from tests.serving import get, until

pytest.importorskip("psycopg")
# Every character that ends a part of an address, or that some program reads in its own way.
MARKS = "/@:?#%&=[]+;,\\'\" "
PASSWORDS = [f"hush{mark}quiet" for mark in (*MARKS, "://", "@@", "%zz", "/@", "é")]
_API = "search?q=pilot suggest?q=p rulings rulings/demo/one-pilot cards cards?q=a topics sources"
ROUTES = ["readyz", "api/v1/", "api/v1/changes", *(f"api/v1/{name}" for name in _API.split())]


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


def test_no_message_has_a_piece_of_the_password() -> None:
    for address in (address for password in PASSWORDS for address in addresses(password)):
        for opened in (open_current, roll_back):
            with pytest.raises(KbError) as refused:
                opened(address)
            shown = "".join(traceback.format_exception(refused.value, limit=0))
            assert is_silent(shown), address
        with suppress(KbError):
            assert is_silent(repr(parse_address(address)))
        assert is_silent(repr(Settings(Path(), None, database=address)))


def test_a_password_is_used_as_it_is_meant() -> None:
    for password in PASSWORDS:
        parsed = parse_address(f"postgresql+psycopg://me:{quote(password, safe='')}@h:5/kb")
        assert parsed.parameters["password"] == password
        assert parsed.name == "kb at h"
    several = parse_address("postgresql://me@one:1,two:2/kb?connect_timeout=9")
    assert several.parameters["host"] == "one,two"


def test_clients_get_a_fixed_text_and_the_log_has_the_reason(
    caplog: pytest.LogCaptureFixture,
) -> None:
    texts = set()
    for address in addresses("hush/quiet"):
        with suppress(WrongUsage):
            caplog.clear()
            app = create_app(None, PublishedBuilds(address))
            with TestClient(app, raise_server_exceptions=False) as client:
                for route in ROUTES:
                    answer = client.get(f"/{route}")
                    assert answer.status_code == 503 and is_silent(answer.text), address
                    assert int(answer.headers["Retry-After"]) <= 5
                    texts.add(answer.json()["detail"])
            assert is_silent(caplog.text) and "Traceback" not in caplog.text
            assert "the database kb at 127.0.0.1 cannot be reached" in caplog.text
    assert len(texts) == 1 and "127.0.0.1" not in texts.pop()


def test_a_server_that_is_gone_is_found_again(made: Path, own_cluster: Cluster) -> None:
    url = new_database(own_cluster.url)
    publish(paths_of(made), url)
    with server_of(url, made / "site") as server:
        page, search = f"{server.address}/demo/", f"{server.address}/api/v1/search?q=pilot"
        assert get(search)[0] == 200
        own_cluster.stop()
        try:
            assert [get(page)[0], get(search)[0]] == [200, 503]
        finally:
            own_cluster.start()
        until(lambda: '"total":3' in get(search)[1])


def test_a_busy_server_ends_the_statement(made: Path, database: str) -> None:
    publish(paths_of(made), database)
    with server_of(database) as server, closing(connect(database)) as other:
        search = f"{server.address}/api/v1/search?q=pilot"
        with other.transaction():
            other.execute("LOCK kb_1.about")
            assert get(search)[0] == 503
        until(lambda: get(search)[0] == 200)
