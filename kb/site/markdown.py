"""A ruling's Markdown -> safe HTML, with card marks as links and the glossary's terms explained."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html import escape

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

from kb.linking.term_finder import TermFinder
from kb.records.text import MARK, Mark, mark_at, shown_blocks, split_notes

_SCHEMES = {"http", "https", "mailto"}
_TAGS = set(
    "p br em strong a ul ol li blockquote code pre h2 h3 h4 hr"
    " table thead tbody tr th td del".split()
)
# The blocks that have ids, with their tags.
_BLOCKS = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "blockquote": "blockquote",
    "table": "table",
}
_ATTRIBUTES = {
    "a": {"href", "title", "class", "data-card"},
    "ol": {"start"},
    "th": {"align"},
    "td": {"align"},
}
_ATTRIBUTES |= {tag: {"id", *_ATTRIBUTES.get(tag, ())} for tag in _BLOCKS.values()}
# The row below the head of a table.
_DELIMITERS = re.compile(r"[ >]*[|:-][ |:-]*")
_BAR = re.compile(r"\\?\|")
# Creating a cleaner takes longer than cleaning a text.
_CLEANER = nh3.Cleaner(tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES, link_rel=None)
# The id of the block that an answer is.
_BLOCK_ID = re.compile(r'\A(<[a-z]+\b[^>]*?) id="[^"]*"')


@dataclass
class LinkTargets:
    """What a text on one page may link to.

    `card`: the address of a label, if any. `term`: the address and the meaning of a term; one
    without a meaning is not explained. `explained`: terms that the text has explained already.
    `blocks`: how many paragraphs, lists and tables it has had.
    """

    card: Callable[[str], str | None]
    term: Callable[[str], tuple[str, str]]
    finder: TermFinder | None = None
    explained: set[str] = field(default_factory=set)
    blocks: int = 0


@dataclass(frozen=True)
class RulingText:
    """A ruling in one language, which is rendered when a template asks for it.

    `body` is Markdown; its blocks have ids that begin with `anchors`, unless it is empty.
    `stale`: the original has changed since.
    """

    lang: str
    title: str
    body: str
    links: LinkTargets
    original: bool
    stale: bool = False
    anchors: str = ""

    @cached_property
    def answer(self) -> str:
        """The HTML of the first paragraph."""
        return render(self.body.partition("\n\n")[0], self.links, self.anchors)

    @cached_property
    def rest(self) -> list[tuple[str, str]]:
        """What follows the first paragraph: HTML, and whose note it is; empty for no note."""
        # After the answer: blocks are numbered, and a term is explained where it occurs first.
        _ = self.answer
        parts = split_notes(self.body.partition("\n\n")[2])
        return [(part.by, render(part.text, self.links, self.anchors)) for part in parts]

    @cached_property
    def listed(self) -> str:
        """The HTML of the answer in a list of rulings, where its block has no id."""
        return _BLOCK_ID.sub(r"\1", self.answer)

    def listed_at(self, game: str) -> str:
        """The HTML of the answer on a page from where the folder of the game is `game`.

        Links in texts start from a folder two levels below the game's.
        """
        return self.listed.replace('href="../../', f'href="{game}')

    @cached_property
    def plain(self) -> str:
        """The answer without markup, on one line."""
        return " ".join(shown_blocks(self.body.partition("\n\n")[0]))


def beginning(text: str, most: int) -> str:
    """The beginning of a text in whole words: about `most` characters."""
    if len(text) <= most:
        return text
    return text[:most].rpartition(" ")[0].rstrip(" ,;:–") + "…"


def render(text: str, links: LinkTargets, anchors: str = "") -> str:
    """The HTML of a Markdown text.

    No raw HTML, no images, links only to http, https, mailto and the site itself. With `anchors`
    blocks get ids that begin so, numbered on from what was rendered with the same `links` before.
    """
    whole = _with_escaped_marks(text) if "[[" in text else text
    return _CLEANER.clean(_PARSER.render(whole, {"links": links, "anchors": anchors}))


def _with_escaped_marks(text: str) -> str:
    """A text whose card marks in tables have their bar escaped, at which a cell would end."""
    lines = text.split("\n")
    is_table = False
    for place, line in enumerate(lines):
        is_delimiter = "-" in line and "|" in line and _DELIMITERS.fullmatch(line)
        is_table = bool(line.strip()) and (is_table or bool(is_delimiter))
        for row in (place - 1, place) if is_delimiter and place else (place,) if is_table else ():
            lines[row] = MARK.sub(lambda mark: _BAR.sub(r"\\|", mark[0]), lines[row])
    return "\n".join(lines)


def _card_rule(state: StateInline, silent: bool) -> bool:
    mark = mark_at(state.src, state.pos) if state.src.startswith("[[", state.pos) else None
    if not mark:
        return False
    if not silent:
        token = state.push("card", "", 0)
        token.content, token.meta = mark.surface, {"mark": mark}
    state.pos = mark.end
    return True


def _token(kind: str, content: str, **meta: object) -> Token:
    return Token(kind, "", 0, content=content, meta=meta)


def _term_rule(state: StateCore) -> None:
    links: LinkTargets = state.env["links"]
    if links.finder is None:
        return
    for block in state.tokens:
        explained: list[Token] = []
        inside = 0
        for token in block.children or ():
            inside += {"link_open": 1, "link_close": -1}.get(token.type, 0)
            is_searched = token.type == "text" and not inside
            explained += _explained(token.content, links, links.finder) if is_searched else [token]
        if block.children:
            block.children = explained


def _explained(text: str, links: LinkTargets, finder: TermFinder) -> Iterator[Token]:
    """A run of text with each term that has a meaning as a token, where it occurs first."""
    place = 0
    for found in finder.find(text):
        if found.term not in links.explained and links.term(found.term)[1]:
            links.explained.add(found.term)
            yield _token("text", text[place : found.start])
            yield _token("term", text[found.start : found.end], term=found.term)
            place = found.end
    yield _token("text", text[place:])


def _anchor_rule(state: StateCore) -> None:
    """Number the blocks of a text, so that one can link to a paragraph: pl-1, pl-2, ..."""
    prefix, links = state.env["anchors"], state.env["links"]
    for place, token in enumerate(state.tokens if prefix else ()):
        if token.level or token.nesting != 1 or token.type.removesuffix("_open") not in _BLOCKS:
            continue
        links.blocks += 1
        anchor = f"{prefix}-{links.blocks}"
        token.attrSet("id", anchor)
        inline = state.tokens[place + 1]
        if token.type == "paragraph_open" and inline.children is not None and links.blocks > 1:
            inline.children.append(_token("anchor", anchor, number=links.blocks))


def _anchor_html(token: Token, links: LinkTargets) -> str:
    return f' <a class="anchor" href="#{token.content}">¶{token.meta["number"]}</a>'


def _card_html(token: Token, links: LinkTargets) -> str:
    mark: Mark = token.meta["mark"]
    target = links.card(mark.label) if mark.is_card else None
    text = escape(token.content)
    if not target:
        return text
    # Which version is named, for the panel of the card.
    label = f' data-card="{escape(mark.label)}"' if mark.label != token.content else ""
    return f'<a class="card" href="{escape(target)}"{label}>{text}</a>'


def _term_html(token: Token, links: LinkTargets) -> str:
    target, meaning = links.term(token.meta["term"])
    title = f' title="{escape(meaning)}"' if meaning else ""
    return f'<a class="term" href="{escape(target)}"{title}>{escape(token.content)}</a>'


def _rendering(html: Callable[[Token, LinkTargets], str]) -> Callable[..., str]:
    """A rule of the renderer, which also gets itself, its options and the tokens around."""
    return lambda self, tokens, index, options, env: html(tokens[index], env["links"])


def _parser() -> MarkdownIt:
    parser = (
        MarkdownIt("commonmark", {"html": False, "linkify": False, "maxNesting": 20})
        .enable("table")
        .disable("image")
    )
    parser.inline.ruler.before("link", "card", _card_rule)
    parser.core.ruler.after("inline", "term", _term_rule)
    parser.core.ruler.after("term", "anchor", _anchor_rule)
    for kind, html in (("card", _card_html), ("anchor", _anchor_html), ("term", _term_html)):
        parser.add_render_rule(kind, _rendering(html))
    return parser


_PARSER = _parser()
