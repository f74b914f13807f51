"""The query language: parses a text into a tree. Every tree is bounded, and no text fails.

words "a phrase" pre* -not (NOT not) OR (a OR b), and the filters of `kb.records.fields`. An
address beside a question is left out, and a quoted question is taken for its words.

Cards and rules write numbers with signs, so a minus excludes only after a space and before a
letter, a quotation mark or a parenthesis: `-1/-1 counter` and `-X/-X` are words. Every other dash
is text. `templates/static/search-core/query.js` parses the same.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from kb.core.characters import clean_typed
from kb.language import LANGUAGES, fold, words_of
from kb.records.fields import FILTERS

MAX_LENGTH = 400
MAX_TERMS = 60
MAX_DEPTH = 4
MIN_PREFIX = 3
OR_WORDS = {"|", *(word for language in LANGUAGES.values() for word in language.or_words)}
# Only in English: questions stress the words for it in other languages (`NIE`).
NOT_WORD = "NOT"
RULE_WORDS = {fold(word) for language in LANGUAGES.values() for word in language.rule_words}
# Of a rule or a group of rules; a shorter number may count something.
_RULE_NUMBER = re.compile(r"\d{3,}|\d+(?:\.\d+)+")
# A word for a rule, and its number without a space: п113.5.
_JOINED = re.compile(rf"\b({'|'.join(sorted(RULE_WORDS))})(?=\d{{3}}|\d+\.\d)", re.IGNORECASE)
# A rule's number as people type it: 113,5 and 113-5, or with a letter behind it.
_TYPED_NUMBER = re.compile(r"(^|\D)(\d{3})[.,-](\d{1,2})(?![\d,.-])")
# Quotation marks by their family: any mark of a family opens a phrase that another one closes.
QUOTES = {mark: family for family in ('"„“”‟＂', "«»", "‹›") for mark in family}
_MARKS = "".join(QUOTES)
_SCAN = re.compile(
    rf"(?P<single>-?\(|[)|])"
    rf"|(?P<minus>-?)(?P<name>(?:\w+:)?)(?P<mark>[{_MARKS}])"
    rf"|(?P<text>[^\s()|{_MARKS}]+)"
)
# A ruling's id as it is printed, or the address of its page.
_ADDRESS = re.compile(
    r"(?:\S+/(?=[^/]+/rulings/))?([\w-]+)/(?:rulings/)?([\w-]+)/?(?:index\.html)?(?:[?#]\S*)?"
)
# A whole question that somebody quotes.
_QUOTED_QUESTION = re.compile(rf"[{_MARKS}]([^{_MARKS}]+\?)[{_MARKS}]")
# An address is left out beside more words than this, which say more than its own.
_ADDRESSES, _FEW_WORDS = re.compile(r"https?://\S+", re.IGNORECASE), 2
# `-X/-X` on a card.
_MODIFIER = re.compile(r"-\w/[-+–−]")


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


class _Piece(NamedTuple):
    """A word or a phrase with the name of a filter before it, or a parenthesis or a bar."""

    text: str
    name: str = ""
    is_negated: bool = False
    is_quoted: bool = False

    @property
    def is_value(self) -> bool:
        """Whether it is a word or a phrase, and neither is a filter nor excludes."""
        is_sign = self.text in {"(", ")", *OR_WORDS} and not self.is_quoted
        return not (is_sign or self.name or self.is_negated)


@dataclass
class _Parser:
    pieces: Iterator[_Piece]
    terms: int = 0
    filters: list[Filter] = field(default_factory=list)

    def group(self, depth: int = 0) -> Node | None:
        """Parse up to the closing parenthesis: words, and alternatives of them with OR."""
        alternatives: list[list[Node]] = [[]]
        for piece in self.pieces:
            sign = "" if piece.is_quoted else piece.text
            if sign == ")":
                if depth:
                    break
            elif sign in OR_WORDS and not piece.is_negated:
                alternatives.append([])
            elif sign == "(":
                inner = self.group(depth + 1) if depth < MAX_DEPTH else None
                if inner:
                    alternatives[-1].append(Not(inner) if piece.is_negated else inner)
            else:
                alternatives[-1] += self.leaf(piece)
        runs = map(_without_rule_words, alternatives)
        parts = [nodes[0] if len(nodes) == 1 else And(tuple(nodes)) for nodes in runs if nodes]
        return Or(tuple(parts)) if len(parts) > 1 else parts[0] if parts else None

    def leaf(self, piece: _Piece) -> Iterator[Node]:
        """The nodes of a piece: a phrase, a filter, a prefix or words."""
        name, value = piece.name.lower(), piece.text.strip(f"{_MARKS} ")
        if name in FILTERS and value:
            self.filters.append(Filter(name, value, piece.is_negated))
            return
        for leaf in _leaves(piece)[: MAX_TERMS - self.terms]:
            self.terms += 1
            yield Not(leaf) if piece.is_negated else leaf


def _without_rule_words(nodes: Sequence[Node]) -> list[Node]:
    """The nodes without the words before a rule's number that say what it is: `rule 113.5`."""
    kept: list[Node] = []
    for node in reversed(nodes):
        is_word = isinstance(node, Leaf) and node.kind == "word" and fold(node.text) in RULE_WORDS
        after = kept[-1] if kept else None
        if not (is_word and isinstance(after, Leaf) and _RULE_NUMBER.fullmatch(after.text)):
            kept.append(node)
    return kept[::-1]


