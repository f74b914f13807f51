"""Parses a deck list into lines, each with its possible names and copies.

Only the card names decide which reading of a line is right: `725 to 1` is a card, `2 Darth Sidious`
are two copies. So a line keeps all of its readings, the likeliest first.
`templates/static/deck-core.js` reads the same; `tests/decks/vectors.json` holds both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.parsers import expat

from kb.core.characters import clean_typed
from kb.core.problems import KbError

MAX_LINES = 2_000
MAX_LENGTH = 200
# At most this many sets and signs of printings are cut off a name; each cut gives another name.
MAX_SETS = 4
_COUNT = r"([0-9]{1,3})"
_COUNT_WORD = r"(?:[xXхХ×*]|шт\.?|ks|szt\.?)"
# The browser reads these too: only syntax that Python and JavaScript share.
PATTERNS = {
    "bullet": re.compile(r"^(?:[-–—•*·]\s+|SB:\s*)"),
    "comment": re.compile(r"^(?://|#|;|--|<!--)"),
    "remark": re.compile(r"\s+(?://|#\s|--\s).*$"),
    "countFirst": re.compile(rf"^(?:{_COUNT}\s*{_COUNT_WORD}?|[xX×]{_COUNT})[\s,;]\s*(\S.*)$"),
    "countLast": re.compile(
        rf"^(.*?\S)[\s,;]*[\s,;(\[](?:{_COUNT_WORD}\s*{_COUNT}|{_COUNT}\s*{_COUNT_WORD}?)[)\]]?$"
    ),
    "set": re.compile(r"\s*(?:\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>|\*[A-Z]\*|#[0-9]+)\s*$"),
    "printing": re.compile(r"\s+\([^()]*\)(?:\s+[A-Za-z0-9-]*[0-9][A-Za-z0-9-]*)?$|\s*\|.*$"),
    # Capacity, disciplines, title, clan and group, as the texts of VTES's deck builders have them.
    "crypt": re.compile(
        r"\s[0-9]{1,2}\s(?:[^0-9]+(?:[0-9] votes?\s[^0-9]+)?:(?:[0-9]{1,2}|ANY)"
        r"|\s*[A-Za-z]{3}(?: [A-Za-z]{3})*)$"
    ),
    "articleLast": re.compile(r"^(.+), (The|An?)$"),
    "articleFirst": re.compile(r"^(The|An?) (.+)$"),
    "section": re.compile(
        r"^(?:=.*=|--.*--|\*.*\*|\[.*\]|[^:]{1,40}:(?:\s*[0-9]{1,3})?"
        r"|[^0-9()\[\]:]{1,40}[(\[][0-9]{1,3}[)\]]:?)$"
    ),
    "fact": re.compile(r"^[^0-9]{1,20}:\s+\S"),
}


class Reading(NamedTuple):
    """A way to read a line: a number of copies of a name."""

    copies: int
    name: str


class DeckLine(NamedTuple):
    """A line of a deck list that may name a card; `number` counts from 1.

    `optional`: the line may as well be a heading or a fact about the deck.
    """

    number: int
    text: str
    readings: tuple[Reading, ...]
    optional: bool


def parse_deck(text: str) -> Iterator[DeckLine]:
    """Yield the lines of a deck list that may name a card, of the first MAX_LINES lines.

    The lines of a list in XML are its cards. Raises BrokenXml.
    """
    lines = as_lines(text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    before = ""
    for number, line in enumerate(lines[:MAX_LINES], 1):
        shown = clean_typed(line)[:MAX_LENGTH].strip()
        if not any(map(str.isalnum, shown)) or PATTERNS["comment"].match(shown):
            continue
        bare = PATTERNS["remark"].sub("", PATTERNS["bullet"].sub("", shown))
        is_title = before == "About" and shown.startswith("Name ")
        is_fact = PATTERNS["section"].match(shown) or PATTERNS["fact"].match(shown)
        optional, before = bool(is_title or is_fact), shown
        yield DeckLine(number, shown, tuple(dict.fromkeys(_readings(bare))), optional)


def _readings(line: str) -> Iterator[Reading]:
    """Yield a line with a count before or after the name, then as a name alone."""
    first = PATTERNS["countFirst"].match(line)
    last = PATTERNS["countLast"].match(line)
    if first:
        count = int(first[1] or first[2])
        yield from (Reading(count, name) for name in _names(first[3]))
    if last:
        count = int(last[2] or last[3])
        yield from (Reading(count, name) for name in _names(last[1]))
    yield from (Reading(1, name) for name in _names(line))


def _names(text: str) -> Iterator[str]:
    """Yield the possible names in a text, each also with its article at the other end."""
    for name in _bare_names(text):
        yield name
        article = PATTERNS["articleLast"].match(name) or PATTERNS["articleFirst"].match(name)
        if article:
            yield f"{article[2]} {article[1]}"


def _bare_names(text: str) -> Iterator[str]:
    """Yield a name as it stands, then without facts of the card, set and printing."""
    yield text
    bare = PATTERNS["crypt"].sub("", text).strip()
    if bare != text:
        yield bare
    for _ in range(MAX_SETS):
        shorter = PATTERNS["set"].sub("", bare)
        if shorter in ("", bare):
            break
        bare = shorter
        yield bare
    shorter = PATTERNS["printing"].sub("", bare)
    if shorter and shorter != bare:
        yield shorter


# What may stand before a document in XML.
_BLANK = "\ufeff \r\n\t"
BROKEN = "The list is XML that cannot be read: it is cut off or damaged, or has a DTD."


class BrokenXml(KbError):
    """A list that is declared as XML and cannot be read."""


def as_lines(text: str) -> str:
    """Return the cards of a deck list in XML, one a line; any other text as it is.

    Cockatrice writes .cod files, MTGO and LackeyCCG .dek files. Raises BrokenXml for a text that is
    declared as XML.
    """
    document = text.lstrip(_BLANK)
    if not document.startswith("<"):
        return text
    reader = _Reader()
    try:
        reader.read(document)
    except expat.ExpatError as error:
        if document.startswith("<?xml"):
            raise BrokenXml(f"{BROKEN} ({error})" if str(error) else BROKEN) from None
        return text
    return "\n".join(reader.lines) or text


class _Reader:
    """Gathers `<card number="2" name="..."/>`, `<Cards Quantity="2" Name="..."/>` and
    `<card><name>...</name></card>`.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._path: list[str] = []
        self._name: list[str] = []

    def read(self, text: str) -> None:
        # The text is decoded already, whatever its declaration says.
        parser = expat.ParserCreate("utf-8")
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._name.append
        parser.Parse(text.encode("utf-8", "replace"), True)

    def _refuse(self, *_: object) -> None:
        """A document with a DTD, which alone can declare entities, is refused."""
        raise expat.ExpatError

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        self._path.append(element.lower())
        self._name.clear()
        given = {name.lower(): value for name, value in attributes.items()}
        if self._path[-1] in ("card", "cards") and "name" in given:
            self._add(given.get("number") or given.get("quantity") or "1", given["name"])

    def _end(self, _: str) -> None:
        if self._path[-2:] == ["card", "name"]:
            self._add("1", "".join(self._name))
        self._path.pop()

    def _add(self, count: str, name: str) -> None:
        self.lines.append(" ".join(f"{count} {name}".split()))
