"""Does the Markdown of a text say what its page will show: links, pictures, headings?

Each check is a generator of Problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from kb.core.problems import Problem
from kb.records.model import Ruling
from kb.records.text import MARK, Text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

# Only texts with one of these are parsed: few have any.
_SUSPECT = re.compile(r"\]\(|^ {0,3}(?:--|==)", re.MULTILINE)
_SCHEME = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_PICTURE = (
    "a picture; texts have no pictures: draw it in diagrams.yaml, or link to its address"
    " (https://...)"
)
_RELATIVE = (
    "a link to {!r}, which leads nowhere on the site; write a whole address (https://...), or name"
    " another ruling in the header, under related"
)
_UNDERLINED = (
    "a line of {} makes the line above it a heading; write a blank line above it for a rule, or"
    " `## ` for a heading"
)


def check_markdown(ruling: Ruling) -> Iterator[Problem]:
    """Yield pictures, links that lead nowhere, and headings that nobody meant."""
    for text in ruling.texts:
        if _SUSPECT.search(text.body):
            for line, message in sorted(set(_mistakes(text))):
                yield Problem(ruling.path, text.body_line + line, message)


def _mistakes(text: Text) -> Iterator[tuple[int, str]]:
    # A card mark before a bracket is not a link.
    body = MARK.sub(lambda mark: "x" * len(mark[0]), text.body)
    for token in _parser().parse(body):
        first, last = token.map or (0, 1)
        if token.type == "heading_open" and token.markup in ("-", "="):
            yield last - 1, _UNDERLINED.format(token.markup * 3)
        for child in token.children or ():
            if child.type == "image":
                yield first, _PICTURE
            target = str(child.attrGet("href") or "") if child.type == "link_open" else ""
            if target and not _SCHEME.match(target) and not target.startswith("#"):
                yield first, _RELATIVE.format(target[:80])


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"maxNesting": 20})
