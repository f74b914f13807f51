"""The query language: parses a text into a tree. Every tree is bounded, and no text fails.

words "a phrase" pre* -not OR (a OR b), and the filters of `kb.records.fields`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kb.language import LANGUAGES, tokenize
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
class Word:
    """A word as typed."""

    text: str


@dataclass(frozen=True)
class Phrase:
    """Words side by side, in this order."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Prefix:
    """Any word that begins with a text."""

    text: str


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


Node = Word | Phrase | Prefix | Not | Or | And


@dataclass(frozen=True)
class Filter:
    """A condition on a field; `negated` excludes."""

    name: str
    value: str
    negated: bool = False


@dataclass(frozen=True)
class Query:
    """A parsed query; `root` is None for filters alone, `cut` says that the text was too long."""

    root: Node | None
    filters: tuple[Filter, ...] = ()
    cut: bool = False


@dataclass
class _Parser:
    pieces: list[str]
    place: int = 0
    terms: int = 0
    cut: bool = False
    filters: list[Filter] = field(default_factory=list)

    def group(self, depth: int) -> Node | None:
        """Parse up to the closing parenthesis: words, and alternatives of them with OR."""
        alternatives: list[list[Node]] = [[]]
        while self.place < len(self.pieces):
            piece = self.pieces[self.place]
            self.place += 1
            if piece == ")":
                if depth:
                    break
                continue
            if piece in OR_WORDS:
                alternatives.append([])
                continue
            if piece in ("(", "-("):
                inner = self.group(min(depth + 1, MAX_DEPTH)) if depth < MAX_DEPTH else None
                if inner:
                    alternatives[-1].append(Not(inner) if piece == "-(" else inner)
                continue
            alternatives[-1] += self.leaf(piece)
        parts = [_all(nodes) for nodes in alternatives if nodes]
        return Or(tuple(parts)) if len(parts) > 1 else parts[0] if parts else None

    def leaf(self, piece: str) -> Iterator[Node]:
        """The nodes of a piece: a phrase (it ends in NUL), a filter, a prefix or words."""
        named = _FILTER.fullmatch(piece.removesuffix("\0"))
        if named and named[3].strip('"„”“«» '):
            value = named[3].strip('"„”“«» ')
            self.filters.append(Filter(named[2].lower(), value, bool(named[1])))
            return
        negated = piece.startswith("-") and len(piece) > 1
        text = piece[1:] if negated else piece
        for node in self.words(text):
            if self.terms >= MAX_TERMS:
                self.cut = True
                return
            self.terms += 1
            yield Not(node) if negated else node

    def words(self, text: str) -> list[Node]:
        if text.endswith("\0"):
            words = tuple(token.text for token in tokenize(text))[:MAX_TERMS]
            return [Phrase(words)] if len(words) > 1 else [Word(word) for word in words]
        prefix = text.rstrip("*")
        tokens = [token.text for token in tokenize(prefix)]
        if prefix != text and tokens and len(tokens[-1]) >= MIN_PREFIX:
            return [*map(Word, tokens[:-1]), Prefix(tokens[-1])]
        return [Word(word) for word in tokens]


def parse(text: str) -> Query:
    """Parse a query. Never raises; an unfinished quote or a stray parenthesis is text."""
    whole = clean_typed(text)
    cut = len(whole) > MAX_LENGTH
    if cut:
        whole = whole[:MAX_LENGTH].rpartition(" ")[0] or whole[:MAX_LENGTH]
    parser = _Parser(_pieces(whole))
    nodes = []
    while parser.place < len(parser.pieces):
        node = parser.group(0)
        if node:
            nodes.append(node)
    root = _all(nodes) if nodes else None
    return Query(root, tuple(parser.filters), cut or parser.cut)


def _all(nodes: Sequence[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else And(tuple(nodes))


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


def leaves(node: Node | None) -> Iterator[Node]:
    """The words, phrases and prefixes of a query in order, without the excluded ones."""
    if isinstance(node, Word | Phrase | Prefix):
        yield node
    elif isinstance(node, And | Or):
        for part in node.nodes:
            yield from leaves(part)


def words_of_leaf(node: Node) -> tuple[str, ...]:
    """The words of a phrase, a word or a prefix."""
    if isinstance(node, Phrase):
        return node.words
    return (node.text,) if isinstance(node, Word | Prefix) else ()
