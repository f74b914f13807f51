"""Exports that describe themselves: a table in the database, columns of CSV, a first line."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from kb.ingest.jsonl import read
from tests.command_line import RunCommand


def test_the_database_names_its_build_and_has_every_text(
    small_base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    path = tmp_path / "rulings.sqlite"
    kb("export", "--format", "sqlite", "--output", str(path), cwd=small_base)
    with closing(sqlite3.connect(path)) as db:
        about = dict(db.execute("SELECT name, value FROM about"))
        assert about["build"] and about["date"] and about["licence"]
        texts = db.execute(
            "SELECT lang, title FROM text JOIN ruling ON ruling_key = key"
            " WHERE id = 'one-pilot' ORDER BY text.position"
        ).fetchall()
        assert texts == [("pl", "Jeden pilot na jednostce"), ("en", "One pilot per unit")]


def test_json_lines_have_every_ruling_and_may_begin_with_their_build_and_licence(
    small_base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    plain = kb("export", cwd=small_base).stdout
    lines = [*map(json.loads, plain.splitlines())]
    assert {line["id"]: line["superseded_by"] for line in lines}["old-answer"] == ["one-pilot"]
    keys = "id game kind authority status date topics cards sources title text"
    keys += " supersedes superseded_by related url"
    assert len(lines) == 5 and {*keys.split()} <= lines[0].keys()
    first, rest = kb("export", "--header", cwd=small_base).stdout.split("\n", 1)
    about = json.loads(first)["export"]
    assert rest == plain and about["build"] and about["licence"]
    path = tmp_path / "rulings.jsonl"
    kb("export", "--header", "--output", str(path), cwd=small_base)
    drafts = read([path])
    assert [draft.id for draft in drafts.drafts] == [line["id"] for line in lines]
    assert not drafts.skipped


def test_csv_has_a_row_for_each_text_and_the_mark_that_spreadsheets_need(
    small_base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    path = tmp_path / "rulings.csv"
    kb("export", "--format", "csv", "--output", str(path), cwd=small_base)
    assert path.read_bytes().startswith(b"\xef\xbb\xbfgame,id,")
    printed = kb("export", "--format", "csv", cwd=small_base).stdout
    assert path.read_text(encoding="utf-8-sig") == printed and "ę" in printed
    rows = list(csv.DictReader(io.StringIO(printed)))
    assert len(rows) == 10 and {row["lang"] for row in rows} == {"pl", "en"}
    assert len({row["build"] for row in rows}) == 1
