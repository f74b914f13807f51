"""A ruling's Markdown -> safe HTML, with card marks as links and the glossary's terms explained."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape

from kb.records.marks import MARK, find_marks
from kb.site.safe_html import CLEANER
from kb.site.text_links import Links, newly_explained

_PARAGRAPHS = re.compile(r"\n{2,}")
# Prose: lines that begin with a letter, a number that counts nothing, a mark or a quotation, and
# have, outside marks, no sign that means something in Markdown or HTML. Markdown turns them into
# paragraphs and nothing else. Spaces that HTML writes as names are left to the parser.
_LINE = (
    r"(?=[^\W\d_]|\d{1,9}(?![\d.)])|[\"'(„“”«»‘’…—–])"
    r"[^\\`*_<>&|\[\]\x00-\x1f\x7f-\xa0]++(?<!\s)"
)
# A mark in prose counts as this letter, if it has none of these signs.
_MARKED = "x"
_UNSAFE = re.compile(r"[<>&\x00-\x1f\x7f-\xa0]")
_PROSE = re.compile(rf"{_LINE}(?:\n+{_LINE})*+")
# A list of prose, a line an item: what stands before each item, and the number of the first one.
_ITEM = re.compile(r"(?:-|\d{1,9}[.)]) ")
_LIST = re.compile(
    rf"- {_LINE}(?:\n- {_LINE})*+|(\d{{1,9}})([.)]) {_LINE}(?:\n\d{{1,9}}\2 {_LINE})*+"
)
# The id of the block that an answer is.
_BLOCK_ID = re.compile(r'\A(<[a-z]+\b[^>]*?) id="[^"]*"')


@dataclass
class ListedAnswer:
    """The HTML of an answer in lists, None until it is rendered; `key`: that of its text."""

    key: str
    html: str | None = None


class MarkdownText:
    """A ruling's text in one language, rendered when a template asks for it.

    `key` changes with everything that its HTML depends on. `answer`: see `listed`.
    """

    def __init__(
        self, source: str, links: Links, anchors: str, key: str, answer: ListedAnswer | None = None
    ) -> None:
        self.key = key
        self._source, self._links, self._anchors = source, links, anchors
        self._answer = answer or ListedAnswer(key)

    @cached_property
    def html(self) -> tuple[str, str]:
        """The HTML of the answer, which is the first paragraph, and of the rest."""
        answer, _, rest = self._source.partition("\n\n")
        # In this order: blocks are numbered, and a term is explained where it occurs first.
        first = render(answer, self._links, self._anchors)
        return first, render(rest, self._links, self._anchors)

    @property
    def listed(self) -> str:
        """The HTML of the answer in a list of rulings, where its block has no id."""
        if self._answer.html is None:
            self._answer.html = _BLOCK_ID.sub(r"\1", self.html[0])
        return self._answer.html

    def listed_at(self, game: str) -> str:
        """The HTML of the answer on a page from where the folder of the game is `game`.

        Links in texts start from a folder that is two levels below that of the game.
        """
        return self.listed.replace('href="../../', f'href="{game}')


def render(text: str, links: Links, anchors: str = "") -> str:
    """The HTML of a Markdown text.

    No raw HTML, no images, links only to http, https, mailto and the site itself. With `anchors`
    blocks get ids that begin so, numbered on from what was rendered with the same `links` before.
    """
    bare = text.strip("\n")
    if not bare:
        return ""
    blocks = _simple_blocks(bare)
    if blocks is None:
        return parsed(text, links, anchors)
    return "".join(_block(block, links, anchors) for block in blocks)


def parsed(text: str, links: Links, anchors: str = "") -> str:
    """The same by the parser, whatever the text is; few have more than prose and plain lists."""
    from kb.site.markdown_parser import parse

    return parse(text, links, anchors)


def _simple_blocks(text: str) -> list[str] | None:
    """The blocks of a text that has only paragraphs of prose and lists of it, else None."""
    marks = find_marks(text)
    if any(_UNSAFE.search(text, mark.start, mark.end) for mark in marks):
        return None
    bare = MARK.sub(_MARKED, text) if marks else text
    if not _PROSE.fullmatch(bare):
        is_list = False
        for block in _PARAGRAPHS.split(bare):
            # Two lists with a blank line between them may be one.
            was_list, is_list = is_list, _LIST.fullmatch(block) is not None
            if (is_list and was_list) or not (is_list or _PROSE.fullmatch(block)):
                return None
    return _PARAGRAPHS.split(text)


def _block(text: str, links: Links, anchors: str) -> str:
    """The HTML of a paragraph or of a list, as the parser and the cleaner write it."""
    return _list(text, links, anchors) if _ITEM.match(text) else _paragraph(text, links, anchors)


def _list(text: str, links: Links, anchors: str) -> str:
    tag, first = ("ul", "") if text[0] == "-" else ("ol", re.split(r"[.)]", text, maxsplit=1)[0])
    start = f' start="{int(first)}"' if first and int(first) != 1 else ""
    items = "".join(
        f"<li>{_line(line.partition(' ')[2], links)}</li>\n" for line in text.split("\n")
    )
    links.blocks += bool(anchors)
    here = f' id="{anchors}-{links.blocks}"' if anchors else ""
    return f"<{tag}{start}{here}>\n{items}</{tag}>\n"


def _paragraph(text: str, links: Links, anchors: str) -> str:
    made = "\n".join(_line(line, links) for line in text.split("\n"))
    if not anchors:
        return f"<p>{made}</p>\n"
    links.blocks += 1
    here = f"{anchors}-{links.blocks}"
    anchor = f' <a class="anchor" href="#{here}">¶{links.blocks}</a>' if links.blocks > 1 else ""
    return f'<p id="{here}">{made}{anchor}</p>\n'


def _line(line: str, links: Links) -> str:
    pieces: list[str] = []
    place = 0
    for mark in find_marks(line):
        pieces.append(_run(line[place : mark.start], links))
        target = links.card(mark.label) if mark.is_card else None
        pieces.append(f"{_opening('card', target)}{mark.surface}</a>" if target else mark.surface)
        place = mark.end
    pieces.append(_run(line[place:], links))
    return "".join(pieces)


def _run(text: str, links: Links) -> str:
    """A run of prose without marks, with its terms explained."""
    if links.finder is None:
        return text
    matches = links.finder.find(text)
    if not matches:
        return text
    made: list[str] = []
    place = 0
    for found in newly_explained(matches, links):
        made += (
            text[place : found.start],
            _opening("term", *links.term(found.term)),
            text[found.start : found.end],
            "</a>",
        )
        place = found.end
    return "".join((*made, text[place:]))


@lru_cache(10_000)
def _opening(name: str, target: str, title: str = "") -> str:
    """The beginning of a link, as the cleaner leaves it."""
    told = f' title="{escape(title)}"' if title else ""
    return CLEANER.clean(f'<a class="{name}" href="{escape(target)}"{told}>_</a>').removesuffix(
        "_</a>"
    )
