"""The header's YAML and the sections of a record."""

from __future__ import annotations

import pytest

from kb.records.syntax import parse_yaml, split_record
from kb.records.tables import read_cards


def test_values_stay_what_was_typed() -> None:
    document, problems = parse_yaml("a: yes\nb: 1.10\nc: 2003-01-01\nd: ~\ne: 0x10\nf:\n", "x")
    assert not problems
    values = {"a": "yes", "b": "1.10", "c": "2003-01-01", "d": "~", "e": "0x10", "f": ""}
    assert document.value == values


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: b\n---\nc: d\n", 2, "second YAML document"),
        ("? [a]\n: b\n", 1, "a key must be a plain word"),
    ],
)
def test_refused(text: str, line: int, words: str) -> None:
    _, [problem] = parse_yaml(text, "x")
    assert words in problem.message and problem.line == line


def test_headings_in_code_are_text() -> None:
    text = "---\nkind: x\n---\n# pl: T\n\n```\n# en: not a section\n```\n"
    parts, problems = split_record(text, "x")
    assert not problems and parts is not None
    assert [section.lang for section in parts.texts] == ["pl"]


_ALL_COLUMNS = "name\tversion\tset\ttype\tside\tsubtypes\tother_names"


@pytest.mark.parametrize(
    ("text", "cards", "line"),
    [
        (f"{_ALL_COLUMNS}\n{'x' * 501}\t\t\t\t\t\t", [], 2),
        (f"{_ALL_COLUMNS}\nA\t\t\t\t\t\tB; {'x' * 501}", [], 2),
        ("name\nOne\nTwo", ["One", "Two"], 0),
        ("keywords\tversion\tname\nRare\tA\tOne", ["One (A)"], 0),
        ("name\tversion\tkeywords\nOne\tA\nTwo", ["One (A)"], 3),
        ("name\tname\nOne\tA", [], 1),
        ("version\nA", [], 1),
    ],
)
def test_the_columns_of_cards(text: str, cards: list[str], line: int) -> None:
    read, problems = read_cards(text.encode(), "c", "{name} ({version})")
    assert [card.label for card in read] == cards
    assert [problem.line for problem in problems] == ([line] if line else [])
