"""`kb serve --database`: answers follow what is published, pages are files of a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from kb.plugins.postgres.publish import publish
from tests.command_line import RunCommand
from tests.plugins.postgres.conftest import server_of
from tests.serving import get, paths_of, until

SEARCH = "api/v1/search?q=drugi"


def test_answers_follow_what_is_published(made: Path, changed: Path, database: str) -> None:
    page = "demo/rulings/one-pilot/index.html"
    with server_of(database, made / "site") as server:

        def at(path: str) -> tuple[int, str]:
            return get(f"{server.address}/{path}")

        assert at(page) == (200, (made / "site" / page).read_text(encoding="utf-8"))
        status, text = at("readyz")
        assert status == 503 and list(json.loads(text)["missing"]) == ["store and index"]
        publish(paths_of(made), database)
        assert at("readyz") == (200, '{"status":"ready"}')
        assert "one-pilot" not in at(SEARCH)[1]
        publish(paths_of(changed), database)
        until(lambda: "one-pilot" in at(SEARCH)[1])


def test_without_a_site_the_api_is_served_alone(changed: Path, database: str) -> None:
    publish(paths_of(changed), database)
    with server_of(database) as server:
        assert "one-pilot" in get(f"{server.address}/{SEARCH}")[1]
        for path in ("", "demo/"):
            status, text = get(f"{server.address}/{path}")
            assert status == 404 and "/api/v1/" in json.loads(text)["detail"]
        status, text = get(f"{server.address}/readyz")
        assert status == 200 and "kb build" in json.loads(text)["missing"]["site"]


def test_a_missing_extra_is_named(
    made: Path, kb: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    words = ("--port", "0", "--database", "postgresql://localhost/kb")
    refused = kb("serve", *words, cwd=made, code=1).stderr
    assert "psycopg, which is not installed: run pip install '.[postgres]'" in refused
