from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kb.ingest.common import literal
from kb.records.text import broken_marks
from tests.selection import examples

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@examples(2.5)
@given(st.text(alphabet='ab 1.)([]*_`<>/!?:#-+=~\\&;amp|"x', max_size=25))
def test_literal_prose_is_shown_as_it_was(text: str) -> None:
    words = " ".join(text.split())
    shown = MARKDOWN.render(literal(words)).strip()
    assert not [*broken_marks(literal(words))]
    assert html.unescape(re.sub(r"^<p>|</p>$", "", shown)) == words
    symbols = "[pot] Burn it, [ACTION MODIFIER][SER]."
    assert literal(symbols) == symbols
