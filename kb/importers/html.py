"""The HTML of foreign rulings as Markdown: emphasis, lists, lines, links."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from kb.importers.common import escaped_start, literal

# Markdown knows no underlining; what is underlined is stressed.
_STRESS = {"u": "*", "i": "*", "em": "*", "b": "**", "strong": "**"}
_BLOCKS = {"p", "div"}
# A private character that is neither removed nor escaped.
_NO_START = "\ue000"
# Lists within lists are indented so often; deeper ones stand beside each other.
_DEEPEST = 6


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.unknown: dict[str, None] = {}
        self.open: list[tuple[str, int]] = []
        self.lists: list[tuple[str, int]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _STRESS or tag == "a":
            self.open.append(
                (tag if tag != "a" else f"a {dict(attrs).get('href') or ''}", len(self.parts))
            )
        elif tag in ("ul", "ol"):
            self.lists.append((tag, 0))
            self.parts.append("\n\n" if len(self.lists) == 1 else "")
        elif tag == "li":
            kind, number = self.lists.pop() if self.lists else ("ul", 0)
            self.lists.append((kind, number + 1))
            indent = "   " * min(len(self.lists) - 1, _DEEPEST)
            self.parts.append(f"\n{indent}{f'{number + 1}.' if kind == 'ol' else '-'} ")
        elif tag in _BLOCKS:
            self.parts.append("\n\n")
        elif tag == "br":
            self.parts.append("\\\n" if not self.lists else " ")
        else:
            self.unknown[tag] = None

    def handle_endtag(self, tag: str) -> None:
        places = [at for at, (name, _) in enumerate(self.open) if name.split(" ")[0] == tag]
        if places:
            self._close(places[-1])
        elif tag in ("ul", "ol"):
            if self.lists:
                self.lists.pop()
            self.parts.append("\n\n" if not self.lists else "")
        elif tag in _BLOCKS:
            self.parts.append("\n\n")
        elif tag not in ("li", "br") and tag not in _STRESS:
            self.unknown[tag] = None

    def _close(self, place: int) -> None:
        """Put Markdown's marks around words, with spaces at the ends outside."""
        name, start = self.open.pop(place)
        inner = "".join(self.parts[start:])
        words = inner.strip()
        del self.parts[start:]
        before, after = inner[: len(inner) - len(inner.lstrip())], inner[len(inner.rstrip()) :]
        if name.startswith("a "):
            address = name[2:]
            good = re.fullmatch(r"https?://[^\s<>()]+", address)
            marked = f"[{words}]({address})" if good and words else words
        else:
            mark = _STRESS[name]
            marked = f"{mark}{words}{mark}" if words else ""
        self.parts += [before, marked, after]

    def handle_data(self, data: str) -> None:
        # Line starts are looked at when the whole is put together: here no text is at one.
        self.parts.append(literal(re.sub(r"\s+", " ", _NO_START + data))[1:])

    def handle_comment(self, data: str) -> None:
        self.unknown["!--"] = None


def markdown(html: str) -> tuple[str, list[str]]:
    """HTML -> its Markdown, and the tags that were not understood (their text is kept)."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    while reader.open:
        reader._close(len(reader.open) - 1)
    text = "\n".join(line.rstrip(" \t") for line in "".join(reader.parts).split("\n"))
    text = re.sub(r"\n{3,}", "\n\n", text).strip()
    if html.lstrip().lower().startswith(("<ul", "<ol")):
        return text, list(reader.unknown)
    return _unlisted(text), list(reader.unknown)


def _unlisted(text: str) -> str:
    """A text that begins with `1. ` or `- ` and is no list: that is escaped."""
    return re.sub(r"\A(?:(#+(?=\s|$)|>|[-+](?=\s|$))|(\d{1,9})([.)])(?=\s|$))", escaped_start, text)


def plain_text(html: str) -> str:
    """The words of a piece of HTML."""
    spaced = re.sub(r"</?(?:li|ul|ol|br|p|div)\b[^<>]*>", " ", html, flags=re.IGNORECASE)
    bare = _Words()
    bare.feed(spaced)
    bare.close()
    return " ".join("".join(bare.parts).split())


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)
