"""The query language: parses a text into a tree. Every tree is bounded, and no text fails.

words "a phrase" pre* -not OR (a OR b), and the filters of `kb.records.fields`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from kb.language import LANGUAGES, words_of
from kb.language.fold import clean_typed
from kb.records.fields import FILTERS

MAX_LENGTH = 400
MAX_TERMS = 60
MAX_DEPTH = 4
MIN_PREFIX = 3
OR_WORDS = {"|", *(word for language in LANGUAGES.values() for word in language.or_words)}
QUOTES = {'"': '"', "„": '”“"', "“": "”", "«": "»", "”": "”"}
_SCAN = re.compile(r"""[()|]|-?(?:\w+:)?["„“«”]|[^\s()|"„“«”]+""")
_FILTER = re.compile(rf"(-?)({'|'.join(FILTERS)}):(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Leaf:
    """A word as typed, words side by side in this order, or any word that begins with a text."""

    kind: Literal["word", "phrase", "prefix"]
    text: str

    @property
    def words(self) -> list[str]:
        """The words of a phrase, else the only one."""
        return self.text.split(" ")


@dataclass(frozen=True)
class Not:
    """Rulings that do not match a node."""

    node: Node


@dataclass(frozen=True)
class Or:
    """Rulings that match any of the nodes."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class And:
    """Rulings that match all of the nodes."""

    nodes: tuple[Node, ...]


Node = Leaf | Not | Or | And


@dataclass(frozen=True)
class Filter:
    """A condition on a field; `negated` excludes."""

    name: str
    value: str
    negated: bool = False


@dataclass(frozen=True)
class Query:
    """A parsed query; `root` is None for filters alone."""

    root: Node | None
    filters: tuple[Filter, ...] = ()


@dataclass
class _Parser:
    pieces: Iterator[str]
    terms: int = 0
    filters: list[Filter] = field(default_factory=list)

    def group(self, depth: int = 0) -> Node | None:
        """Parse up to the closing parenthesis: words, and alternatives of them with OR."""
        alternatives: list[list[Node]] = [[]]
        for piece in self.pieces:
            if piece == ")":
                if depth:
                    break
            elif piece in OR_WORDS:
                alternatives.append([])
            elif piece in ("(", "-("):
                inner = self.group(depth + 1) if depth < MAX_DEPTH else None
                if inner:
                    alternatives[-1].append(Not(inner) if piece == "-(" else inner)
            else:
                alternatives[-1] += self.leaf(piece)
        parts = [
            nodes[0] if len(nodes) == 1 else And(tuple(nodes)) for nodes in alternatives if nodes
        ]
        return Or(tuple(parts)) if len(parts) > 1 else parts[0] if parts else None

    def leaf(self, piece: str) -> Iterator[Node]:
        """The nodes of a piece: a phrase (it ends in NUL), a filter, a prefix or words."""
        named = _FILTER.fullmatch(piece.removesuffix("\0"))
        if named and (value := named[3].strip('"„”“«» ')):
            self.filters.append(Filter(named[2].lower(), value, bool(named[1])))
            return
        negated = piece.startswith("-") and len(piece) > 1
        for leaf in _leaves(piece[1:] if negated else piece)[: MAX_TERMS - self.terms]:
            self.terms += 1
            yield Not(leaf) if negated else leaf


def _leaves(piece: str) -> list[Leaf]:
    bare = piece.rstrip("*")
    words = words_of(bare)
    if piece.endswith("\0") and len(words) > 1:
        return [Leaf("phrase", " ".join(words[:MAX_TERMS]))]
    leaves = [Leaf("word", word) for word in words]
    if bare != piece and words and len(words[-1]) >= MIN_PREFIX:
        leaves[-1] = Leaf("prefix", words[-1])
    return leaves


def parse(text: str) -> Query:
    """Parse a query. Never raises; an unfinished quote or a stray parenthesis is text."""
    whole = clean_typed(text)
    if len(whole) > MAX_LENGTH:
        whole = whole[:MAX_LENGTH].rpartition(" ")[0] or whole[:MAX_LENGTH]
    parser = _Parser(iter(_pieces(whole)))
    root = parser.group()
    return Query(root, tuple(parser.filters))


def _pieces(text: str) -> list[str]:
    """Cut a text at spaces, parentheses and quotes.

    A quoted piece ends in NUL, which no typed text has.
    """
    pieces: list[str] = []
    place = 0
    while found := _SCAN.search(text, place):
        piece, place = found[0], found.end()
        if piece[-1] in QUOTES:
            end = min(
                (at for mark in QUOTES[piece[-1]] if (at := text.find(mark, place)) >= 0),
                default=-1,
            )
            if end < 0:
                if piece[:-1]:
                    pieces.append(piece[:-1])
                continue
            pieces.append(piece[:-1] + text[place:end] + "\0")
            place = end + 1
        elif piece == "(" and pieces and pieces[-1] == "-":
            pieces[-1] = "-("
        else:
            pieces.append(piece)
    return [piece for piece in pieces if piece != "-"]


def leaves(node: Node | None, *, excluded: bool = False) -> Iterator[Leaf]:
    """The leaves of a query in order; `excluded`: those that it excludes too."""
    if isinstance(node, Leaf):
        yield node
    elif isinstance(node, And | Or):
        for part in node.nodes:
            yield from leaves(part, excluded=excluded)
    elif isinstance(node, Not) and excluded:
        yield from leaves(node.node, excluded=True)


def query_words(query: Query) -> list[str]:
    """The words that a query asks for; a hyphenated word is one of them."""
    return [word for leaf in leaves(query.root) for word in leaf.words]
