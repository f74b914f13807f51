"""What the texts of records become on pages; what they may not become is in tests/security."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from kb.linking.term_finder import TermMatch
from kb.records.text import Text, shown_blocks
from kb.search.snippets import first_paragraph, flat
from kb.site.markdown import LinkTargets, RulingText, render


class Finder:
    """Finds each `term`."""

    def find(self, text: str) -> Iterator[TermMatch]:
        for found in re.finditer(r"\b(term|стол)\b", text):
            yield TermMatch(found.start(), found.end(), found[0])


def links() -> LinkTargets:
    finder: Any = Finder()
    meanings = {"term": ("g/#term", '"it" <means> & more'), "стол": ("g/#x", "")}
    card = lambda card: None if card == "Unknown" else f"../cards/{len(card)}/"  # noqa: E731
    return LinkTargets(card, meanings.__getitem__, finder)


TERM = '<a class="term" href="g/#term" title="&quot;it&quot; &lt;means&gt; &amp; more">term</a>'
_CARD = '<a class="card" href="../cards/1/" data-card="A">the card</a>'
TABLE = (
    f"<table>\n<thead>\n<tr>\n<th>a</th>\n<th>{_CARD}</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n"
    f"<td>{_CARD}</td>\n<td><code>[[A|the card]]</code></td>\n</tr>\n</tbody>\n</table>\n"
    f"<p>{_CARD}</p>\n"
)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("", ""),
        ("a term, a term, стол", f"<p>a {TERM}, a term, стол</p>\n"),
        ("[[-|x]] & [[Unknown]] [[a|", "<p>x &amp; Unknown [[a|</p>\n"),
        ("[term](https://a.example/)", '<p><a href="https://a.example/">term</a></p>\n'),
        ("![x](y.png) <b>b</b>", '<p>!<a href="y.png">x</a> &lt;b&gt;b&lt;/b&gt;</p>\n'),
        ("*pilot*ów 2*3*4", "<p><em>pilot</em>ów 2<em>3</em>4</p>\n"),
        ("_pilot_ów a_b_c _„A”_a", "<p>_pilot_ów a_b_c _„A”_a</p>\n"),
        # A card mark in a table, as it is and with its bar escaped.
        *(
            (f"| a | {mark} |\n{row}\n| {mark} | `{mark}` |\n\n{mark}", TABLE)
            for mark in ("[[A|the card]]", r"[[A\|the card]]")
            for row in ("|---|---|", "--|--", "| :-: | -: |")
        ),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        ("3) a", '<ol start="3">\n<li>a</li>\n</ol>\n'),
    ],
)
def test_texts(text: str, html: str) -> None:
    assert re.sub(' align="[a-z]+"', "", render(text, links())) == html


def test_blocks_are_numbered_on_and_terms_explained_once() -> None:
    one = links()
    assert render("A term.", one, "pl") == f'<p id="pl-1">A {TERM}.</p>\n'
    assert render("- a term\n\nNext.", one, "pl") == (
        '<ul id="pl-2">\n<li>a term</li>\n</ul>\n'
        '<p id="pl-3">Next. <a class="anchor" href="#pl-3">¶3</a></p>\n'
    )


@pytest.mark.parametrize(
    "text",
    [
        r"2\*3 of \<Name>, \_so\_",
        r"1996\. A year",
        r"\- no list \# \\",
        "2 * 3 * 4, 5*, 6*, X_1_2",
        "**Bold**, *it*, ***both***, __b__, _i_, *a **b** c*, **foo_bar**u",
        r"`a*b\*c` and `` x`y ``, \`z\`",
        "`a\n\nb` c",
        "[a *link*](https://a.example/x_y_(z)) <https://a.example/x_y_>",
        r"&amp; AT&T &lt;b&gt; \&amp; <b>",
        r"[[Luke|*x*]] **[[Luke]]** \[[Luke]]",
        "- a\n- b *c*\n\n> q\n\n# Head\n\na\\\nb",
    ],
)
def test_plain_text_is_what_the_page_shows(text: str) -> None:
    page = unescape(re.sub(r"<[^>]*>", "", render(text, links())))
    assert " ".join(shown_blocks(text)) == " ".join(page.split())


def test_answers_have_the_signs_of_the_page_on_all_channels() -> None:
    body = r"**Add** 2\*3 to \<Name>." + "\n\n" + r"1996\. *See* there."
    shown = "Add 2*3 to <Name>."
    page = RulingText("en", "Title", body, links(), original=True)
    assert page.plain == shown
    assert first_paragraph(Text("en", "Title", body)) == shown
    assert flat(body) == (f"{shown}\n1996. See there.", len(shown))
