"""Differences of texts as difflib gives them, and bounded where that takes too long."""

from __future__ import annotations

import difflib

import pytest

from kb.core.diff import bounded_opcodes, unified_diff


@pytest.mark.parametrize("kinds", [1, 2, 101, 1_000])
def test_comparing_long_texts_comes_to_an_end(kinds: int) -> None:
    """Lines that repeat take difflib the cube of their number."""
    before = [chr(0x4E00 + number * 7 % kinds) for number in range(50_000)]
    after = ["x", *reversed(before), "y"]
    assert bounded_opcodes(before, after)
    assert list(unified_diff(before, after, "a", "b"))


def test_a_diff_is_as_difflib_makes_it() -> None:
    before = [f"line {number}" for number in range(40)]
    for after in (
        before,
        before[1:],
        before[:-1],
        ["new", *before],
        [*before[:5], "x", *before[6:30], "y", "z", *before[30:]],
        [],
    ):
        for one, other in ((before, after), (after, before)):
            expected = list(difflib.unified_diff(one, other, "a", "b", lineterm=""))
            assert list(unified_diff(one, other, "a", "b")) == expected
