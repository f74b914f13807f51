"""A server over a database: it follows what is published, and answers 503 when that is gone."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from kb.pipeline.build import build
from kb.postgres.publish import publish
from kb.server.app import AppConfig, create_app
from kb.server.database import DatabaseBuilds, DatabaseFiles
from tests.cluster import cluster
from tests.postgres.conftest import places
from tests.serving import Running


@pytest.fixture
def server(database: str) -> Iterator[Running]:
    running = Running(create_app(AppConfig(DatabaseFiles(database), DatabaseBuilds(database))))
    yield running
    running.stop()


def get(address: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(address, timeout=120) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_pages_and_answers_follow_what_is_published(
    base: Path, database: str, server: Running
) -> None:
    page, search = (
        f"{server.address}/demo/rulings/one-pilot/index.html",
        f"{server.address}/api/v1/search?q=tytul",
    )
    assert get(page)[0] == 503
    assert get(f"{server.address}/readyz")[0] == 503
    publish(places(base), database, base / "site")
    assert get(page) == (
        200,
        (base / "site/demo/rulings/one-pilot/index.html").read_text(encoding="utf-8"),
    )
    assert get(f"{server.address}/readyz")[0] == 200
    assert get(f"{server.address}/demo/nothing.html")[0] == 404
    assert get(f"{server.address}//forms.sqlite")[0] == 404
    assert '"total":0' in get(search)[1]
    record = base / "rulings" / "demo" / "pilots" / "one-pilot.md"
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace("# pl: ", "# pl: Tytuł "), encoding="utf-8")
    build(places(base), base / "site")
    publish(places(base), database, base / "site")
    assert "one-pilot" in _until(lambda: get(search)[1], '"total":1')
    assert "Tytuł" in _until(lambda: get(page)[1], "Tytuł")


def _until(ask: object, wanted: str) -> str:
    import time

    end = time.monotonic() + 60
    while wanted not in (found := ask()) and time.monotonic() < end:  # type: ignore[operator]
        time.sleep(0.05)
    return str(found)


def test_a_database_that_is_gone_is_said(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with cluster() as one:
        publish(places(base), one.url, base / "site")
        running = Running(create_app(AppConfig(DatabaseFiles(one.url), DatabaseBuilds(one.url))))
        try:
            assert get(f"{running.address}/")[0] == 200
            one.stop()
            # What was read a moment ago is served on; the rest waits for the database.
            assert get(f"{running.address}/")[0] == 200
            assert get(f"{running.address}/demo/index.html")[0] == 503
            assert get(f"{running.address}/api/v1/search?q=pilot")[0] == 503
            one.start()
            assert get(f"{running.address}/demo/index.html")[0] == 200
            assert '"total":3' in _until(
                lambda: get(f"{running.address}/api/v1/search?q=pilot")[1], '"total":3'
            )
        finally:
            running.stop()
