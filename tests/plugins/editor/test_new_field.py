"""A new field of rulings is edited too."""

from __future__ import annotations

from pathlib import Path

from tests.records.test_new_field import program, use  # noqa: F401

# Edits a ruling of the base in its folder; prints form, problems and record as JSON.
EDIT = """
import json
from pathlib import Path
from tests.command_line import call_kb
from tests.plugins.editor.test_editor import Judge, application, with_

call_kb("build", cwd=Path.cwd())
judge = Judge(application(Path.cwd()))
page = judge.client.get("/edit/demo/one-pilot").text
form = page.partition('data-key="difficulty"')[2].partition("</select>")[0]
opened = judge.opened()
saved = judge.save(opened, **with_(opened, difficulty="expert")).json()["problems"]
record = Path("rulings/demo/pilots/one-pilot.md").read_text(encoding="utf-8")
print(json.dumps([form, saved, record]))
"""


def test_a_new_field_is_edited(program: Path, tmp_path: Path) -> None:  # noqa: F811
    form, saved, record = use(program, tmp_path / "base", EDIT)
    assert form.count("<option") == 3 and saved == [] and "\ndifficulty: expert\n" in record
