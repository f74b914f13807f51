"""Tables after a visit in a spreadsheet, and rows that are read back as they were written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.problems import Problem
from kb.records.tables import read_table, with_rows

COLUMNS = ("name", "set", "note")
Read = tuple[list[list[str]], list[tuple[int, str]]]


def read(text: str) -> Read:
    problems: list[Problem] = []
    table = list(read_table(text, "t", COLUMNS, problems, ["name"]))
    found = [(problem.line, problem.message) for problem in problems]
    return [list(cells.values()) for _, cells in table], found


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ('"Ayara, First"\tA\tx', ["Ayara, First", "A", "x"]),
        ('"Kongming, ""Sleeping Dragon"""\t\t', ['Kongming, "Sleeping Dragon"', "", ""]),
        ('"""Ach! Hans, Run!"""\t\t', ['"Ach! Hans, Run!"', "", ""]),
        ('Bolt\t""\t"Bolt; ""Zap"""', ["Bolt", "", 'Bolt; "Zap"']),
        ('"One" or "Two"\tA\t6" long', ['"One" or "Two"', "A", '6" long']),
        ("One\tA\tx\t\t", ["One", "A", "x"]),
        ("One\tA; B\tx, y", ["One", "A; B", "x, y"]),
    ],
)
def test_cells_are_read_as_excel_means_them(line: str, cells: list[str]) -> None:
    assert read(f"name\tset\tnote\n{line}") == ([cells], [])
    assert read(f'"name"\tset\tnote\t\t\n{line}\n"# a, comment"\t\t\n\t\t\n') == ([cells], [])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('"One\tA\tx', "never closed"),
        ('"One ""two""\tA\tx', "never closed"),
        ("One\tA", "2 columns instead of 3"),
        ("One;A;x", "1 column instead of 3"),
        ("One\tA\tx\ty", "4 columns instead of 3"),
    ],
)
def test_what_no_cell_can_be_is_named(line: str, message: str) -> None:
    rows, [(number, found)] = read(f"name\tset\tnote\nZero\t\t\n{line}\n")
    assert len(rows) == 1 and number == 3 and message in found


@pytest.mark.parametrize(("sign", "noun"), [(";", "semicolons"), (",", "commas")])
def test_csv_is_named(sign: str, noun: str) -> None:
    _, [(number, message)] = read(f"name{sign}set{sign}\nOne{sign}A{sign}\n")
    assert number == 1 and noun in message


CELL = st.text(st.sampled_from('ab",; ł'), max_size=8).map(lambda text: " ".join(text.split()))


@given(st.lists(st.tuples(st.just("x"), CELL, CELL), max_size=3), st.sampled_from(["\n", "\r\n"]))
def test_rows_are_read_back(rows: list[tuple[str, str, str]], end: str) -> None:
    before = f"note\tname\tset{end}kept\tas\tis{end}"
    values = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    text = with_rows(before, COLUMNS, values)
    assert text.startswith(before) and text.count("\n") == text.count(end)
    table, problems = read(text.replace("\r\n", "\n"))
    assert not problems
    assert table[1:] == [[note, name, card_set] for name, card_set, note in rows]
