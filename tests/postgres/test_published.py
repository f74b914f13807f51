"""A server over a database: it follows what is published, and answers 503 when that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.postgres.publish import publish
from tests.cluster import Cluster, new_database
from tests.postgres.conftest import server_of
from tests.serving import get, paths_of, until


def test_pages_and_answers_follow_what_is_published(
    made: Path, changed: Path, database: str
) -> None:
    page, search = "demo/rulings/one-pilot/index.html", "api/v1/search?q=drugi"
    with server_of(database) as server:

        def at(path: str) -> tuple[int, str]:
            return get(f"{server.address}/{path}")

        assert at(page)[0] == at("readyz")[0] == 503
        publish(paths_of(made), database, made / "site")
        assert at(page) == (200, (made / "site" / page).read_text(encoding="utf-8"))
        assert at("readyz")[0] == 200
        assert at("demo/nothing.html")[0] == at("/forms.sqlite")[0] == 404
        assert "one-pilot" not in at(search)[1]
        publish(paths_of(changed), database, changed / "site")
        until(lambda: "one-pilot" in at(search)[1])
        until(lambda: "Drugi tytuł" in at(page)[1])


def test_a_database_that_is_gone_is_said(
    made: Path, own_cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    url = new_database(own_cluster.url)
    publish(paths_of(made), url, made / "site")
    with server_of(url) as server:
        known, unknown, search = (
            f"{server.address}/{path}" for path in ("", "demo/index.html", "api/v1/search?q=pilot")
        )
        assert get(known)[0] == 200
        own_cluster.stop()
        try:
            # What was read a moment ago is served on; the rest waits for the database.
            assert [get(address)[0] for address in (known, unknown, search)] == [200, 503, 503]
        finally:
            own_cluster.start()
        assert get(unknown)[0] == 200
        until(lambda: '"total":3' in get(search)[1])
