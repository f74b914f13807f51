"""Builds in PostgreSQL, on a real server: atomic, with a way back, and readable from a standby."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kb.core.problems import KbError, NotBuilt
from kb.pipeline.builds import open_current
from kb.pipeline.paths import Paths
from kb.plugins.postgres.publish import load_build, publish, roll_back
from kb.plugins.postgres.published import PublishedBuilds
from kb.search.searcher import Searcher
from kb.store import lists
from tests.command_line import RunCommand
from tests.conftest import PROJECT, paths_of
from tests.gold.test_relevance import all_engines, assert_alike  # noqa: F401
from tests.plugins.postgres.cluster import connect
from tests.plugins.postgres.conftest import server_of
from tests.reliability.conftest import is_killed_at
from tests.serving import get, until

_QUERIES = """pilotów jednostkach|"build zone"|spee*|pilot -strefa|status:any dwóch|card:sidiousa
50%|before:2003 status:any|asof:2004 pilot|sidousa|pilot destroyer xyzzy|source:demo-faq|\0"""
QUERIES = [*re.split("[|\n]", _QUERIES), "'; DROP TABLE kb.current; --", "\ud800 pilot"]


def title(url: str) -> str:
    with open_current(url) as searcher:
        ruling = searcher.store.ruling("demo/one-pilot")
        assert ruling
        return ruling.texts[0].title


def schemas(url: str) -> list[str]:
    with closing(connect(url)) as server:
        found = server.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname ~ '^kb_[0-9]' ORDER BY nspname"
        ).fetchall()
        return [row[0] for row in found]


def test_a_published_build_answers_as_its_folder(made: Path, database: str) -> None:
    assert publish(paths_of(made), database) == 1
    with Searcher(paths_of(made).current) as here, open_current(database) as there:
        keys = [f"demo/{ruling_id}" for ruling_id in here.store.ruling_ids("demo")]
        assert list(there.store.rulings(keys)) == list(here.store.rulings(keys)) != []
        assert list(there.store.cards("demo")) == list(here.store.cards("demo"))
        assert there.store.games() == here.store.games()
        assert lists.sources(there.store) == lists.sources(here.store)
        for query in QUERIES:
            assert replace(there.search(query), took_ms=0) == replace(here.search(query), took_ms=0)


@pytest.mark.thorough
def test_the_three_games_are_answered_as_by_the_other_engines(
    all_engines: Path,  # noqa: F811
    database: str,
) -> None:
    load_build(database, all_engines)
    with open_current(database) as searcher:
        assert_alike(all_engines, searcher)


def test_a_reader_stays_with_its_build_and_the_one_before_comes_back(
    made: Path, changed: Path, database: str
) -> None:
    publish(paths_of(made), database)
    first = title(database)
    with open_current(database) as reader:
        assert publish(paths_of(changed), database) == 2
        ruling = reader.store.ruling("demo/one-pilot")
        assert ruling and ruling.texts[0].title == first
        assert title(database) == "Drugi tytuł"
    assert roll_back(database) == 1 and title(database) == first
    with pytest.raises(KbError, match="build 1 is current, and there is no build before it"):
        roll_back(database)
    publish(paths_of(made), database)
    assert schemas(database) == ["kb_1", "kb_3"]
    with pytest.raises(NotBuilt, match="gone"):
        PublishedBuilds(database).open("2")


def test_a_role_that_only_reads_reads_every_build(made: Path, changed: Path, database: str) -> None:
    guide = (PROJECT / "kb" / "plugins" / "postgres" / "guide.md").read_text(encoding="utf-8")
    statements = re.findall(r"(?:CREATE ROLE|GRANT|ALTER DEFAULT) [^;`]*", guide)
    assert len(statements) == 3
    role = f"reader_of_{urlsplit(database).path[1:]}"
    with closing(connect(database)) as server:
        for statement in statements:
            server.execute(statement.replace("kb_reader", role))
    reading = f"{database}&options=-c%20role%3D{role}"
    for folder in (made, changed, made):
        publish(paths_of(folder), database)
        assert title(reading) == title(database)
    roll_back(database)
    assert title(reading) == "Drugi tytuł"
    with pytest.raises(KbError, match="refused: permission denied"):
        publish(paths_of(made), reading)


def test_a_publish_that_fails_leaves_what_was(
    made: Path, changed: Path, database: str, tmp_path: Path
) -> None:
    load_build(database, paths_of(made).current)
    load_build(database, paths_of(changed).current)
    damaged = Path(shutil.copytree(paths_of(made).current, tmp_path / "damaged"))
    with closing(sqlite3.connect(damaged / "kb.sqlite")) as store:
        store.execute("DROP TABLE index_term")
    with pytest.raises(KbError, match="the published build is unchanged"):
        load_build(database, damaged)
    assert schemas(database) == ["kb_1", "kb_2"] and title(database) == "Drugi tytuł"
    assert roll_back(database) == 1 and title(database) != "Drugi tytuł"


def test_a_session_that_has_locked_an_old_build_is_named(
    made: Path, changed: Path, database: str
) -> None:
    publish(paths_of(made), database)
    publish(paths_of(changed), database)
    with closing(connect(database)) as other, other.transaction():
        other.execute("SELECT FROM kb_1.ruling")
        with pytest.raises(KbError, match="another session has locked an old build"):
            publish(paths_of(made), database)
        assert schemas(database) == ["kb_1", "kb_2"] and title(database) == "Drugi tytuł"
    assert publish(paths_of(made), database) == 3
    assert schemas(database) == ["kb_2", "kb_3"]


def test_only_schemas_of_recorded_builds_are_dropped(made: Path, database: str) -> None:
    with closing(connect(database)) as server:
        for schema in ("kb_2", "kb_07"):
            server.execute(f"CREATE SCHEMA {schema} CREATE TABLE mine (id int)")
        assert [publish(paths_of(made), database) for _ in range(3)] == [1, 3, 4]
        assert schemas(database) == ["kb_07", "kb_2", "kb_3", "kb_4"]
        assert server.execute("SELECT FROM kb_2.mine, kb_07.mine AS other").rowcount == 0


def test_two_at_once(made: Path, database: str) -> None:
    load_build(database, paths_of(made).current)
    with closing(connect(database)) as other, other.transaction():
        other.execute("SELECT pg_advisory_xact_lock(%s)", (0x6B62,))
        with pytest.raises(KbError, match="another publish is running"):
            load_build(database, paths_of(made).current)


def test_what_cannot_be_published_or_read(small_base: Path, tmp_path: Path, database: str) -> None:
    with pytest.raises(NotBuilt, match="nothing is published"):
        open_current(database)
    with pytest.raises(KbError, match="nothing is published"):
        roll_back(database)
    for data in (tmp_path / "data", small_base / ".kb" / "rulings"):
        with pytest.raises(KbError, match="--engine database"):
            publish(Paths(small_base / "rulings", data), database)
    with pytest.raises(KbError, match="no plug-in opens mysql://; installed: postgres") as told:
        open_current("mysql://me:secret@host/kb")
    with pytest.raises(KbError, match="cannot be reached") as unreached:
        open_current("postgresql+psycopg://me:secret@127.0.0.1:1/kb")
    assert "secret" not in str(told.value) + str(unreached.value)


def test_killed_while_it_publishes_readers_see_the_build_before(
    made: Path, changed: Path, database: str
) -> None:
    publish(paths_of(made), database)
    before = title(database)

    def reads(event: str, arguments: tuple[object, ...]) -> bool:
        return event in ("open", "sqlite3.connect") and "forms.sqlite" in str(arguments[0])

    again = partial(load_build, database, paths_of(changed).current)
    assert is_killed_at(0, reads, again)
    assert title(database) == before
    with closing(connect(database)) as server:
        locks = "SELECT FROM pg_locks WHERE locktype = 'advisory'"
        until(lambda: server.execute(locks).rowcount == 0)
    assert again() == 2 and title(database) == "Drugi tytuł"
    assert schemas(database) == ["kb_1", "kb_2"]


def test_the_command_line(made: Path, database: str, kb: RunCommand) -> None:
    def said_by(*words: str, code: int = 0) -> str:
        done = kb(*words, cwd=made, code=code)
        return done.stdout + done.stderr

    assert "nothing is published" in said_by("search", "pilot", "--database", database, code=1)
    assert said_by("publish", "--database", database) == "build 1 is current\n"
    assert '"total": 3' in said_by("search", "pilot", "--json", "--database", database)
    assert "one-pilot" in said_by("show", "one-pilot", "--json", "--database", database)
    assert "Anakin Skywalker" in said_by("card", "anakin", "skywalker", "--database", database)
    assert "no build before" in said_by("publish", "--rollback", "--database", database, code=1)
    said_by("publish", "--database", database)
    assert "build 1 is current again" in said_by("publish", "--rollback", "--database", database)


SEARCH = "api/v1/search?q=drugi"


def test_answers_follow_what_is_published(made: Path, changed: Path, database: str) -> None:
    page = "demo/rulings/one-pilot/index.html"
    with server_of(database, made / "site") as server:

        def at(path: str) -> tuple[int, str]:
            return get(f"{server.address}/{path}")

        assert at(page) == (200, (made / "site" / page).read_text(encoding="utf-8"))
        status, text = at("readyz")
        assert status == 503 and "nothing to search in" in json.loads(text)["detail"]
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
        assert get(f"{server.address}/readyz")[0] == 200


def test_a_missing_extra_is_named(
    made: Path, kb: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    words = ("--port", "0", "--database", "postgresql://localhost/kb")
    refused = kb("serve", *words, cwd=made, code=1).stderr
    assert "psycopg, which is not installed: run pip install '.[postgres]'" in refused
