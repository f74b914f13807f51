"""The header's YAML and the sections of a record."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.records.parse import read_cards
from kb.records.syntax import decode, parse_yaml, split_record


def test_values_stay_what_was_typed() -> None:
    document, problems = parse_yaml("a: yes\nb: 1.10\nc: 2003-01-01\nd: ~\ne: 0x10\nf:\n", "x")
    assert not problems
    assert document.value == {
        "a": "yes",
        "b": "1.10",
        "c": "2003-01-01",
        "d": "~",
        "e": "0x10",
        "f": "",
    }


def test_lines_of_keys_and_items() -> None:
    document, _ = parse_yaml("a:\n  - x\n  - y\nb:\n  c: z\n", "x", offset=10)
    assert document.line(("a",)) == 11
    assert document.line(("a", 1)) == 13
    assert document.line(("b", "c")) == 15
    assert document.line(("b", "nothing")) == 14


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: &x b\n", 1, "an anchor"),
        ("a: b\nc: *x\n", 2, "an alias"),
        ("a: !!int 3\n", 1, "a tag"),
        ("a: b # c\n", 1, "text after # is lost"),
        ("a: b\na: c\n", 2, "key given twice"),
        ("a: b\n---\nc: d\n", 2, "second YAML document"),
        ("? [a]\n: b\n", 1, "a key must be a plain word"),
        ("a: [b\n", 1, "YAML"),
        ("\ta: b\n", 1, "a tab"),
    ],
)
def test_refused(text: str, line: int, words: str) -> None:
    _, problems = parse_yaml(text, "x")
    assert any(
        words in problem.message and abs(problem.line - line) <= 1 for problem in problems
    ), problems


def test_headings_in_code_are_text() -> None:
    parts, problems = split_record(
        "---\nkind: x\n---\n# pl: T\n\n```\n# en: not a section\n```\n", "x"
    )
    assert not problems and parts is not None
    assert [section.lang for section in parts.texts] == ["pl"]


def test_line_ends_and_byte_order_mark() -> None:
    assert decode("\ufeffa\r\nb\rc\n".encode(), "x") == ("a\nb\nc\n", [])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["pl", "sk", "en"]),
            st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1),
        )
    )
)
def test_sections_come_back(sections: list[tuple[str, str]]) -> None:
    text = "---\nkind: ruling\n---\n" + "".join(
        f"\n# {lang}: {title}\n\nText.\n" for lang, title in sections
    )
    parts, _ = split_record(text, "x")
    assert parts is not None
    assert [(one.lang, one.title) for one in parts.texts] == [
        (lang, title) for lang, title in sections
    ]


def test_a_card_with_an_endless_name_is_a_problem() -> None:
    columns = "name\tversion\tset\ttype\tside\tsubtypes\tother_names"
    for row in (f"{'x' * 501}\t\t\t\t\t\t", f"A\t\t\t\t\t\tB; {'x' * 501}"):
        cards, problems = read_cards(f"{columns}\n{row}\n".encode(), "c", "{name} ({version})")
        assert not cards and [problem.line for problem in problems] == [2]
