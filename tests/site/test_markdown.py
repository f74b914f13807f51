"""What the texts of records become on pages; what they may not become is in tests/security."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from kb.linking.term_finder import TermMatch
from kb.site.markdown import Links, render


class Finder:
    """Finds each `term`."""

    def find(self, text: str) -> Iterator[TermMatch]:
        for found in re.finditer(r"\b(term|стол)\b", text):
            yield TermMatch(found.start(), found.end(), found[0])


def links() -> Links:
    finder: Any = Finder()
    meanings = {"term": ("g/#term", 'What "it" <means> & more'), "стол": ("g/#x", "")}
    return Links(
        lambda card: None if card == "Unknown" else f"../cards/{len(card)}/",
        meanings.__getitem__,
        finder,
    )


TERM = (
    '<a class="term" href="g/#term" title="What &quot;it&quot; &lt;means&gt; &amp; more">term</a>'
)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("a term, a term, стол", f"<p>a {TERM}, a term, стол</p>\n"),
        (
            "[[Card (A)|kart]]",
            '<p><a class="card" href="../cards/8/" data-card="Card (A)">kart</a></p>\n',
        ),
        ("[[-|x]] & [[Unknown]] [[a|", "<p>x &amp; Unknown [[a|</p>\n"),
        ("[term](https://a.example/)", '<p><a href="https://a.example/">term</a></p>\n'),
        ("![x](y.png) <b>b</b>", '<p>!<a href="y.png">x</a> &lt;b&gt;b&lt;/b&gt;</p>\n'),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("3) a", '<ol start="3">\n<li>a</li>\n</ol>\n'),
    ],
)
def test_texts(text: str, html: str) -> None:
    assert render(text, links()) == html


def test_blocks_are_numbered_on_and_terms_explained_once() -> None:
    one = links()
    assert render("A term.", one, "pl") == f'<p id="pl-1">A {TERM}.</p>\n'
    assert render("- a term\n\nNext.", one, "pl") == (
        '<ul id="pl-2">\n<li>a term</li>\n</ul>\n'
        '<p id="pl-3">Next. <a class="anchor" href="#pl-3">¶3</a></p>\n'
    )
