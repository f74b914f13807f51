from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from kb.ingest.common import Ids, literal, paragraphs, slug, title
from tests.selection import examples

MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@examples(2.5)
@given(st.text(alphabet='ab 1.)([]*_`<>/!?:#-+=~\\&;amp|"x', max_size=25))
def test_literal_prose_is_shown_as_it_was(text: str) -> None:
    words = " ".join(text.split())
    shown = MARKDOWN.render(literal(words)).strip()
    assert html.unescape(re.sub(r"^<p>|</p>$", "", shown)) == words
    symbols = "[pot] Burn it, [ACTION MODIFIER][SER]."
    assert literal(symbols) == symbols


def test_ids_titles_and_paragraphs() -> None:
    ids = Ids()
    assert [ids.make(one) for one in ("a", "a", "a-2", "a")] == ["a", "a-2", "a-2-2", "a-3"]
    assert slug("Łódź — L'Épuisette!") == "lodz-lepuisette"
    assert slug("Żółw i Ёж: щит!") == "zolw-i-yozh-shchit"
    assert len(slug("word " * 50)) <= 100 and slug("…") == "x"
    assert title("Card", "word " * 20) == "Card: " + "word " * 11 + "word…"
    assert list(paragraphs("One.\nTwo (e.g.\nthree).\n\nFour")) == [
        "One.",
        "Two (e.g. three).",
        "Four",
    ]
