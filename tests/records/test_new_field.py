"""A field that is shown, filtered and edited is added in six files of the program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import kb

ROOT = Path(kb.__file__).parent.parent
LABELS = {"pl": "Trudność", "sk": "Obtiažnosť", "cs": "Obtížnost", "ru": "Сложность"}
CHOICES = 'Difficulty = Literal["novice", "expert"]\n'
FIELD = """
    difficulty: Difficulty | None = _field(
        "who will ask for it", default=None, filters=["difficulty"], label="Difficulty"
    )
"""
# Changes the field in the editor's form, as a browser does.
EDIT = """
import re, sys
from pathlib import Path
from tests.editor.test_editor import Judge, application, with_
judge = Judge(application(Path()))
page = judge.client.get("/edit/demo/one-pilot").text
print(*re.findall(r'<option[^>]*>', page.partition('data-key="difficulty"')[2].partition("</s")[0]))
opened = judge.opened()
print(judge.save(opened, **with_(opened, difficulty="expert")).json()["problems"])
"""


def insert(path: Path, before: str, text: str) -> None:
    """Insert a text where another one stands first."""
    whole = path.read_text(encoding="utf-8")
    assert before in whole
    path.write_text(whole.replace(before, text + before, 1), encoding="utf-8")


@pytest.fixture()
def program(tmp_path: Path) -> Path:
    """A copy of the program that knows one field more."""
    program = tmp_path / "program"
    skipped = shutil.ignore_patterns("__pycache__", "_data")
    for folder in ("kb", "templates"):
        shutil.copytree(ROOT / folder, program / folder, ignore=skipped)
    schema = program / "kb" / "records" / "fields.py"
    insert(schema, "KINDS: tuple", CHOICES)
    insert(schema, "\n\n@dataclass(frozen=True, kw_only=True)\nclass Identity", FIELD)
    for lang, label in LABELS.items():
        catalogue = program / "templates" / "locale" / f"{lang}.po"
        with catalogue.open("a", encoding="utf-8") as file:
            file.write(f'\nmsgid "Difficulty"\nmsgstr "{label}"\n')
    return program


def test_a_new_field_is_shown_filtered_and_edited(
    program: Path, good_root: Path, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    record = shutil.copytree(good_root, base / "rulings") / "demo" / "pilots" / "one-pilot.md"
    insert(record, "date:", "difficulty: novice\n")

    def run(*words: str, code: int = 0) -> str:
        path = os.pathsep.join([str(program), str(ROOT)])
        done = subprocess.run(
            [sys.executable, *words],
            check=False,
            cwd=base,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    run("-m", "kb", "build")
    assert json.loads(run("-m", "kb", "show", "one-pilot", "--json"))["difficulty"] == "novice"
    assert "difficulty    novice" in run("-m", "kb", "show", "one-pilot")
    page = "site/{}demo/rulings/one-pilot/index.html"
    for folder, label in (("", "Difficulty"), ("pl/", "Trudność")):
        html = (base / page.format(folder)).read_text(encoding="utf-8")
        row = html.partition(f"<dt>{label}</dt>")[2].partition("</div>")[0]
        assert "novice" in row
    found = json.loads(run("-m", "kb", "search", "pilot difficulty:novice", "--json"))
    assert [hit["id"] for hit in found["results"]] == ["one-pilot"]
    assert in_browser(base, "pilot -difficulty:novice", "difficulty:novice pilot") == [
        ["demo/example", "demo/pilot-build-zone"],
        ["demo/one-pilot"],
    ]
    options, problems = run("-c", EDIT).splitlines()
    assert options.count("<option") == 3 and problems == "[]"
    text = record.read_text(encoding="utf-8")
    assert "\ndifficulty: expert\n" in text
    record.write_text(text.replace("expert", "hard"), encoding="utf-8")
    assert "difficulty: 'hard' is not one of" in run("-m", "kb", "check", code=1)


def in_browser(base: Path, *queries: str) -> list[list[str]]:
    """The keys of what the browser's search finds for each query, sorted."""
    node = shutil.which("node")
    if not node:
        pytest.skip("no node: the browser's search was NOT tested")
    core = next((base / "site" / "static").glob("search-core*.js"))
    asked = base / "queries.json"
    asked.write_text(json.dumps(queries), encoding="utf-8")
    index = next((base / "site").rglob("base.js")).parent
    loaded = ROOT / "tests" / "search" / "loaded.cjs"
    done = subprocess.run(
        [node, loaded, core, index, asked], check=True, capture_output=True, text=True, timeout=60
    )
    return [
        sorted(hit["key"] for hit in each["answer"]["hits"]) for each in json.loads(done.stdout)
    ]
