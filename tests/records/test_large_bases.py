"""A base whose every ruling has problems with the others is reported in bounded output and time."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kb.commands.check import check_records
from kb.core import problems as core_problems
from kb.core.problems import MAX_LISTED, BaseProblems, Problem
from kb.records.library import load
from tests.conftest import GOOD

# Every fault that a ruling may have with another: unknown names, taken and former ids, a cycle,
# two current answers, the same question, texts that repeat each other.
_RULING = """---
kind: ruling
authority: official
status: current
about:
  - Nobody {group}
topics:
  - pilots
sources:
  - no-such-document#{group}
date: 2003
supersedes:
  - r{next}
  - none-{group}
related:
  - gone-{group}
formerly:
  - old-name
  - r{next}
---

# pl: Pilot {group}

Pilota wolno przenieść na jednostkę w strefie budowy. Wyraz{group}.

# en: Pilot {group}

A pilot may be moved to a unit in the build zone, word{group} and other{group}.
"""


def faulty(folder: Path, count: int) -> Path:
    """Write a base of so many rulings, each with the same faults; every fourth id is taken."""
    root = folder / "rulings"
    shutil.copytree(GOOD, root)
    for number in range(count):
        text = _RULING.format(group=number % 40, next=(number + 1) % count)
        (root / "demo" / "pilots" / f"r{number}.md").write_text(text, encoding="utf-8")
        if number % 4 == 0:
            (root / "demo" / "errata" / f"r{number}.md").write_text(text, encoding="utf-8")
    return root


def test_problems_between_rulings_are_counted_after_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = faulty(tmp_path, 24)
    everything = load(root)
    files = {problem.path for problem in everything.problems}
    assert len(everything.problems) > 200
    monkeypatch.setattr(core_problems, "MAX_LISTED", 50)
    library = load(root)
    assert len(library.problems) == 51
    rest = len(everything.problems) - 50
    assert library.problems[0].path == root.as_posix()
    assert f"{rest:,} more problems in" in library.problems[0].message
    # What has a problem is left out, whether the problem is listed or not.
    assert library.left_out == everything.left_out and library.rulings == everything.rulings
    # The problems of one file or folder are listed whoever else has some.
    for path in sorted(files)[-2:]:
        expected = tuple(problem for problem in everything.problems if problem.path == path)
        assert check_records([Path(path)]).problems == expected[:50]
        assert set(check_records([Path(path)], strict=True).problems) >= set(expected)
    assert len(check_records([root]).problems) == 51
    assert len(check_records([], root, strict=True).problems) == 51


def test_the_files_of_unlisted_problems_are_known() -> None:
    problems = BaseProblems(Path("rulings"), [Path("rulings/a.md")])
    problems.extend(Problem(f"rulings/{name}.md", 7, "wrong") for name in "ab")
    problems.extend(Problem("rulings/a.md", line, "wrong") for line in range(1, 3_001))
    assert problems.paths == {"rulings/a.md", "rulings/b.md"}
    listed = problems.listed()
    assert {problem.path for problem in listed} == {"rulings/a.md"}
    assert listed[0].message.startswith("2,000 more problems in a file")


@pytest.mark.thorough
def test_a_faulty_base_of_five_thousand_rulings(tmp_path: Path) -> None:
    root = faulty(tmp_path, 5_000)

    def bounds() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (1_000_000_000, 1_000_000_000))
        resource.setrlimit(resource.RLIMIT_CPU, (90, 90))

    run = subprocess.run(
        [sys.executable, "-m", "kb", "check", str(root)],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=bounds,
    )
    assert run.returncode == 1, run.stderr
    lines = run.stdout.splitlines()
    assert len(lines) == MAX_LISTED + 1 and len(run.stdout) < 2_000_000
    assert "more problems in" in lines[0]
