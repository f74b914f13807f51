"""The table of a ruling's fields: everything that lists them follows it."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import kb
from kb.records.draft import KEYS, LISTS, PAIRS
from kb.records.fields import FIELDS, HEADER_FIELDS, Header, markdown_table
from kb.records.model import HeaderModel
from kb.search.query import FILTERS

# Lines put into the header's table, right before `formerly`.
NEW_FIELDS = """
    mood: ShortText = _field("how the judge felt", default="", since="9.9")
    tags: Lines = _field("words to find it by", default=())
"""
# Runs in a copy of the package that has them.
SCRIPT = """
import json, sys
from pathlib import Path
from kb.records.library import load
from kb.records.draft import KEYS, LISTS, parse_draft
from kb.records.patch import patch_text
from kb.records.fields import markdown_table
from kb.serialize.export import jsonl_lines
from kb.serialize.ruling import stored_ruling_to_json
from kb.serialize.schema import ruling_model, schema
from kb.serialize.api_answers import Ruling
from kb.store.load import build_store
from kb.store.queries import Store

root, store_path = Path(sys.argv[1]), Path(sys.argv[2])
wrong, library = load(root / "wrong"), load(root / "right")
ruling = library.rulings["demo/example"]
build_store(library, store_path)
with Store(store_path) as store:
    stored = store.ruling("demo/example")
shown = stored_ruling_to_json(stored)
exported = next(line for line in map(json.loads, jsonl_lines(library)) if line["id"] == "example")
text = Path(ruling.path).read_text(encoding="utf-8")
draft, _ = parse_draft(text)
described = schema()["$defs"]
Ruling.model_validate(shown)
print(json.dumps({
    "problems": [str(problem) for problem in [*library.problems, *wrong.problems]],
    "read": [ruling.header.mood, ruling.header.tags],
    "stored": [stored.mood, stored.tags],
    "same": shown == exported,
    "shown": [shown["mood"], shown["tags"]],
    "schema": sorted(described["ruling"]["properties"]) == sorted(shown),
    "header schema": [described["header"]["properties"][name]["type"] for name in ("mood", "tags")],
    "model": ruling_model().model_fields["mood"].description,
    "form": [draft.header["mood"], list(draft.header["tags"]), "mood" in KEYS, "tags" in LISTS],
    "unchanged": patch_text(text, draft) == text,
    "guide": [row for row in markdown_table().splitlines() if "`mood`" in row],
}))
"""


def test_a_field_is_a_line_of_the_table(good_root: Path, tmp_path: Path) -> None:
    shutil.copytree(Path(kb.__file__).parent, tmp_path / "code" / "kb")
    table = tmp_path / "code" / "kb" / "records" / "fields.py"
    source = table.read_text(encoding="utf-8")
    before = "    formerly: Slugs"
    assert source.count(before) == 1
    table.write_text(
        source.replace(before, f"{NEW_FIELDS.strip(chr(10))}\n{before}"), encoding="utf-8"
    )
    for name, mood in (("right", "calm"), ("wrong", "x" * 201)):
        shutil.copytree(good_root, tmp_path / "records" / name)
        path = tmp_path / "records" / name / "demo" / "pilots" / "example.md"
        text = path.read_text(encoding="utf-8")
        header = f"mood: {mood}\ntags:\n  - ships\n  - crews\n"
        path.write_text(text.replace("example-of:", f"{header}example-of:"), encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "records"), str(tmp_path / "kb.sqlite")],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "code")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.returncode, run.stderr
    result = json.loads(run.stdout)
    (problem,) = result.pop("problems")
    assert "wrong/demo/pilots/example.md:9: mood: String should have at most 200" in problem
    values = ["calm", ["ships", "crews"]]
    assert result == {
        "read": values,
        "stored": values,
        "same": True,
        "shown": values,
        "schema": True,
        "header schema": ["string", "array"],
        "model": "how the judge felt",
        "form": [*values, True, True],
        "unchanged": True,
        "guide": ["| `mood` | text |  | 9.9 | how the judge felt |"],
    }


def test_the_table_and_what_checks_it_agree() -> None:
    names = [field.name for field in dataclasses.fields(Header)]
    assert names == [field.name for field in HEADER_FIELDS] == list(HeaderModel.model_fields)
    assert tuple(field.key for field in HEADER_FIELDS) == KEYS
    assert {*LISTS, *PAIRS} < set(KEYS) and {"about", "topics"} <= LISTS
    assert {"translated-from"} == PAIRS
    assert len({field.name for field in FIELDS}) == len(FIELDS) == 30


def test_filters_are_those_of_a_query() -> None:
    assert {name for field in FIELDS for name in field.filters} == set(FILTERS)


def test_table_for_the_guide() -> None:
    rows = markdown_table().splitlines()
    assert len(rows) == len(HEADER_FIELDS) + 2
    assert all(row.count("|") == 6 for row in rows)
    assert "| `effective-until` | date | `asof:` | 0.1 | the first day on which" in "\n".join(rows)
