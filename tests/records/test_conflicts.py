"""A merge conflict that nobody has resolved is told by its line, in every file of a base."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.records.library import load
from kb.records.site_config import read_site_files

RECORD = "rulings/demo/pilots/one-pilot.md"
FILES = (
    *(f"rulings/demo/{name}" for name in ("game.yaml", "sources.yaml", "terms.yaml")),
    *(f"rulings/demo/{name}" for name in ("diagrams.yaml", "cards.tsv", "questions.tsv")),
    *(RECORD, "site.yaml", "pages/about.md"),
)
CONFLICT = "<<<<<<< HEAD\n{0}\n||||||| 1234567\n=======\n{0}\n>>>>>>> pepa\n"
# What is left when somebody has resolved half of it.
HALVES = ("{0}\n=======\n{0}\n>>>>>>> pepa\n", "||||||| 1234567\n{0}\n", "<<<<<<<\n{0}\n{0}\n")
MARKS = ("<" * 7, "|" * 7, ">" * 7)


def problem_lines(base: Path, name: str) -> list[int]:
    files = read_site_files(base / "rulings", ["demo"])
    problems = [*load(base / "rulings").problems, *files.problems]
    of_file = [problem for problem in problems if problem.path.endswith(name)]
    assert all("a merge conflict that nobody has resolved" in one.message for one in of_file)
    return [problem.line for problem in of_file]


@pytest.mark.parametrize(
    ("name", "conflict"),
    [*((name, CONFLICT) for name in FILES), *((RECORD, half) for half in HALVES)],
)
def test_a_conflict_is_told_in_every_file(name: str, conflict: str, records: Path) -> None:
    path = records.parent / name
    path.parent.mkdir(exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else "# en: X\n\nText.\n"
    *lines, last = before.splitlines()
    rows = conflict.format(last).split("\n")
    path.write_text("\n".join([*lines, *rows]), encoding="utf-8", newline="\r\n")
    first = next(at for at, row in enumerate(rows, 1) if row[:7] in MARKS)
    assert problem_lines(records.parent, name) == [len(lines) + first]


def test_every_conflict_of_a_file_is_told_and_quotes_are_none(records: Path) -> None:
    path = records.parent / RECORD
    good = path.read_text(encoding="utf-8")
    conflict = CONFLICT.format("a")
    path.write_text(f"{good}\n{conflict}\n{conflict}", encoding="utf-8")
    end = good.count("\n")
    assert problem_lines(records.parent, path.name) == [end + 2, end + 9]
    path.write_text(f"{good}\n>>>>>>>> deep\n\n<<<<<<<x\n", encoding="utf-8")
    assert not load(records).problems
