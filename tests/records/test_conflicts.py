"""A merge conflict that nobody has resolved is told by its line, in every file of a base."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kb.records.library import load
from kb.records.site_config import read_site_files
from tests.conftest import GOOD

FILES = (
    "rulings/demo/game.yaml",
    "rulings/demo/sources.yaml",
    "rulings/demo/terms.yaml",
    "rulings/demo/diagrams.yaml",
    "rulings/demo/cards.tsv",
    "rulings/demo/questions.tsv",
    "rulings/demo/pilots/one-pilot.md",
    "site.yaml",
    "pages/about.md",
)
CONFLICT = "<<<<<<< HEAD\n{}\n||||||| 1234567\n=======\n{}\n>>>>>>> pepa\n"
# What is left when somebody has resolved half of it.
HALVES = ("{}\n=======\n{}\n>>>>>>> pepa\n", "||||||| 1234567\n{}\n", "<<<<<<<\n{}\n{}\n")


@pytest.fixture()
def base(tmp_path: Path) -> Path:
    shutil.copytree(GOOD, tmp_path / "rulings")
    (tmp_path / "site.yaml").write_text("name:\n  en: X\n", encoding="utf-8")
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "about.md").write_text("# en: X\n\nText.\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("conflict", [CONFLICT, *HALVES])
@pytest.mark.parametrize("name", FILES)
def test_a_conflict_is_told_in_every_file(name: str, conflict: str, base: Path) -> None:
    path = base / name
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else ["[]"]
    conflict = conflict.format(lines[-1], lines[-1])
    first = next(n for n, line in enumerate(conflict.split("\n")) if line[:7] in MARKS)
    text = "\n".join([*lines[:-1], conflict])
    path.write_text(text, encoding="utf-8", newline="\r\n")
    problems = [
        *load(base / "rulings").problems,
        *read_site_files(base / "rulings", ["demo"]).problems,
    ]
    of_file = [problem for problem in problems if problem.path.endswith(name)]
    assert [problem.line for problem in of_file] == [len(lines) + first]
    assert "a merge conflict that nobody has resolved" in of_file[0].message


MARKS = ("<" * 7, "|" * 7, ">" * 7)


def test_every_conflict_of_a_file_is_told_and_quotes_are_none(base: Path) -> None:
    path = base / FILES[6]
    good = path.read_text(encoding="utf-8")
    conflict = CONFLICT.format("a", "b")
    path.write_text(f"{good}\n{conflict}\n{conflict}", encoding="utf-8")
    problems = load(base / "rulings").problems
    assert [problem.line for problem in problems if problem.path.endswith(path.name)] == [
        good.count("\n") + 2,
        good.count("\n") + 9,
    ]
    path.write_text(f"{good}\n>>>>>>>> deep\n\n<<<<<<<x\n", encoding="utf-8")
    assert not load(base / "rulings").problems
