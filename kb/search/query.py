"""The query language: text -> tree, the same for every engine. Bounded, and no input makes it fail.

words "a phrase" pre* -not OR (a OR b), and the filters of `kb.records.fields`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
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
    """One word as it was typed."""

    text: str


@dataclass(frozen=True)
class Phrase:
    """Words in this order, side by side."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Prefix:
    """Every word that begins so."""

    text: str


@dataclass(frozen=True)
class Not:
    """Rulings without something."""

    node: Node


@dataclass(frozen=True)
class Or:
    """Any of several."""

    nodes: tuple[Node, ...]


@dataclass(frozen=True)
class And:
    """All of several."""

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
    """A parsed query. `root` is None when only filters were given.

    `cut` tells that the text was longer than is looked at.
    """

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
        """Everything up to the closing parenthesis: alternatives of runs of words."""
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
        made = [
            nodes[0] if len(nodes) == 1 else And(tuple(nodes)) for nodes in alternatives if nodes
        ]
        return made[0] if len(made) == 1 else Or(tuple(made)) if made else None

    def leaf(self, piece: str) -> Iterator[Node]:
        """The nodes of one piece.

        A phrase (its quote mark is its last character), a filter or words.
        """
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
    """What a text asks for. Never raises; an unfinished quote or a stray parenthesis is text."""
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
    root = nodes[0] if len(nodes) == 1 else And(tuple(nodes)) if nodes else None
    return Query(root, tuple(parser.filters), cut or parser.cut)


def _pieces(text: str) -> list[str]:
    """A text cut at spaces, parentheses and quotes.

    A quoted piece ends in NUL, so that nothing typed can look like one.
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
    """The words, phrases and prefixes that a result should have, in order: nothing below a Not."""
    if isinstance(node, Word | Phrase | Prefix):
        yield node
    elif isinstance(node, And | Or):
        for one in node.nodes:
            yield from leaves(one)