def _leaves(piece: _Piece) -> list[Leaf]:
    text = f"{piece.name} {piece.text}"
    bare = text.rstrip("*")
    words = words_of(bare)
    if piece.is_quoted and words:
        return [Leaf("phrase", " ".join(words[:MAX_TERMS]))]
    leaves = [Leaf("word", word) for word in words]
    if bare != text and not piece.is_quoted and words and len(words[-1]) >= MIN_PREFIX:
        leaves[-1] = Leaf("prefix", words[-1])
    return leaves


def parse(text: str, games: Container[str] = ()) -> Query:
    """Parse a query. Never raises; an unfinished quote or a stray parenthesis is text.

    `games`: whose rulings are asked for by `game/id` and by the addresses of their pages.
    """
    whole = clean_typed(text)
    if len(whole) > MAX_LENGTH:
        whole = whole[:MAX_LENGTH].rpartition(" ")[0] or whole[:MAX_LENGTH]
    address = _ADDRESS.fullmatch(whole.lower())
    if address and address[1] in games:
        named = (("game", address[1]), ("id", address[2]), ("status", "any"))
        return Query(None, tuple(Filter(*filter_) for filter_ in named))
    question = _QUOTED_QUESTION.fullmatch(whole)
    words = question[1] if question else whole
    others = _ADDRESSES.sub(" ", words)
    words = others if len(others.split()) > _FEW_WORDS else words
    numbered = _TYPED_NUMBER.sub(r"\1\2.\3 ", _JOINED.sub(r"\1 ", words))
    parser = _Parser(_combined(_pieces(numbered)))
    root = parser.group()
    return Query(root, tuple(parser.filters))


def _combined(pieces: Iterator[_Piece]) -> Iterator[_Piece]:
    """Draw NOT, and a filter's name with a space after its colon, to the piece that follows."""
    before: _Piece | None = None
    for after in pieces:
        piece = after
        if before == _Piece(NOT_WORD):
            piece = after._replace(is_negated=True)
        elif before and after.is_value:
            piece = before._replace(text=after.text, is_quoted=after.is_quoted)
        elif before:
            yield before
        is_begun = piece == _Piece(NOT_WORD) or (piece.name.lower() in FILTERS and not piece.text)
        before = piece if is_begun else None
        if not before:
            yield piece
    if before:
        yield before


def _pieces(text: str) -> Iterator[_Piece]:
    """Cut a text at spaces, parentheses and quotes."""
    place = 0
    while found := _SCAN.search(text, place):
        begins = found.start() == 0 or text[found.start() - 1] in " (|"
        place = found.end()
        if single := found["single"]:
            yield _Piece(single[-1], is_negated=begins and len(single) > 1)
        elif typed := found["text"]:
            after = typed[1:2]
            is_negated = (
                begins and typed[0] == "-" and after.isalpha() and not _MODIFIER.match(typed)
            )
            name, colon, value = typed[is_negated:].partition(":")
            yield _Piece(value, name, is_negated) if colon else _Piece(name, "", is_negated)
        elif (end := _closing(text, found.end("mark") - 1)) > 0:
            place = end + 1
            is_negated = begins and found["minus"] == "-"
            yield _Piece(text[found.end() : end], found["name"][:-1], is_negated, is_quoted=True)
        elif found["name"]:
            yield _Piece(found["name"])


def _closing(text: str, place: int) -> int:
    """The place of the mark that closes a phrase; -1 if the mark at a place does not open one.

    A mark after a letter or a digit does not open a phrase (`6"`), and a mark between a space and a
    letter does not close one.
    """
    if text[place - 1 : place].isalnum():
        return -1
    for end in range(place + 1, len(text)):
        if text[end] in QUOTES[text[place]]:
            opens = text[end - 1] == " " and text[end + 1 : end + 2].isalnum()
            return -1 if opens else end
    return -1


def leaves(node: Node | None, *, excluded: bool = False) -> Iterator[Leaf]:
    """The leaves of a query in order; `excluded`: those that it excludes too."""
    if isinstance(node, Leaf):
        yield node
    elif isinstance(node, And | Or):
        for part in node.nodes:
            yield from leaves(part, excluded=excluded)
    elif isinstance(node, Not) and excluded:
        yield from leaves(node.node, excluded=True)


def without_exclusions(node: Node | None) -> Node | None:
    """A query without the parts that it excludes; None if nothing else is left."""
    if not isinstance(node, And | Or):
        return None if isinstance(node, Not) else node
    parts = tuple(part for part in map(without_exclusions, node.nodes) if part)
    return type(node)(parts) if len(parts) > 1 else parts[0] if parts else None


def query_words(query: Query) -> list[str]:
    """The words that a query asks for; a hyphenated word is one of them."""
    return [word for leaf in leaves(query.root) for word in leaf.words]
