"""A server over a database: it follows what is published, and answers 503 when that is gone."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.postgres.publish import publish
from kb.server.app import AppConfig, create_app
from kb.server.database import PublishedBase
from tests.cluster import Cluster, new_database
from tests.postgres.conftest import places, until
from tests.serving import Running


@pytest.fixture
def server(database: str) -> Iterator[Running]:
    base = PublishedBase(database)
    running = Running(create_app(AppConfig(base, base)))
    yield running
    running.stop()


def get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=120) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_pages_and_answers_follow_what_is_published(
    made: Path, changed: Path, database: str, server: Running
) -> None:
    page = f"{server.address}/demo/rulings/one-pilot/index.html"
    search = f"{server.address}/api/v1/search?q=drugi"
    assert get(page)[0] == 503
    assert get(f"{server.address}/readyz")[0] == 503
    publish(places(made), database, made / "site")
    shown = (made / "site/demo/rulings/one-pilot/index.html").read_text(encoding="utf-8")
    assert get(page) == (200, shown)
    assert get(f"{server.address}/readyz")[0] == 200
    assert get(f"{server.address}/demo/nothing.html")[0] == 404
    assert get(f"{server.address}//forms.sqlite")[0] == 404
    assert "one-pilot" not in get(search)[1]
    publish(places(changed), database, changed / "site")
    assert "one-pilot" in until(lambda: get(search)[1], lambda text: "one-pilot" in text)
    assert "Drugi tytuł" in until(lambda: get(page)[1], lambda text: "Drugi tytuł" in text)


def test_a_database_that_is_gone_is_said(
    made: Path, own_cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    url = new_database(own_cluster.url)
    publish(places(made), url, made / "site")
    base = PublishedBase(url)
    running = Running(create_app(AppConfig(base, base)))
    search = f"{running.address}/api/v1/search?q=pilot"
    try:
        assert get(f"{running.address}/")[0] == 200
        own_cluster.stop()
        try:
            # What was read a moment ago is served on; the rest waits for the database.
            assert get(f"{running.address}/")[0] == 200
            assert get(f"{running.address}/demo/index.html")[0] == 503
            assert get(search)[0] == 503
        finally:
            own_cluster.start()
        assert get(f"{running.address}/demo/index.html")[0] == 200
        assert '"total":3' in until(lambda: get(search)[1], lambda text: '"total":3' in text)
    finally:
        running.stop()
