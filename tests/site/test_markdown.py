"""Prose is written without the parser, and comes out as the parser and the cleaner write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kb.linking.term_finder import TermMatch
from kb.records.library import Library
from kb.site import markdown
from kb.site.text_links import Links
from tests.selection import examples


class Finder:
    """Finds each `term`."""

    def find(self, text: str) -> Iterator[TermMatch]:
        for found in re.finditer(r"\b(term|стол)\b", text):
            yield TermMatch(found.start(), found.end(), found[0])


def links() -> Links:
    finder: Any = Finder()
    meanings = {
        "term": ("g/index.html#term", 'What "it" <means> & more\u00a0than that'),
        "стол": ("g/index.html#x", ""),
    }
    return Links(
        lambda card: None if card == "Unknown" else f"../cards/{len(card)}/index.html",
        meanings.__getitem__,
        finder,
    )


# What is or may be special somewhere, among ordinary words.
PIECES = (
    *(" " * 4),
    "  ",
    "\n",
    "\n",
    "\n\n",
    "\n\n\n",
    "\t",
    "\u00a0",
    "\u2003",
    "\u2028",
    "\x00",
    "\r\n",
    "\ufeff",
    "- ",
    "+ ",
    "* ",
    "# ",
    "– ",
    ": ",
    "[[ Card | y ]]",
    "[[ ]]",
    "[x]: y",
    "[[Card (A)|cards]]",
    *"word A term стол Łódź x2 12 1. 1) 3.5 - * ** _ __ # = === ---".split(),
    *"> < <b> </p> & &amp; &nbsp; ` ``` ~~~ | |-| \\ ! ![".split(),
    *"[ ] ( ) [a](b) :- — „ ” ’ \" ' … « [[Card]] [[-|word]] [[Unknown|x]]".split(),
    *"[[a&b]] [[a*b|c_d]] [[ ]] [[a| { } $ % ^ ;".split(),
    "https://a.example/?b=c",
    "a@b.example",
)


@examples(2)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.sampled_from(("", "pl")))
@example(
    "A term, a term.\n\n„Stół”: [[Card (A)|kart]], [[-|x]] and [[Unknown]].\nNext line term."
    "\n\n\n3 cards – 12 - x.",
    "pl",
)
@example("[[Card]]: text", "pl")
@example("[[A]]\n===", "")
@example("a\n- b", "")
@example("1) a", "")
@example("- a\n- b\n\nc", "pl")
@example("- a\n\n- b", "pl")
@example("- a\n\n2. b", "pl")
@example("3. a\n4. b", "pl")
@example("007) a\n1) b", "")
@example("1. a\n2) b", "")
@example("- 1. a", "")
@example("- a\n  b", "pl")
@example("a \nb", "pl")
def test_prose_is_what_the_parser_makes_of_it(text: str, anchors: str) -> None:
    quick, slow = links(), links()
    assert markdown.render(text, quick, anchors) == markdown.parsed(text, slow, anchors)
    assert (quick.explained, quick.blocks) == (slow.explained, slow.blocks)


@given(st.text(max_size=40))
@examples(0.75)
def test_so_is_any_text(text: str) -> None:
    assert markdown.render(text, links(), "pl") == markdown.parsed(text, links(), "pl")


def test_every_text_of_the_records(rulings: Library) -> None:
    for ruling in rulings.rulings.values():
        for text in ruling.texts:
            assert markdown.render(text.body, links(), text.lang) == markdown.parsed(
                text.body, links(), text.lang
            )


def test_most_texts_need_no_parser(rulings: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    bodies = [text.body for ruling in rulings.rulings.values() for text in ruling.texts]
    seen: list[str] = []
    monkeypatch.setattr(markdown, "parsed", lambda text, *more: seen.append(text) or "")
    for body in bodies:
        markdown.render(body, links(), "pl")
    assert len(seen) < len(bodies) / 2
