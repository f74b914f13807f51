"""Files of junk cost seconds and little memory, and are named in a few lines."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.core.problems import MAX_PROBLEMS, FileProblems, Problem
from kb.records.parse import read_cards, read_ruling, read_sources
from kb.records.syntax import MAX_BYTES
from tests.conftest import GOOD

_HEAD = b"name\tversion\tset\ttype\tside\tsubtypes\tother_names\n"


def _ruling(data: bytes) -> list[Problem]:
    return read_ruling(data, "x.md", "demo", "pilots")[1]


def _cards(data: bytes) -> list[Problem]:
    return read_cards(data, "x.md", "{name} ({version})")[1]


def _sources(data: bytes) -> list[Problem]:
    return read_sources(data, "x.md")[1]


JUNK: dict[str, tuple[Callable[[bytes], list[Problem]], Callable[[int], bytes]]] = {
    "headings": (_ruling, lambda size: b"---\nkind: x\n---\n" + b"# x\n" * min(size // 4, 90_000)),
    "keys": (_ruling, lambda size: b"---\n" + b"k: v\n" * min(size // 5, 70_000) + b"---\n"),
    "rows": (_cards, lambda size: _HEAD + b"x\n" * (size // 2)),
    "same cards": (_cards, lambda size: _HEAD + b"x\t\t\t\t\t\t\n" * (size // 8)),
    "entries": (_sources, lambda size: b"- a: b\n" * min(size // 7, 99_000)),
}


@pytest.mark.parametrize("name", JUNK)
def test_problems_of_a_file_are_counted_after_the_first(name: str) -> None:
    read, make = JUNK[name]
    problems = read(make(60_000))
    assert 1 <= len(problems) <= MAX_PROBLEMS + 1
    if len(problems) > MAX_PROBLEMS:
        assert "more problems in this file" in problems[-1].message
        assert sorted(problems)[-1] == problems[-1]


_MEASURE = """
import resource, sys
from tests.records.test_large_files import JUNK
read, make = JUNK[sys.argv[1]]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
problems = read(make(7_800_000))
print(len(problems), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["keys", "same cards"])
def test_a_file_of_junk_takes_little_memory(name: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _MEASURE, name], check=True, capture_output=True, text=True
    )
    problems, kilobytes = map(int, run.stdout.split())
    assert problems <= MAX_PROBLEMS + 1 and kilobytes < 150_000, run.stdout


def test_the_count_is_exact() -> None:
    problems = FileProblems()
    problems.extend(Problem("x", line, "m") for line in range(1, 2_501))
    listed = problems.listed()
    assert len(listed) == MAX_PROBLEMS + 1
    assert listed[-1] == Problem("x", MAX_PROBLEMS + 1, "1,500 more problems in this file")


def test_a_sparse_file_and_junk_are_not_read_whole(tmp_path: Path) -> None:
    """In a process with little memory: 10 GB that take no room, and 90 MB of junk."""
    shutil.copytree(GOOD, tmp_path / "rulings")
    game = tmp_path / "rulings" / "demo"
    for path in (game / "pilots" / "huge.md", game / "cards.tsv"):
        with path.open("wb") as file:
            file.truncate(10_000_000_000)
    for number in range(6):
        with (game / "pilots" / f"junk{number}.md").open("wb") as file:
            file.write(b"\x00\xff" * (MAX_BYTES // 2 - 10))
    (tmp_path / "loose").mkdir()
    shutil.move(game / "pilots" / "junk0.md", tmp_path / "loose")
    with (tmp_path / "loose" / "huge.md").open("wb") as file:
        file.truncate(10_000_000_000)

    def little_memory() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (600_000_000, 600_000_000))

    for folder in ("rulings", "loose"):
        run = subprocess.run(
            [sys.executable, "-m", "kb", "check", str(tmp_path / folder)],
            check=False,
            capture_output=True,
            text=True,
            preexec_fn=little_memory,
        )
        assert run.returncode == 1, run.stderr
        assert "Traceback" not in run.stderr
        assert "huge.md:1: is larger than 16 MB" in run.stdout
