"""A field that is shown and filtered is added in six files of the program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kb
from tests.browsers import run_node
from tests.conftest import GOOD

ROOT = Path(kb.__file__).parent.parent
WORDS = {
    "pl": {"Difficulty": "Trudność", "novice": "początkujący"},
    "sk": {"Difficulty": "Obtiažnosť"},
    "cs": {"Difficulty": "Obtížnost"},
    "ru": {"Difficulty": "Сложность"},
}
CHOICES = 'Difficulty = Literal["novice", "expert"]\n'
FIELD = """
    difficulty: Difficulty | None = _field(
        "who will ask for it", default=None, filters=["difficulty"], label="Difficulty"
    )
"""
# Uses the program on the base in its folder: prints what commands and the server answer, as JSON.
USE = """
import json, re
from pathlib import Path
from tests.command_line import call_kb
from starlette.testclient import TestClient
from kb.pipeline.paths import Paths
from kb.pipeline.builds import FolderBuilds
from tests.serving import site

def kb(*words):
    return call_kb(*words, cwd=Path.cwd()).stdout

kb("build")
shown, data = kb("show", "one-pilot"), kb("show", "one-pilot", "--json")
found = kb("search", "pilot difficulty:novice", "--json")
listed = []
builds = FolderBuilds(Paths(Path("rulings"), Path(".kb/rulings")))
with TestClient(site(Path("site"), builds=builds), base_url="http://127.0.0.1") as client:
    for value in ("novice", "expert", "hard"):
        answer = client.get("/api/v1/rulings", params={"difficulty": value})
        listed.append(answer.status_code)
        if answer.status_code == 200:
            listed.append([ruling["id"] for ruling in answer.json()["results"]])
record = Path("rulings/demo/pilots/one-pilot.md")
text = record.read_text(encoding="utf-8")
record.write_text(text.replace("novice", "hard"), encoding="utf-8")
print(json.dumps([shown, data, found, kb("check"), listed]))
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
    for lang, words in WORDS.items():
        catalogue = program / "templates" / "locale" / f"{lang}.po"
        with catalogue.open("a", encoding="utf-8") as file:
            file.writelines(f'\nmsgid "{word}"\nmsgstr "{text}"\n' for word, text in words.items())
    return program


def use(program: Path, base: Path, source: str) -> list[Any]:
    """Run a script with the program in a new base of the small game with the field."""
    records = shutil.copytree(GOOD, base / "rulings") / "demo" / "pilots"
    insert(records / "one-pilot.md", "date:", "difficulty: novice\n")
    path = os.pathsep.join([str(program), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", source],
        check=False,
        cwd=base,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


@pytest.mark.thorough
def test_a_new_field_is_shown_and_filtered(program: Path, tmp_path: Path) -> None:
    base = tmp_path / "base"
    shown, data, found, checked, listed = use(program, base, USE)
    assert "difficulty    novice" in shown and json.loads(data)["difficulty"] == "novice"
    assert [hit["id"] for hit in json.loads(found)["results"]] == ["one-pilot"]
    assert "difficulty: 'hard' is not one of 'novice' or 'expert'" in checked
    assert listed == [200, ["one-pilot"], 200, [], 422]
    for folder, label, value in (
        ("", "Difficulty", "novice"),
        ("pl/", "Trudność", "początkujący"),
    ):
        page = base / "site" / folder / "demo/rulings/one-pilot/index.html"
        row = page.read_text(encoding="utf-8").partition(f"<dt>{label}</dt>")[2]
        assert value in row.partition("</div>")[0]
    assert in_browser(base, "pilot -difficulty:novice", "difficulty:novice pilot") == [
        ["demo/example", "demo/pilot-build-zone"],
        ["demo/one-pilot"],
    ]


def in_browser(base: Path, *queries: str) -> list[list[str]]:
    """The keys of what the browser's search finds for each query, sorted."""
    core = next((base / "site" / "static").glob("search-core*.js"))
    asked = base / "queries.json"
    asked.write_text(json.dumps(queries), encoding="utf-8")
    index = next((base / "site").rglob("base.js")).parent
    loaded = ROOT / "tests" / "search" / "loaded.cjs"
    answers = run_node(loaded, core, index, asked)
    return [sorted(hit["key"] for hit in each["answer"]["hits"]) for each in answers]
