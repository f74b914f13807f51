"""Texts for chats: cut to a length without tearing an escape sequence."""

from __future__ import annotations

from html import escape

from hypothesis import given
from hypothesis import strategies as st

from kb.plugins.chats.replies import length
from tests.plugins.chats.samples import assert_fits


@given(st.text("a*_\\&<>'😀ł ", max_size=60), st.integers(1, 40))
def test_a_cut_text_fits_and_is_whole(text: str, limit: int) -> None:
    assert_fits(text, limit, str)
    assert_fits(text, limit, escape)


def test_the_length_is_that_of_the_strictest() -> None:
    assert [length(text) for text in ("", "ł", "😀", "a😀")] == [0, 1, 2, 3]
