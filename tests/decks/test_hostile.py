"""Deck lists that somebody writes to keep a server or a page busy."""

from __future__ import annotations

import pytest

from kb.core.problems import KbError
from kb.decks.parse import (
    BROKEN,
    JSON_LIST,
    LONG_LIST,
    MAX_LENGTH,
    MAX_LINES,
    as_lines,
    parse_deck,
)

# Each is repeated to the end of the line, after a name with a slip.
PIECES = [
    *("[a]", "{a}", "<a>", "*F*", "#1", "[a]<b>{c}", "*F*#1", "[a] ", " {}", "(a)", " (a) 1"),
    *(" 1", " x2", " x2 [a]", "2x ", "2 ", " | a", ", The", "The ", "SB: ", "- ", " 9 aus", " // "),
    *("1. ", "Hero: ", "Hero: 2 ", " JG 12", ") JG 12", "->", ", 2 ", " шт.;"),
    *(" 5 ANI dom 2 votes  x:4", " [a] 5 aus DOM", "[", "(", " (", "((a)", "[[a]]", "<<", " "),
]
MOST_READINGS = 30


@pytest.mark.parametrize("piece", PIECES)
def test_a_line_has_few_readings(piece: str) -> None:
    """Each reading that names no card is compared with all names of a game."""
    repeated = piece * MAX_LENGTH
    lines = (
        f"{before}Darth Sidiosu{middle}{repeated}"[: MAX_LENGTH - len(after)] + after
        for before in ("", "2 ", "2x ", f"{piece} ")
        for middle in ("", " ")
        for after in ("", " x2", " (2)", " [a]", " (a)", ", The")
    )
    assert max(len(line.readings) for line in parse_deck("\n".join(lines))) <= MOST_READINGS


@pytest.mark.parametrize(
    "document",
    [
        '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><d><card name="&b;"/></d>',
        '<!DOCTYPE d SYSTEM "file:///etc/passwd"><d><card name="Speeder"/></d>',
        '<d><card name="&b;"/></d>',
        "<d>" * 100_000,
        '<d><card name="Speeder"/>',
        "<b>Speeder</b>",
        "<3 my deck",
    ],
)
def test_xml_that_is_no_deck_list_is_text(document: str) -> None:
    assert as_lines(document) == document


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"mainboard": {"Sol Ring": {"quantity": 2}}}', JSON_LIST),
        ('\ufeff[\n {"name": "Sol Ring"}]', JSON_LIST),
        ("2 Sidious\n" * MAX_LINES + "1 Speeder", LONG_LIST),
    ],
)
def test_why_a_list_is_not_read_is_said(text: str, said: str) -> None:
    with pytest.raises(KbError, match=said):
        list(parse_deck(text))


def test_the_last_line_may_end() -> None:
    assert len(list(parse_deck("2 Sidious\n" * MAX_LINES))) == MAX_LINES


@pytest.mark.parametrize("rest", ['<d><card name="Speeder"/>', "<!DOCTYPE d><d/>"])
def test_what_is_wrong_with_xml_is_said(rest: str) -> None:
    with pytest.raises(KbError, match=BROKEN):
        as_lines(f'<?xml version="1.0"?>{rest}')
