"""Turns the HTML of the rulings into Markdown: emphasis and lists, all that the files have."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from kb.ingest.common import escaped_start, literal

# Markdown has no underlining: underlined words become emphasis.
_STRESS = {"u": "*", "i": "*", "em": "*", "b": "**", "strong": "**"}
_BREAKS = {**dict.fromkeys(("ul", "p", "br"), "\n\n"), "li": "\n- "}
_SPACING_TAG = re.compile(r"</?(?:li|ul|ol|br|p|div)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)
# A private character, which `literal` neither removes nor escapes.
_NO_START = "\ue000"
# `1. ` or `- ` at the start of a text that is not a list.
_MARK_AT_START = re.compile(r"\A(?:(#+(?=\s|$)|>|[-+](?=\s|$))|(\d{1,9})([.)])(?=\s|$))")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.unknown: dict[str, None] = {}
        # The tags of emphasis, and the number of parts before each.
        self.open: list[tuple[str, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _STRESS:
            self.open.append((tag, len(self.parts)))
        elif tag in _BREAKS:
            self.parts.append(_BREAKS[tag])
        else:
            self.unknown[tag] = None

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1][0] == tag:
            self._close_emphasis()
        elif tag == "ul":
            self.parts.append("\n\n")

    def _close_emphasis(self) -> None:
        """Put Markdown's marks around words, with spaces at the ends outside."""
        tag, start = self.open.pop()
        inner = "".join(self.parts[start:])
        words = inner.strip()
        before, after = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
        marked = f"{_STRESS[tag]}{words}{_STRESS[tag]}" if words else ""
        self.parts[start:] = [before, marked, after]

    def handle_data(self, data: str) -> None:
        # `literal` escapes marks at line starts, and this text does not start a line.
        self.parts.append(literal(re.sub(r"\s+", " ", _NO_START + data))[1:])


def markdown(html: str) -> tuple[str, list[str]]:
    """Return HTML as Markdown, and the unknown tags, whose text is kept."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    text = "\n".join(line.rstrip(" \t") for line in "".join(reader.parts).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    if not html.lstrip().lower().startswith("<ul"):
        text = _MARK_AT_START.sub(escaped_start, text)
    return text, list(reader.unknown)


def plain_text(html: str) -> str:
    """Return the words of HTML, without tags."""
    spaced = _SPACING_TAG.sub(" ", html)
    return " ".join(unescape(_TAG.sub("", spaced)).split())
