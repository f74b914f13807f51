"""Exports that describe themselves: a database with views, a data package, Datasette's metadata."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from kb.importers.jsonl import read
from tests.command_line import RunCommand


def test_the_database_has_views_search_and_descriptions(
    base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    path = tmp_path / "rulings.sqlite"
    kb("export", "--format", "sqlite", "--output", str(path), cwd=base)
    metadata = json.loads(kb("export", "--format", "datasette", cwd=base).stdout)
    tables = metadata["databases"]["rulings"]["tables"]
    with closing(sqlite3.connect(path)) as db:
        about = dict(db.execute("SELECT name, value FROM about"))
        assert about["build"] in metadata["description"] and metadata["license"] == about["licence"]
        for view, shown in tables.items():
            columns = [row[1] for row in db.execute(f"PRAGMA table_info({view})")]
            assert list(shown["columns"]) == columns
            assert all(shown["columns"].values()), view
            assert db.execute(f"SELECT count(*) FROM {view}").fetchone()[0]
        title, answer, cards, url = db.execute(
            "SELECT title, answer, cards, url FROM rulings WHERE key = 'demo/one-pilot'"
        ).fetchone()
        assert title == "Jeden pilot na jednostce" and "\n" not in answer
        assert json.loads(cards)[0] == "Anakin Skywalker"
        assert url == "demo/rulings/one-pilot/index.html"
        search = tables["ruling_texts"]
        keys = db.execute(
            f"SELECT key FROM ruling_texts WHERE {search['fts_pk']} IN"
            f" (SELECT rowid FROM {search['fts_table']} WHERE {search['fts_table']} MATCH 'zetony')"
        ).fetchall()
        assert keys == [("demo/one-pilot",)]


def test_json_lines_may_begin_with_their_build_and_licence(
    base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    plain = kb("export", cwd=base).stdout
    first, rest = kb("export", "--header", cwd=base).stdout.split("\n", 1)
    assert rest == plain
    about = json.loads(first)["export"]
    package = json.loads(kb("export", "--format", "datapackage", cwd=base).stdout)
    assert about["build"] == package["version"]
    assert about["licence"] == package["licenses"][0]["title"]
    path = tmp_path / "rulings.jsonl"
    for _ in range(2):
        # An export with a header counts as one, and may be overwritten.
        kb("export", "--header", "--output", str(path), cwd=base)
    with_header = read([path])
    path.write_text(plain, encoding="utf-8")
    without = read([path])
    assert len(with_header.skipped) == len(without.skipped)
    assert [draft.id for draft in with_header.drafts] == [draft.id for draft in without.drafts]


def test_the_data_package_describes_every_export(base: Path, kb: RunCommand) -> None:
    package = json.loads(kb("export", "--format", "datapackage", cwd=base).stdout)
    assert [resource["path"] for resource in package["resources"]] == [
        "rulings.csv",
        "rulings.jsonl",
        "rulings.sqlite",
    ]
    assert package["version"] and package["licenses"][0]["title"]
    rows = list(csv.DictReader(io.StringIO(kb("export", "--format", "csv", cwd=base).stdout)))
    fields = package["resources"][0]["schema"]["fields"]
    assert [field["name"] for field in fields] == list(rows[0])
    assert all(field["description"] for field in fields)
    assert {row["build"] for row in rows} == {package["version"]}
    assert len(rows) == 10 and {row["lang"] for row in rows} == {"pl", "en"}
    lines = [*map(json.loads, kb("export", cwd=base).stdout.splitlines())]
    description = package["resources"][1]["description"]
    assert all(f"{key}: " in description for key in lines[0])
    assert {line["id"]: line["superseded_by"] for line in lines}["old-answer"] == ["one-pilot"]
    keys = "id game kind authority status date topics cards sources title text"
    keys += " supersedes superseded_by related url"
    assert len(lines) == 5 and {*keys.split()} <= lines[0].keys()
