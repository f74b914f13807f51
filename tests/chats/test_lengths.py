"""Texts for chats: cut to a length without tearing an escape sequence."""

from __future__ import annotations

from html import escape as escape_html

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.chats.discord import escape as escape_markdown
from kb.chats.replies import ELLIPSIS, cut, length


@given(st.text("a*_\\&<>'😀ł ", max_size=60), st.integers(1, 40))
def test_a_cut_text_fits_and_is_whole(text: str, limit: int) -> None:
    for escape in (str, escape_html, escape_markdown):
        shown = cut(text, limit, escape)
        assert length(shown) <= limit
        if shown != escape(text):
            kept = shown.removesuffix(ELLIPSIS)
            assert any(kept == escape(text[:size].rstrip()) for size in range(len(text) + 1))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**bold** _it_ ~no~ `code`", r"\*\*bold\*\* \_it\_ \~no\~ \`code\`"),
        ("||spoiler|| -# small", r"\|\|spoiler\|\| -\# small"),
        ("<@123> <#1> @everyone", r"\<\@123\> \<\#1\> \@everyone"),
        ("[name](https://example.org)", r"\[name\](https\:\/\/example.org)"),
        ("# heading", r"\# heading"),
        ("- list", r"\- list"),
        ("back\\slash", "back\\\\slash"),
        ("Łowca Światów, 725 to 1 (C-3PO)", r"Łowca Światów, 725 to 1 (C-3PO)"),
    ],
)
def test_nothing_is_markup_in_discord(text: str, shown: str) -> None:
    assert escape_markdown(text) == shown


def test_the_length_is_that_of_the_strictest() -> None:
    assert [length(text) for text in ("", "ł", "😀", "a😀")] == [0, 1, 2, 3]
