"""Turns the HTML of foreign rulings into Markdown: emphasis, lists, line breaks, links."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

from kb.ingest.common import escaped_start, literal

# Markdown has no underlining: underlined words become emphasis.
_STRESS = {"u": "*", "i": "*", "em": "*", "b": "**", "strong": "**"}
_BLOCKS = {"p", "div"}
_SPACING_TAG = re.compile(r"</?(?:li|ul|ol|br|p|div)\b[^<>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)
# A private character, which `literal` neither removes nor escapes.
_NO_START = "\ue000"
# Levels of indentation; the items of deeper lists stand on this level.
_MAX_LEVEL = 6
# `1. ` or `- ` at the start of a text that is not a list.
_MARK_AT_START = re.compile(r"\A(?:(#+(?=\s|$)|>|[-+](?=\s|$))|(\d{1,9})([.)])(?=\s|$))")


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.unknown: dict[str, None] = {}
        # Tag, address of a link, and the number of parts before it.
        self.open: list[tuple[str, str, int]] = []
        self.lists: list[tuple[str, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _STRESS or tag == "a":
            self.open.append((tag, dict(attrs).get("href") or "", len(self.parts)))
        elif tag in ("ul", "ol"):
            self.lists.append((tag, 0))
            self.parts.append("\n\n" if len(self.lists) == 1 else "")
        elif tag == "li":
            kind, number = self.lists.pop() if self.lists else ("ul", 0)
            self.lists.append((kind, number + 1))
            indent = "   " * min(len(self.lists) - 1, _MAX_LEVEL)
            self.parts.append(f"\n{indent}{f'{number + 1}.' if kind == 'ol' else '-'} ")
        elif tag in _BLOCKS:
            self.parts.append("\n\n")
        elif tag == "br":
            self.parts.append("\\\n" if not self.lists else " ")
        else:
            self.unknown[tag] = None

    def handle_endtag(self, tag: str) -> None:
        places = [at for at, (name, *_) in enumerate(self.open) if name == tag]
        if places:
            self._close_mark(places[-1])
        elif tag in ("ul", "ol"):
            if self.lists:
                self.lists.pop()
            self.parts.append("\n\n" if not self.lists else "")
        elif tag in _BLOCKS:
            self.parts.append("\n\n")
        elif tag not in ("li", "br") and tag not in _STRESS:
            self.unknown[tag] = None

    def close(self) -> None:
        super().close()
        while self.open:
            self._close_mark(len(self.open) - 1)

    def _close_mark(self, place: int) -> None:
        """Put Markdown's marks around words, with spaces at the ends outside."""
        tag, address, start = self.open.pop(place)
        inner = "".join(self.parts[start:])
        words = inner.strip()
        del self.parts[start:]
        before, after = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
        if tag == "a":
            is_safe = re.fullmatch(r"https?://[^\s<>()]+", address)
            marked = f"[{words}]({address})" if is_safe and words else words
        else:
            mark = _STRESS[tag]
            marked = f"{mark}{words}{mark}" if words else ""
        self.parts += [before, marked, after]

    def handle_data(self, data: str) -> None:
        # `literal` escapes marks at line starts, and this text does not start a line.
        self.parts.append(literal(re.sub(r"\s+", " ", _NO_START + data))[1:])

    def handle_comment(self, data: str) -> None:
        self.unknown["!--"] = None


def markdown(html: str) -> tuple[str, list[str]]:
    """Return HTML as Markdown, and the unknown tags, whose text is kept."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    text = "\n".join(line.rstrip(" \t") for line in "".join(reader.parts).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    if not html.lstrip().lower().startswith(("<ul", "<ol")):
        text = _MARK_AT_START.sub(escaped_start, text)
    return text, list(reader.unknown)


def plain_text(html: str) -> str:
    """Return the words of HTML, without tags."""
    spaced = _SPACING_TAG.sub(" ", html)
    return " ".join(unescape(_TAG.sub("", spaced)).split())
