"""Exports describe themselves, and overwrite nothing that kb did not write."""

from __future__ import annotations

import csv
import io
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kb.commands.output_files import output_file
from kb.core import files
from kb.core.files import folder_lock
from kb.core.problems import KbError
from kb.ingest.jsonl import read
from tests.command_line import RunCommand

_RECORD = Path("rulings") / "demo" / "pilots" / "one-pilot.md"


def write(kind: str, path: Path, records: Path, *, force: bool = False) -> None:
    with output_file(path, kind, records, force=force) as file:
        file.write(b"new")


@pytest.fixture(scope="module")
def samples(
    small_base: Path, kb: RunCommand, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """The beginning of what the commands write, by kind, and other people's files."""
    folder = tmp_path_factory.mktemp("samples")
    for kind in ("jsonl", "csv", "sqlite"):
        kb("export", "--format", kind, "--output", str(folder / kind), cwd=small_base)
    kb("pack", "--output", str(folder / "html"), cwd=small_base)
    (folder / "record").write_bytes((small_base / _RECORD).read_bytes())
    (folder / "junk").write_bytes(bytes(range(256)) * 999)
    (folder / "json").write_bytes(b"[" * 100_000)
    (folder / "page").write_bytes(b"<!DOCTYPE html><title>Mine</title>")
    (folder / "printed").write_bytes(b"%PDF-1.4\n%%EOF\n")
    with closing(sqlite3.connect(folder / "database")) as db:
        db.execute("CREATE TABLE ruling (id)")
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("kind", ["html", "jsonl", "csv", "sqlite"])
def test_only_an_earlier_output_is_overwritten(
    kind: str, samples: dict[str, bytes], tmp_path: Path
) -> None:
    path, records = tmp_path / "out", tmp_path / "rulings"
    for name, content in samples.items():
        path.write_bytes(content)
        if name == kind:
            write(kind, path, records)
            assert path.read_bytes() == b"new"
            continue
        with pytest.raises(KbError, match="--force"):
            write(kind, path, records)
        assert path.read_bytes() == content
    write(kind, path, records, force=True)
    path.write_bytes(b"")
    write(kind, path, records)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("force", [False, True])
def test_no_file_among_the_records_is_written(force: bool, tmp_path: Path) -> None:
    records = tmp_path / "rulings"
    record = records / "demo" / "pilots" / "one.md"
    record.parent.mkdir(parents=True)
    record.write_text("mine", encoding="utf-8")
    (tmp_path / "folder-link").symlink_to(record.parent)
    for path in (
        record,
        records / "new" / "new.html",
        tmp_path / "outside" / ".." / "rulings" / "demo" / "new.html",
        tmp_path / "folder-link" / "one.md",
    ):
        with pytest.raises(KbError, match="among the records"):
            write("html", path, records, force=force)
    assert [path for path in records.rglob("*") if path.is_file()] == [record]
    assert record.read_text(encoding="utf-8") == "mine"


def test_the_commands_ask_for_force(fresh: Path, kb: RunCommand) -> None:
    other = fresh / "notes.html"
    for command in (["pack"], ["export", "--format", "csv"]):
        other.write_text("mine", encoding="utf-8")
        done = kb(*command, "--output", str(other), cwd=fresh, code=1)
        assert "--force" in done.stderr and other.read_text(encoding="utf-8") == "mine"
        kb(*command, "--output", str(other), "--force", cwd=fresh)
    assert "an .html file" in kb("pack", "--output", "pack.pdf", cwd=fresh, code=2).stderr
    kb("export", "--output", "/dev/null", cwd=fresh)
    assert not os.path.isfile("/dev/null")


def test_commands_that_save_wait_for_each_other(
    fresh: Path, kb: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported = kb("export", cwd=fresh).stdout
    (fresh / "in.jsonl").write_text(exported, encoding="utf-8")
    record = fresh / _RECORD
    record.write_text(record.read_text(encoding="utf-8").replace("# pl: ", "# pl: Nowy "), "utf-8")
    before = {path: path.read_bytes() for path in fresh.rglob("*.md")}
    monkeypatch.setattr(files, "_PATIENCE", 0)
    commands = (
        ["translated"],
        ["new", "demo", "pilots", "brand-new"],
        ["import", "jsonl", "in.jsonl", "--game", "demo", "--into", "rulings"],
    )
    with folder_lock(fresh / "rulings"):
        for command in commands:
            done = kb(*command, cwd=fresh, code=1)
            assert "another program is saving" in done.stderr
            assert before == {path: path.read_bytes() for path in fresh.rglob("*.md")}
    for command in commands:
        kb(*command, cwd=fresh)


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
