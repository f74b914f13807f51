"""Builds in PostgreSQL, on a real server: atomic, with a way back, and readable from a standby."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from kb.core.problems import KbError, NotBuilt
from kb.pipeline.paths import Paths
from kb.postgres.connection import current_build, read_file, reading_engine
from kb.postgres.index import open_build, open_published
from kb.postgres.publish import FileRows, forms_file, load_build, publish, roll_back
from kb.postgres.schemas import schema_name
from kb.search.engines.base import AllOf
from kb.search.searcher import Searcher
from kb.store import lists
from kb.store.queries import Store
from tests.cluster import Cluster, cluster, connect, folder_for_server, load_folder
from tests.command_line import RunCommand
from tests.conftest import PROJECT
from tests.reliability.conftest import is_killed_at
from tests.selection import thorough
from tests.serving import paths_of, until

_QUERIES = """pilotów jednostkach|"build zone"|spee*|pilot -strefa|status:any dwóch|card:sidiousa
50%|before:2003 status:any|asof:2004 pilot|sidousa|pilot destroyer xyzzy|source:demo-faq|\0"""
QUERIES = [*re.split("[|\n]", _QUERIES), "'; DROP TABLE kb.current; --", "\ud800 pilot"]


def title(url: str) -> str:
    with open_published(url) as searcher:
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
    assert publish(paths_of(made), database, made / "site").build == 1
    with Searcher(paths_of(made).current) as here, open_published(database) as there:
        keys = [f"demo/{ruling_id}" for ruling_id in here.store.ruling_ids("demo")]
        assert list(there.store.rulings(keys)) == list(here.store.rulings(keys)) != []
        assert list(there.store.cards()) == list(here.store.cards())
        assert there.store.games() == here.store.games()
        assert lists.sources(there.store) == lists.sources(here.store)
        for query in QUERIES:
            assert replace(there.search(query), took_ms=0) == replace(here.search(query), took_ms=0)
    current = open_build(database)
    for path in (made / "site").rglob("*.html"):
        found = read_file(current, path.relative_to(made / "site").as_posix())
        assert found and found[0].size == path.stat().st_size and found[1] == path.read_bytes()
    current.dispose()


def test_statements_of_ones_own_find_by_terms(made: Path, database: str) -> None:
    load_folder(database, paths_of(made).current)
    with closing(connect(database)) as server:
        terms = "$$'pl:jednostka' & 'pl:pilot'$$::tsquery"
        sql = f"SELECT key FROM kb_1.index_document WHERE words @@ {terms}"
        found = {row[0] for row in server.execute(sql)}
        plan = server.execute(
            "SELECT indexdef FROM pg_indexes"
            " WHERE tablename = 'index_document' AND indexdef LIKE '%gin%'"
        ).fetchall()
    with Searcher(paths_of(made).current) as searcher:
        index = searcher.index
        both = index.candidates(index.first(AllOf(("pl:pilot", "pl:jednostka")), 100))
        assert found == {candidate.key for candidate in both} != set()
    assert plan


def test_a_reader_stays_with_its_build_and_the_one_before_comes_back(
    made: Path, changed: Path, database: str
) -> None:
    publish(paths_of(made), database, None)
    first = title(database)
    with open_published(database) as reader:
        assert publish(paths_of(changed), database, None).build == 2
        ruling = reader.store.ruling("demo/one-pilot")
        assert ruling and ruling.texts[0].title == first
        assert title(database) == "Drugi tytuł"
    assert roll_back(database) == 1 and title(database) == first
    with pytest.raises(KbError, match="build 1 is current, and there is no build before it"):
        roll_back(database)
    publish(paths_of(made), database, None)
    assert schemas(database) == ["kb_1", "kb_3"]
    with pytest.raises(NotBuilt, match="gone"):
        open_published(database, 2)


def test_a_role_that_only_reads_reads_every_build(made: Path, changed: Path, database: str) -> None:
    guide = (PROJECT / "kb" / "help" / "publishing.md").read_text(encoding="utf-8")
    statements = re.findall(r"(?:CREATE ROLE|GRANT|ALTER DEFAULT) [^;`]*", guide)
    assert len(statements) == 3
    role = f"reader_of_{urlsplit(database).path[1:]}"
    with closing(connect(database)) as server:
        for statement in statements:
            server.execute(statement.replace("kb_reader", role))
    reading = f"{database}&options=-c%20role%3D{role}"
    for folder in (made, changed, made):
        publish(paths_of(folder), database, folder / "site")
        assert title(reading) == title(database)
    roll_back(database)
    assert title(reading) == "Drugi tytuł"
    with pytest.raises(KbError, match="refused: permission denied"):
        publish(paths_of(made), reading, None)


def test_pages_that_did_not_change_are_not_sent_again(
    made: Path, changed: Path, database: str
) -> None:
    publish(paths_of(made), database, made / "site")

    def sent() -> tuple[int, int]:
        with closing(connect(database)) as server:
            row = server.execute(
                "SELECT count(*), count(*) FILTER (WHERE xmin = (SELECT xmin FROM kb.current))"
                " FROM kb.content"
            )
            return row.fetchone()  # type: ignore[return-value]

    everything, new = sent()
    assert everything == new
    publish(paths_of(changed), database, changed / "site")
    after, again = sent()
    assert 0 < again < everything and after == everything + again
    publish(paths_of(changed), database, changed / "site")
    # Those that only the first build had are gone by now.
    assert sent() == (everything, 0)
    publish(paths_of(changed), database, None)
    publish(paths_of(changed), database, None)
    assert sent()[0] == 1


def test_a_publish_that_fails_leaves_what_was(made: Path, database: str) -> None:
    load_folder(database, paths_of(made).current)
    folder = paths_of(made).current

    def broken() -> Iterator[FileRows]:
        yield forms_file(folder)
        raise KbError("the site cannot be read")

    with pytest.raises(KbError, match="cannot be read"):
        load_build(database, folder, broken())
    twice = [forms_file(folder), forms_file(folder)]
    with pytest.raises(KbError, match="refused"):
        load_build(database, folder, twice)
    assert schemas(database) == ["kb_1"] and title(database)
    with pytest.raises(KbError, match="no build before"):
        roll_back(database)


def test_two_at_once(made: Path, database: str) -> None:
    load_folder(database, paths_of(made).current)
    with closing(connect(database)) as other, other.transaction():
        other.execute("SELECT pg_advisory_xact_lock(%s)", (0x6B62,))
        with pytest.raises(KbError, match="another publish is running"):
            load_folder(database, paths_of(made).current)
    assert load_folder(database, paths_of(made).current) == 2


def test_what_cannot_be_published_or_read(
    small_base: Path, tmp_path: Path, database: str, made: Path
) -> None:
    with pytest.raises(NotBuilt, match="nothing is published"):
        open_published(database)
    with pytest.raises(KbError, match="nothing is published"):
        roll_back(database)
    for data in (tmp_path / "data", small_base / "data"):
        with pytest.raises(KbError, match="--engine database"):
            publish(Paths(small_base / "rulings", data), database, None)
    with pytest.raises(KbError, match="no site"):
        publish(paths_of(made), database, tmp_path / "nothing")
    with pytest.raises(KbError, match="begins with postgresql") as told:
        open_published("mysql://me:secret@host/kb")
    with pytest.raises(KbError, match="cannot be reached") as unreached:
        open_published("postgresql+psycopg://me:secret@127.0.0.1:1/kb")
    assert "secret" not in str(told.value) + str(unreached.value)


def test_an_older_layout_is_told(made: Path, database: str) -> None:
    load_folder(database, paths_of(made).current)
    with closing(connect(database)) as server:
        server.execute(f"UPDATE {schema_name(1)}.about SET value = '0' WHERE name = 'layout'")
    with pytest.raises(NotBuilt, match="another version"):
        Store(open_build(database))


@pytest.mark.parametrize("number", [30, *thorough(0, 1, 100)])
def test_killed_at_any_moment_readers_see_a_whole_build(
    number: int, made: Path, changed: Path, database: str
) -> None:
    publish(paths_of(made), database, made / "site")
    before = title(database)

    def reads(event: str, arguments: tuple[object, ...]) -> bool:
        return event == "open" and str(arguments[0]).startswith(str(changed))

    again = partial(publish, paths_of(changed), database, changed / "site")
    assert is_killed_at(number, reads, again)
    assert title(database) == before
    with closing(connect(database)) as server:
        locks = "SELECT FROM pg_locks WHERE locktype = 'advisory'"
        until(lambda: server.execute(locks).rowcount == 0)
    assert again().build >= 2 and title(database) == "Drugi tytuł"
    assert len(schemas(database)) == 2


def build_of(url: str) -> int:
    with suppress(KbError):
        return current_build(reading_engine(url))
    return 0


@pytest.mark.thorough
def test_a_standby_reads_on_when_the_primary_stops(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with cluster() as primary, folder_for_server() as folder:
        publish(paths_of(made), primary.url, made / "site")
        standby: Cluster = primary.standby(folder)
        standby.start()
        try:
            hosts = f"{primary.folder},{standby.folder}"
            both = f"postgresql+psycopg://postgres@/postgres?host={hosts}"
            until(lambda: build_of(standby.url) == 1)
            with open_published(both) as reader, Searcher(paths_of(made).current) as here:
                expected = [replace(here.search(query), took_ms=0) for query in QUERIES]
                assert replace(reader.search(QUERIES[0]), took_ms=0) == expected[0]
                publish(paths_of(made), primary.url, made / "site")
                until(lambda: build_of(standby.url) == 2)
                primary.stop()
                assert [replace(reader.search(query), took_ms=0) for query in QUERIES] == expected
                with open_published(both) as new:
                    assert [replace(new.search(query), took_ms=0) for query in QUERIES] == expected
            with pytest.raises(KbError, match=r"refused|reached"):
                load_folder(standby.url, paths_of(made).current)
        finally:
            standby.stop()


def test_the_command_line(made: Path, database: str, tmp_path: Path, kb: RunCommand) -> None:
    def said_by(*words: str, code: int = 0) -> str:
        done = kb(*words, cwd=tmp_path, code=code, KB_DATA=str(made / "data"))
        return done.stdout + done.stderr

    assert "nothing is published" in said_by("search", "pilot", "--database", database, code=1)
    rulings = ("--rulings", str(made / "rulings"))
    said = said_by("publish", "--database", database, "--site", str(made / "site"), *rulings)
    assert re.search(r"build 1 is current, with \d+ files of the site", said)
    assert '"total": 3' in said_by("search", "pilot", "--json", "--database", database)
    assert "one-pilot" in said_by("show", "one-pilot", "--json", "--database", database)
    assert "Anakin Skywalker" in said_by("card", "anakin", "skywalker", "--database", database)
    assert "its own engine" in said_by(
        "search", "pilot", "--engine", "whoosh", "--database", database, code=1
    )
    assert "no build before" in said_by("publish", "--rollback", "--database", database, code=1)
    said_by("publish", "--database", database, *rulings)
    assert "build 1 is current again" in said_by("publish", "--rollback", "--database", database)
