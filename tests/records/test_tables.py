"""Tables: read as a spreadsheet leaves them, written line by line, and the questions of rulings."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.problems import Problem
from kb.records.library import load
from kb.records.tables import read_questions, read_table, with_added, with_replaced, with_rows

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


HEAD = "ruling\tlang\tquestion\n"
FILE = (
    HEAD + "# Questions of a club night.\nb-two\tpl\tkto?\nb-two\tpl\tco?\n"
    "# said in a hurry\nb-two\ten\twho?\n\n# The third.\nd-four\ten\twhat?\nd-four\ten\tx\n"
)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("asked", "old", "new"),
    [
        ({"b-two": {"pl": ["kto?", "co?"], "en": ["who?"]}}, "", ""),
        ({"b-two": {"pl": ["co?"], "en": ["who?"]}}, "b-two\tpl\tkto?\n", ""),
        ({"d-four": {}, "c": {}}, "d-four\ten\twhat?\n", ""),
        (
            {"b-two": {"pl": ["kto?", "co?", "jak?"], "en": ["who?"]}},
            "pl\tco?\n",
            "pl\tco?\nb-two\tpl\tjak?\n",
        ),
        ({"a-one": {"en": ["one?"]}}, "# Questions of", "a-one\ten\tone?\n# Questions of"),
        ({"c-three": {"en": ["3?"]}}, "\n# The third", "c-three\ten\t3?\n\n# The third"),
        ({"e-five": {"en": ["5?"]}}, "d-four\ten\tx\n", "d-four\ten\tx\ne-five\ten\t5?\n"),
        ({"d-four": {"en": ["why?"]}}, "what?", "why?"),
    ],
)
def test_only_the_lines_of_a_ruling_change(
    asked: dict[str, dict[str, list[str]]], old: str, new: str, end: str
) -> None:
    expected, given = FILE.replace(old, new, 1), FILE.replace("\n", end)
    assert with_replaced(given, asked) == expected.replace("\n", end)
    assert with_replaced(given[: -len(end)], asked) == expected.replace("\n", end)


def test_a_question_is_added_once_and_never_hidden() -> None:
    assert with_added(FILE, {"b-two": {"pl": ["Kto", "nowe"]}}).count("kto?\n") == 1
    with pytest.raises(ValueError, match=r"U\+200B"):
        with_added(FILE, {"b-two": {"pl": ["a\u200b?"]}})
    assert with_added("", {"a": {"en": ["a\ttab  in it?"]}}) == HEAD + "a\ten\ta tab in it?\n"


LINE = st.text(st.sampled_from("ab \t#?\n"), max_size=12)


@given(st.lists(LINE, max_size=8), st.dictionaries(st.sampled_from("abc"), st.just({"en": ["ok"]})))
def test_what_is_written_is_read_back(
    lines: list[str], asked: dict[str, dict[str, list[str]]]
) -> None:
    text = with_replaced(HEAD + "\n".join(lines), asked)
    questions, _ = read_questions(text.encode(), "x")
    for name in asked:
        assert [one[1:3] for one in questions if one.ruling == name] == [("en", "ok")]
    assert with_replaced(text, asked) == text


def test_questions_belong_to_their_rulings(records: Path) -> None:
    file = records / "demo" / "questions.tsv"
    file.write_text(HEAD + "one-pilot\tpl\tilu?\none-pilot\ten\thow many?\n", encoding="utf-8")
    library = load(records)
    assert not library.problems
    asked = {"pl": ("ilu?",), "en": ("how many?",)}
    assert library.rulings["demo/one-pilot"].asked_as == asked
    # A problem of a question leaves its ruling in the base.
    file.write_text(HEAD + "one-pilot\tru\tсколько?\nnone\tpl\tilu?\n", encoding="utf-8")
    library = load(records)
    assert [problem.line for problem in library.problems] == [2, 3]
    assert "demo/one-pilot" in library.rulings
