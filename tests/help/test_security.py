"""The table of attacks in the guide on security names tests that exist, with their numbers."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import unidata_version

import pytest

from kb.commands.guides import GUIDES

# The version that the numbers in the table are of: that of Python 3.11.
_UNICODE = "14.0.0"
_PROJECT = Path(__file__).parent.parent.parent
_FILES = re.compile(r"tests/[\w/.]+")
_SELECTED = re.compile(r'-k (?:"([^"]+)"|(\S+))')


class Row(NamedTuple):
    """An attack: how many were tried, how many failed, and the arguments of pytest."""

    attack: str
    tried: str
    failed: str
    test: str


def rows() -> Iterator[Row]:
    text = (GUIDES / "security.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if len(cells) == 4 and "tests/" in cells[3]:
            yield Row(*cells)


ROWS = list(rows())


def _files(row: Row) -> Iterator[Path]:
    for name in _FILES.findall(row.test):
        path = _PROJECT / name
        yield from sorted(path.glob("test_*.py")) if path.is_dir() else [path]


def selected(row: Row) -> Iterator[Any]:
    """The functions that pytest would run for a row: `-k` with names and `or`."""
    found = _SELECTED.search(row.test)
    parts = (found[1] or found[2]).split(" or ") if found else [""]
    for file in _files(row):
        name = file.relative_to(_PROJECT).with_suffix("").as_posix().replace("/", ".")
        try:
            module = importlib.import_module(name)
        except pytest.skip.Exception as reason:
            pytest.skip(str(reason))
        for name, value in vars(module).items():
            is_own = getattr(value, "__module__", "") == module.__name__
            if is_own and name.startswith("test_") and any(part in name for part in parts):
                yield value


def count(test: Any) -> int:
    """How many attacks a test makes: as it says, else its cases."""
    marks = getattr(test, "pytestmark", [])
    cases = prod(len(list(mark.args[1])) for mark in marks if mark.name == "parametrize")
    return int(getattr(test, "attacks", cases))


def is_thorough(test: Any) -> bool:
    marks = list(getattr(test, "pytestmark", []))
    cases = [case for mark in marks if mark.name == "parametrize" for case in mark.args[1]]
    marks += [mark for case in cases for mark in getattr(case, "marks", ())]
    return any(mark.name == "thorough" for mark in marks)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.attack)
def test_the_table_has_the_numbers_of_the_tests(row: Row) -> None:
    assert all(file.is_file() for file in _files(row))
    tests = list(selected(row))
    assert tests, "no test is selected"
    tried = sum(map(count, tests))
    if row.tried != "every module":
        written = int(row.tried.replace(",", ""))
        newer = unidata_version > _UNICODE and any(getattr(t, "of_unicode", False) for t in tests)
        assert tried > written if newer else tried == written
    assert row.failed == "0"
    # The command runs all that is counted.
    assert ("--all" in row.test) == any(map(is_thorough, tests))


def test_the_table_is_read() -> None:
    assert len(ROWS) > 25
