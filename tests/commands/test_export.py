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
    base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    path = tmp_path / "rulings.sqlite"
    kb("export", "--format", "sqlite", "--output", str(path), cwd=base)
    with closing(sqlite3.connect(path)) as db:
        about = dict(db.execute("SELECT name, value FROM about"))
        assert about["build"] and about["date"] and about["licence"]
        texts = db.execute(
            "SELECT lang, title FROM text JOIN ruling ON ruling_key = key"
            " WHERE id = 'one-pilot' ORDER BY text.position"
        ).fetchall()
        assert texts == [("pl", "Jeden pilot na jednostce"), ("en", "One pilot per unit")]


def test_json_lines_may_begin_with_their_build_and_licence(
    base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    plain = kb("export", cwd=base).stdout
    first, rest = kb("export", "--header", cwd=base).stdout.split("\n", 1)
    assert rest == plain
    about = json.loads(first)["export"]
    rows = list(csv.DictReader(io.StringIO(kb("export", "--format", "csv", cwd=base).stdout)))
    assert {row["build"] for row in rows} == {about["build"]}
    assert about["licence"]
    path = tmp_path / "rulings.jsonl"
    for _ in range(2):
        # An export with a header counts as one, and may be overwritten.
        kb("export", "--header", "--output", str(path), cwd=base)
    with_header = read([path])
    path.write_text(plain, encoding="utf-8")
    without = read([path])
    assert len(with_header.skipped) == len(without.skipped)
    assert [draft.id for draft in with_header.drafts] == [draft.id for draft in without.drafts]


def test_a_file_of_csv_has_the_mark_that_spreadsheets_need(
    base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    path = tmp_path / "rulings.csv"
    for _ in range(2):
        kb("export", "--format", "csv", "--output", str(path), cwd=base)
    assert path.read_bytes().startswith(b"\xef\xbb\xbfgame,id,")
    printed = kb("export", "--format", "csv", cwd=base).stdout
    assert path.read_text(encoding="utf-8-sig") == printed and "ę" in printed


def test_every_ruling_and_text_is_exported(base: Path, kb: RunCommand) -> None:
    rows = list(csv.DictReader(io.StringIO(kb("export", "--format", "csv", cwd=base).stdout)))
    assert len(rows) == 10 and {row["lang"] for row in rows} == {"pl", "en"}
    lines = [*map(json.loads, kb("export", cwd=base).stdout.splitlines())]
    assert {line["id"]: line["superseded_by"] for line in lines}["old-answer"] == ["one-pilot"]
    keys = "id game kind authority status date topics cards sources title text"
    keys += " supersedes superseded_by related url"
    assert len(lines) == 5 and {*keys.split()} <= lines[0].keys()
